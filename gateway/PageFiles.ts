/** The scripts of the page: that of our own, and igv.js (docs/dev/adr/0027). The build puts them beside the executables, or into the binary. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { getRawAsset, isSea } from "node:sea"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as Effect from "effect/Effect"

export const pageFileNames = ["page.js", "igv.js"] as const
export type PageFileName = (typeof pageFileNames)[number]

export interface PageFile {
  readonly etag: string
  readonly plain: Uint8Array
  readonly gzipped: Uint8Array
}

/** From a chunk of the build, and from the sources. */
const folders = ["../page/", "../dist/page/"]

const read = async (name: PageFileName): Promise<Uint8Array> => {
  if (isSea()) return new Uint8Array(getRawAsset(name))
  const [built, source = built] = folders.map((folder) => new URL(`${folder}${name}`, import.meta.url))
  return readFile(built as URL).catch(() => readFile(source as URL))
}

const load = async (name: PageFileName): Promise<PageFile> => {
  const plain = await read(name)
  const etag = `"${createHash("sha256").update(plain).digest("hex").slice(0, 32)}"`
  return { etag, plain, gzipped: await promisify(gzip)(plain) }
}

/** Each is read when it is first asked for; null when this build lacks it. */
export const makePageFiles = Effect.map(
  Effect.forEach(pageFileNames, (name) =>
    Effect.map(
      Effect.cached(
        Effect.orElseSucceed(
          Effect.tryPromise(() => load(name)),
          () => null
        )
      ),
      (file) => [name, file] as const
    )
  ),
  (files) => new Map<string, Effect.Effect<PageFile | null>>(files)
)
