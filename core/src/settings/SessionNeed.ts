/** A links file takes the place of the service: nobody logs in. Without imports, as the help needs nothing more. */
export const readsLinks = (settings: { readonly links: boolean; readonly linksFile: string | null }): boolean =>
  settings.linksFile !== null && !settings.links
