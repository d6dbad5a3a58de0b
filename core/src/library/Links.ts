/**
 * A file of links: written by whoever has an account, and read where nobody logs in.
 *
 * @since 0.1.0
 */
export {
  type LinkEntry,
  type LinkManifest,
  type LinksOf,
  linksJson,
  readLinks
} from "../download/LinkManifest.ts"
