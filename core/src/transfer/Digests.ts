/**
 * Checksums of a whole file: which there are, and which a link host states in the head of a reply.
 *
 * Sources: RFC 1864 (Content-MD5), RFC 9530 (Repr-Digest, Content-Digest), Google Cloud Storage (x-goog-hash), Amazon S3
 * (x-amz-checksum-..., and when an ETag is an MD5). Only what is surely of these very bytes is taken; a guess would call good
 * files damaged.
 */

import * as Context from "effect/Context"
import * as Base64 from "effect/encoding/Base64"
import * as Hex from "effect/encoding/Hex"
import * as Result from "effect/Result"
import { FileDamaged } from "../Errors.ts"
import type { ChecksumKind } from "../selection/FileName.ts"

/** Bytes that a digest of each kind has. */
const lengths = { md5: 16, sha1: 20, sha256: 32, sha512: 64, crc32: 4, crc32c: 4 } as const

export type Algorithm = keyof typeof lengths
export const algorithms = Object.keys(lengths) as ReadonlyArray<Algorithm>

/** Digests in hex. */
export type Digests = ReadonlyMap<Algorithm, string>

/** A digest of the whole file, in hex, and the header field that stated it. */
export interface StatedDigest {
  readonly algorithm: Algorithm
  readonly field: string
  readonly hex: string
}

/** A digest of bytes as they come. */
export interface RunningDigest {
  readonly update: (bytes: Uint8Array) => unknown
  readonly digest: (encoding: "hex") => string
}

/** Computes digests. */
export class Hashing extends Context.Service<Hashing, { readonly begin: (algorithm: Algorithm) => RunningDigest }>()(
  "svc-steps/core/transfer/Hashing"
) {}

/** How RFC 9530 and x-goog-hash call the algorithms. */
const called: Readonly<Record<string, Algorithm>> = {
  md5: "md5",
  sha: "sha1",
  "sha-256": "sha256",
  "sha-512": "sha512",
  crc32c: "crc32c"
}

/** Those of S3 that Node can compute, so not CRC-64/NVME. */
const amazon: ReadonlyArray<Algorithm> = ["crc32", "crc32c", "sha1", "sha256"]

/** What the head of a reply states of the whole file. `status` 206: the body is a part of it, or all of it as a range. */
export const statedDigests = (status: number, headers: ReadonlyMap<string, string>): ReadonlyArray<StatedDigest> => {
  const field = (name: string) => headers.get(name.toLowerCase()) ?? ""
  const stated: Array<StatedDigest | null> = []
  const [, end, size] = /^bytes 0-(\d{1,16})\/(\d{1,16})$/i.exec(field("Content-Range").trim()) ?? []
  const whole = status === 200 || (end !== undefined && Number(end) + 1 === Number(size))
  if (whole) stated.push(fromBase64("Content-MD5", "md5", field("Content-MD5").trim()))
  for (const name of whole ? ["Repr-Digest", "Content-Digest"] : ["Repr-Digest"]) {
    for (const [, key = "", value = ""] of field(name).matchAll(/(?:^|[,\s])([a-z0-9-]+)=:([^:]*):/g)) {
      stated.push(fromBase64(name, called[key], value))
    }
  }
  // A composite one is the checksum of the checksums of parts; of a range S3 may state that of the part it lies in.
  if (whole && !/^composite$/i.test(field("x-amz-checksum-type").trim())) {
    for (const algorithm of amazon) {
      const name = `x-amz-checksum-${algorithm}`
      stated.push(fromBase64(name, algorithm, field(name).trim()))
    }
  }
  // A store that unpacks a compressed object for us states the checksum of what it stores.
  if (["", "identity"].includes(field("x-goog-stored-content-encoding").trim().toLowerCase())) {
    for (const [, key = "", value = ""] of field("x-goog-hash").matchAll(
      /(?:^|[,\s])(md5|crc32c)=([A-Za-z0-9+/=]+)/g
    )) {
      stated.push(fromBase64("x-goog-hash", called[key], value))
    }
  }
  stated.push(fromETag(field))
  return stated.filter((one) => one !== null)
}

/**
 * An ETag of this form may be the MD5 of the file, as that of an object of S3 is which came in one part and is encrypted with no other
 * keys than those of S3 (`AES256`). It is tried: equal proves the file, different proves nothing.
 */
const fromETag = (field: (name: string) => string): StatedDigest | null => {
  const hex = /^"([0-9a-f]{32})"$/.exec(field("ETag").trim())?.[1]
  const encrypted =
    !["", "AES256"].includes(field("x-amz-server-side-encryption")) ||
    field("x-amz-server-side-encryption-customer-algorithm") !== ""
  return hex === undefined || encrypted ? null : { algorithm: "md5", field: "ETag", hex }
}

/** Whether it is only tried, as it may be no digest at all. */
export const isTried = ({ field }: StatedDigest): boolean => field === "ETag"

const fromBase64 = (field: string, algorithm: Algorithm | undefined, text: string): StatedDigest | null => {
  if (algorithm === undefined) return null
  const bytes = Result.getOrNull(Base64.decode(text))
  return bytes?.length === lengths[algorithm] ? { algorithm, field, hex: Hex.encode(bytes) } : null
}

/** `stated` with the digests of `more` that it does not have yet. */
export const mergeDigests = (
  stated: ReadonlyArray<StatedDigest>,
  more: ReadonlyArray<StatedDigest>
): ReadonlyArray<StatedDigest> => {
  const added = more.filter((one) => !stated.some((other) => sameKind(one, other)))
  return added.length === 0 ? stated : [...stated, ...added]
}

/** The first digest that both have with different values; null when there is none. */
export const conflict = (stated: ReadonlyArray<StatedDigest>, more: ReadonlyArray<StatedDigest>): StatedDigest | null =>
  more.find((one) => stated.some((other) => sameKind(one, other) && one.hex !== other.hex)) ?? null

const sameKind = (one: StatedDigest, other: StatedDigest) =>
  one.field === other.field && one.algorithm === other.algorithm

/**
 * What is to be computed of a file, each once.
 *
 * @param own - what is computed whatever the link host states
 */
export const algorithmsFor = (
  stated: ReadonlyArray<StatedDigest>,
  { own = [], triesTags }: { readonly own?: ReadonlyArray<Algorithm>; readonly triesTags: boolean }
): ReadonlyArray<Algorithm> => {
  const compared = stated.filter((one) => triesTags || !isTried(one))
  return [...new Set([...own, ...compared.map(({ algorithm }) => algorithm)])]
}

/** What is computed of a file in any case: for the report, and of the kind that is wanted beside it. */
export const ownAlgorithms = (kind: ChecksumKind | null): ReadonlyArray<Algorithm> =>
  kind === null || kind === "sha256" ? ["sha256"] : ["sha256", kind]

/** How people call a comparison: `md5 of Content-MD5`. */
export const comparisonOf = ({ algorithm, field }: StatedDigest): string => `${algorithm} of ${field}`

/** The algorithm of the first digest that the link host stated and that a file has; null when there is none. */
export const agreeing = (stated: ReadonlyArray<StatedDigest>, digests: Digests): Algorithm | null =>
  stated.find(({ algorithm, hex }) => digests.get(algorithm) === hex)?.algorithm ?? null

/** The damage of a file whose digests are not those that its link host stated; null when they are. */
export const checksumDamage = (
  file: string,
  stated: ReadonlyArray<StatedDigest>,
  digests: Digests
): FileDamaged | null => {
  const unlike = stated.find((one) => !isTried(one) && digests.get(one.algorithm) !== one.hex)
  if (unlike === undefined) return null
  const { algorithm, field, hex } = unlike
  const reason = `its ${algorithm} is ${digests.get(algorithm)}, but ${field} of the link host says ${hex}`
  return new FileDamaged({ file, fault: "Checksum", reason })
}
