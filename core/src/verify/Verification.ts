/** Checks files one after another, each as thoroughly as its kind allows. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import { FileDamaged, LocalIo, NotFound } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import type { Codec } from "../genome/bgzf/Codec.ts"
import { type RecordCounts, unread } from "../genome/bgzf/ContentCheck.ts"
import {
  type ChecksumKind,
  type ChecksumName,
  type DataType,
  dataOf,
  type IndexSuffix,
  kindOfName
} from "../genome/formats/FileNames.ts"
import { openFormat } from "../genome/formats/Formats.ts"
import { lackOf, openIndexed } from "../genome/IndexedFile.ts"
import { checkStructure, isInBlocks, readIndex } from "../genome/Structure.ts"
import { proveContent } from "./FileProof.ts"
import * as IndexProof from "./IndexProof.ts"
import { checksumIn } from "./Manifest.ts"
import type { Target } from "./Targets.ts"
import { type Facts, noFacts, type Verdict } from "./Verdict.ts"
import { type Damage, walkWhole } from "./WholeWalk.ts"

/** An open file; a file that gets shorter while it is read is `FileDamaged` `Changing`. */
export interface OpenFile extends ByteReader<LocalIo | FileDamaged> {
  /** The checksum of the whole file in hex, made beside other work. */
  readonly checksum: (kind: ChecksumKind) => Effect.Effect<string, LocalIo>
}

export class FileSource extends Context.Service<
  FileSource,
  {
    /** Opens a regular file until the scope closes. */
    readonly open: (path: string) => Effect.Effect<OpenFile, LocalIo, Scope.Scope>
  }
>()("svc-steps/core/verify/FileSource") {}

/** Hears what happens: bytes of the file at `path` that are proven so far, and each verdict when it is made. */
export interface VerifyEvents {
  readonly progress: (path: string, bytes: number) => Effect.Effect<void>
  readonly verdict: (verdict: Verdict) => Effect.Effect<void>
}

type VerificationFailure = Damage | FileDamaged | LocalIo | NotFound

/** What the walk through a data file has found out for its indexes. */
interface Walked {
  readonly counts: RecordCounts
  /** By the path of the index: what is wrong with it, or null, and what is told of it. */
  readonly faults: ReadonlyMap<string, string | null>
  readonly missed: ReadonlyMap<string, string | null>
}

/** What is remembered of a data file for the index that comes after it. */
type Known = ({ readonly _tag: "Sound" } & Walked) | { readonly _tag: "Failed" }

type FileRole = Extract<Target["role"], { readonly _tag: "File" }>

interface Checked {
  readonly facts: Facts
  readonly notes: ReadonlyArray<string>
  readonly walked: Walked | null
}

/** The files of this run, and what is known of those that were checked. */
interface Run {
  readonly targets: ReadonlyArray<Target>
  readonly known: Map<string, Known>
}

/** An open file that is checked. */
interface Work {
  readonly path: string
  readonly file: OpenFile
  readonly run: Run
  readonly progress: (bytes: number) => Effect.Effect<void>
}

/** Checks all targets; failures of files are verdicts, so this cannot fail. */
export const verify = Effect.fn("svc.verify.verifyFiles")(function* (
  targets: ReadonlyArray<Target>,
  events: VerifyEvents
): Effect.fn.Return<ReadonlyArray<Verdict>, never, FileSource | Codec> {
  const run: Run = { targets, known: new Map() }
  const verdicts: Array<Verdict> = []
  for (const target of targets) {
    const verdict = yield* Effect.scoped(verdictOf(target, run, (bytes) => events.progress(target.path, bytes)))
    verdicts.push(verdict)
    yield* events.verdict(verdict)
  }
  return verdicts
})

const verdictOf = Effect.fnUntraced(function* (
  target: Target,
  run: Run,
  progress: Work["progress"]
): Effect.fn.Return<Verdict, never, FileSource | Codec | Scope.Scope> {
  const { expected, notes, path, role } = target
  const bare: Verdict = {
    path,
    kind: null,
    status: "unchecked",
    bytes: null,
    sha256: null,
    notes,
    facts: noFacts,
    place: null,
    error: null
  }
  switch (role._tag) {
    case "Missing":
      return { ...bare, status: "failed", error: new NotFound({ what: path }) }
    case "Unreadable":
      return { ...bare, status: "failed", error: new LocalIo({ path, operation: "read", errno: role.errno }) }
    case "Absent":
      return { ...bare, notes: [...notes, role.reason] }
    case "Empty":
      return { ...bare, notes: [...notes, "a folder without files"] }
    case "Part": {
      const note = "part of a download: the next run goes on with it"
      return { ...bare, status: "unfinished", notes: [...notes, note] }
    }
    case "File": {
      const kind = role.checksum?.kind ?? role.named?.kind ?? null
      const file: Verdict = { ...bare, kind, bytes: role.bytes }
      if (kind === null && expected === null) return { ...file, notes: [...notes, "unknown type"] }
      const failed = (error: VerificationFailure): Verdict => {
        run.known.set(path, { _tag: "Failed" })
        return error._tag === "Damage"
          ? { ...file, status: "failed", error: error.error, place: error.place }
          : { ...file, status: "failed", error }
      }
      return yield* Effect.match(checkFile(target, role, run, progress), {
        onFailure: failed,
        onSuccess: ({ facts, notes: more, sha256, walked }): Verdict => {
          if (walked !== null) run.known.set(path, { _tag: "Sound", ...walked })
          return { ...file, status: "ok", facts, sha256, notes: [...notes, ...more] }
        }
      })
    }
  }
})

const checkFile = Effect.fnUntraced(function* (
  { expected, path }: Target,
  role: FileRole,
  run: Run,
  progress: Work["progress"]
) {
  const source = yield* FileSource
  const file = yield* source.open(path)
  const wrong = (fault: FileDamaged["fault"], reason: string) => new FileDamaged({ file: path, fault, reason })
  // Beside the walk: it reads what the walk has just brought into memory.
  const hashing = yield* Effect.forkScoped(expected?.sha256 == null ? Effect.succeed(null) : file.checksum("sha256"))
  const checked = yield* checkKind({ path, file, run, progress }, role)
  if (expected?.bytes != null && expected.bytes !== file.size) {
    return yield* wrong("Size", `it has ${file.size} bytes, and ${expected.bytes} are expected`)
  }
  const sha256 = yield* Fiber.join(hashing)
  if (sha256 !== null && sha256 !== expected?.sha256) {
    return yield* wrong("Checksum", `its SHA-256 is ${sha256}, and ${expected?.sha256} is expected`)
  }
  return { ...checked, sha256 }
})

const checkKind = (
  work: Work,
  { checksum, named }: FileRole
): Effect.Effect<Checked, VerificationFailure, FileSource | Codec | Scope.Scope> => {
  const { file, path, run } = work
  if (checksum !== null) {
    const facts = { ...noFacts, comparedWith: checksum.data }
    return Effect.as(proveChecksum(path, checksum, file), { facts, notes: [], walked: null })
  }
  if (named === null)
    return Effect.succeed({ facts: noFacts, notes: ["type unknown: only size and checksum"], walked: null })
  const { index, type } = named
  return index === null
    ? Effect.flatMap(proofsFor(path, run.targets), (proofs) => checkData(work, type, proofs))
    : checkIndex(work, index)
}

/** The indexes among the targets that can be read, to be held against the records of `data`; others fail by themselves later. */
const proofsFor = Effect.fnUntraced(function* (data: string, targets: ReadonlyArray<Target>) {
  const source = yield* FileSource
  const proofs = new Map<string, IndexProof.IndexProof>()
  for (const { path, role } of targets) {
    const suffix = role._tag === "File" ? (role.named?.index ?? null) : null
    if (suffix === null || dataOf(path) !== data) continue
    const read = Effect.scoped(Effect.flatMap(source.open(path), (file) => readIndex(path, file)))
    const index = yield* Effect.option(read)
    if (Option.isSome(index)) proofs.set(path, IndexProof.make(index.value))
  }
  return proofs
})

/** The header first, as its damage has the better words; then every byte. */
const checkData = Effect.fnUntraced(function* (
  { file, path, progress }: Work,
  type: DataType,
  proofs: ReadonlyMap<string, IndexProof.IndexProof>
): Effect.fn.Return<Checked, VerificationFailure, Codec> {
  // A broken block within the header is found by the walk, which knows its number.
  const header = yield* Effect.result(openFormat(path, file, type))
  // What is no BGZF from its first byte on, such as plain gzip or a web page, is named by what it is.
  if (header._tag === "Failure" && header.failure._tag === "SvcFileDamaged" && header.failure.fault === "NotBgzf") {
    return yield* header.failure
  }
  if (header._tag === "Failure") {
    yield* walkWhole(path, file, unread, progress)
    return yield* header.failure
  }
  const { references, samples } = header.success
  const { counts, ...about } = yield* proveContent(path, file, header.success, [...proofs.values()], progress)
  const facts = { ...noFacts, ...about, references, samples }
  const walked = {
    counts,
    faults: new Map(Array.from(proofs, ([index, proof]) => [index, proof.fault()])),
    missed: new Map(Array.from(proofs, ([index, proof]) => [index, proof.note()]))
  }
  return { facts: { ...facts, records: counts.records }, notes: [], walked }
})

/** Index alone, then with the file that it belongs to: by samples, and by the numbers of records where these are known. */
const checkIndex = Effect.fnUntraced(function* (
  { file, path, progress, run: { known } }: Work,
  suffix: IndexSuffix
): Effect.fn.Return<Checked, VerificationFailure, FileSource | Codec | Scope.Scope> {
  const walked = (yield* isInBlocks(file)) ? yield* walkWhole(path, file, unread, progress) : {}
  const data = dataOf(path)
  const about = known.get(data)
  const source = yield* FileSource
  const opened = about?._tag === "Failed" ? null : yield* Effect.option(source.open(data))
  const beside = opened !== null && opened._tag === "Some" ? { name: data, reader: opened.value } : undefined
  const { compared, format, kind: _, ...facts } = yield* checkStructure(path, file, beside)
  yield* progress(file.size)
  const index = { name: path, reader: file }
  const type = kindOfName(data)?.type
  const lack =
    beside === undefined || type === undefined ? null : lackOf(yield* openIndexed({ ...beside, index }, type))
  const notes =
    format?.toLowerCase() === suffix ? [] : [`it is a ${format}, which some tools do not take under that name`]
  if (about?._tag === "Sound") {
    const read = yield* readIndex(path, file)
    const fault = about.faults.get(path) ?? null
    const compared = IndexProof.compareRecords(path, read, data, about.counts, fault).pipe(
      Effect.mapError((error) =>
        lack === null ? error : new FileDamaged({ ...error, reason: `${error.reason}; ${lack}` })
      )
    )
    notes.push(...(yield* compared))
    const missed = about.missed.get(path) ?? null
    if (missed !== null) notes.push(missed)
  } else if (lack !== null) {
    return yield* new FileDamaged({ file: path, fault: "IndexMismatch", reason: lack })
  } else if (about?._tag === "Failed") {
    notes.push(`not compared with ${data}, which failed`)
  } else if (beside === undefined) {
    notes.push(`not compared: ${data} is not there`)
  } else if (compared === 0) {
    notes.push(`it has nothing that could be compared with ${data}`)
  } else {
    // It stands before its index where it is named.
    notes.push(`compared with samples of ${data} only: name that file too`)
  }
  return { facts: { ...noFacts, ...facts, ...walked, comparedWith: beside?.name ?? null }, notes, walked: null }
})

/** A checksum file is read whole; one beside a file has one line, seldom more. */
const largest = 1024 * 1024

const algorithms: Readonly<Record<ChecksumKind, string>> = { md5: "MD5", sha256: "SHA-256" }

/**
 * Succeeds when the file at `data` has the checksum that `file`, open from `path`, holds. `FileDamaged` is about `path` and
 * names both: which of the two was changed cannot be known. `NotFound` when there is no file at `data`.
 */
const proveChecksum = Effect.fn("svc.verify.proveChecksum")(function* (
  path: string,
  { data, kind }: ChecksumName,
  file: OpenFile
): Effect.fn.Return<void, FileDamaged | LocalIo | NotFound, FileSource | Scope.Scope> {
  const wrong = (fault: FileDamaged["fault"], reason: string) => new FileDamaged({ file: path, fault, reason })
  if (file.size > largest) return yield* wrong("BadRecord", "it is too large for a checksum")
  const text = new TextDecoder().decode(yield* file.read(0, file.size))
  const stated = checksumIn(kind, text, data.slice(data.lastIndexOf("/") + 1))
  if (Result.isFailure(stated)) return yield* wrong("BadRecord", stated.failure)
  const source = yield* FileSource
  const opened = yield* Effect.mapError(source.open(data), (error) =>
    error.errno === "ENOENT" ? new NotFound({ what: `${data}, the file of ${path}` }) : error
  )
  const found = yield* opened.checksum(kind)
  if (found === stated.success) return
  return yield* wrong(
    "Checksum",
    `it does not fit ${data}, whose ${algorithms[kind]} is ${found}: one of the two was changed`
  )
})
