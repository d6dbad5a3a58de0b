/** The scripts of the page: that of our own, and igv.js (docs/dev/adr/0027). The build puts them beside the executables, or into the binary. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { getRawAsset, isSea } from "node:sea"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import * as Cache from "effect/Cache"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"

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

/** Null for one that this build lacks: Node's codes for a missing file, and for a missing part of the binary. */
const load = async (name: PageFileName, readFrom: typeof read): Promise<PageFile | null> => {
  const plain = await readFrom(name).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT" || error.code === "ERR_SINGLE_EXECUTABLE_APPLICATION_ASSET_NOT_FOUND") return null
    throw error
  })
  return plain === null ? null : makePageFile(plain)
}

export const makePageFile = async (plain: Uint8Array): Promise<PageFile> => {
  const etag = `"${createHash("sha256").update(plain).digest("hex").slice(0, 32)}"`
  return { etag, plain, gzipped: await promisify(gzip)(plain) }
}

/** Each is read when it is first asked for, and again where that failed, as when too many files were open; null for no such file. */
export const makePageFiles = (readFrom = read) =>
  Effect.map(
    Cache.makeWith((name: PageFileName) => Effect.tryPromise({ try: () => load(name, readFrom), catch: String }), {
      capacity: pageFileNames.length,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.infinity : Duration.zero)
    }),
    (cache) => (name: string) => {
      const known = pageFileNames.find((each) => each === name)
      return known === undefined ? Effect.succeed(null) : Cache.get(cache, known)
    }
  )
