import * as Effect from "effect/Effect"
import * as Base64 from "effect/encoding/Base64"
import * as FileSystem from "effect/FileSystem"
import * as Path from "effect/Path"
import type * as PlatformError from "effect/PlatformError"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import { WideInteger } from "../core/src/contract/Record.ts"
import { BehaviourChoice } from "./Behaviour.ts"
import { decodeJson, type JsonObject, strictly } from "./WireJson.ts"

const Id = Schema.Union([Schema.String, Schema.Int, WideInteger])

/** Fields as they go out. */
const Fields = Schema.declare(
  (value): value is JsonObject => typeof value === "object" && value !== null && !Array.isArray(value),
  { expected: "an object" }
)

/** A file of an analysis. Its bytes come from `path` (relative to the world file), `base64`, or another listed file. */
export const FileEntry = Schema.Struct({
  name: Schema.String,
  path: Schema.optionalKey(Schema.String),
  base64: Schema.optionalKey(Schema.String),
  /** `analysis/file` of the world so far. */
  copyOf: Schema.optionalKey(Schema.String),
  archived: Schema.optionalKey(Schema.Boolean),
  /** The download link, sent as it is instead of a presigned one. */
  link: Schema.optionalKey(Schema.String),
  /** The size in the list, instead of the true one. */
  listedSize: Schema.optionalKey(Schema.NullOr(Schema.Finite))
})

/** `item` holds fields of the analysis as they go out, known ones and unknown ones. */
export const AnalysisEntry = Schema.Struct({
  id: Id,
  personLimsId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  sampleId: Schema.optionalKey(Schema.NullOr(Schema.String)),
  item: Schema.optionalKey(Fields),
  customerProvidedInputFilePaths: Schema.optionalKey(Schema.Array(Schema.String)),
  files: Schema.optionalKey(Schema.Array(FileEntry))
})

export const PersonEntry = Schema.Struct({
  limsId: Schema.String,
  id: Schema.optionalKey(Id),
  personalInformation: Schema.optionalKey(Fields),
  clinicalInformation: Schema.optionalKey(Fields)
})

/**
 * A world file: what to add to the generated world, or to change in it. A person, an analysis or a file that exists
 * (same LIMS id, id, or name) is changed in the given fields; anything else is added. `empty: true` starts with nothing.
 *
 * @category schemas
 * @since 0.1.0
 */
export const WorldFile = Schema.Struct({
  /** What the service is like where nobody knows it. */
  behaviour: Schema.optionalKey(BehaviourChoice),
  empty: Schema.optionalKey(Schema.Boolean),
  /** Replaces the account `demo`; the first one is printed at the start. */
  accounts: Schema.optionalKey(Schema.NonEmptyArray(Schema.Struct({ user: Schema.String, password: Schema.String }))),
  persons: Schema.optionalKey(Schema.Array(PersonEntry)),
  analyses: Schema.optionalKey(Schema.Array(AnalysisEntry))
})

export type WorldFile = typeof WorldFile.Type

/**
 * A file given at the start cannot be used.
 *
 * @category errors
 * @since 0.1.0
 */
export class SandboxInputUnusable extends Schema.TaggedError<SandboxInputUnusable>()("SvcSandboxInputUnusable", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 66
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

/**
 * A file given at the start has the wrong content.
 *
 * @category errors
 * @since 0.1.0
 */
export class SandboxInputMalformed extends Schema.TaggedError<SandboxInputMalformed>()("SvcSandboxInputMalformed", {
  path: Schema.String,
  reason: Schema.String
}) {
  override readonly [Runtime.errorExitCode] = 65
  override get message() {
    return `${this.path}: ${this.reason}`
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it does not exist",
  EACCES: "permission denied",
  EISDIR: "it is a folder",
  ENOTDIR: "not a folder"
}

/** A file or folder that cannot be read, in words. */
export const unusable =
  (path: string) =>
  ({ reason }: PlatformError.PlatformError) => {
    const { cause } = reason
    const errno = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : reason._tag
    return new SandboxInputUnusable({ path, reason: reasons[errno] ?? errno })
  }

/** Reads a JSON file of the given shape; the error says where in the file the fault is. */
export const readFile = Effect.fn("readFile")(function* <A, I>(path: string, schema: Schema.Codec<A, I>) {
  const fs = yield* FileSystem.FileSystem
  const text = yield* fs.readFileString(path).pipe(Effect.mapError(unusable(path)))
  return yield* Effect.mapError(
    decodeJson(text, schema, strictly),
    (reason) => new SandboxInputMalformed({ path, reason })
  )
})

/** Where the bytes of a file lie. */
export type Content =
  | { readonly _tag: "Memory"; readonly bytes: () => Uint8Array }
  | { readonly _tag: "Disk"; readonly path: string; readonly size: number; readonly mtimeMs: number }

export const contentOnDisk = Effect.fn("contentOnDisk")(function* (path: string) {
  const fs = yield* FileSystem.FileSystem
  const info = yield* fs.stat(path).pipe(Effect.mapError(unusable(path)))
  if (info.type !== "File") return yield* new SandboxInputUnusable({ path, reason: "not a file" })
  const mtimeMs = info.mtime._tag === "Some" ? info.mtime.value.getTime() : 0
  return { _tag: "Disk", path, size: Number(info.size), mtimeMs } satisfies Content
})

/** The bytes a world file gives for an entry, or nothing when it gives none. */
export const contentOf = Effect.fn("contentOf")(function* (entry: typeof FileEntry.Type, worldFile: string) {
  const path = yield* Path.Path
  if (entry.path !== undefined) return yield* contentOnDisk(path.resolve(path.dirname(worldFile), entry.path))
  if (entry.base64 === undefined) return null
  const bytes = yield* Effect.fromResult(Base64.decode(entry.base64)).pipe(
    Effect.mapError(() => new SandboxInputMalformed({ path: worldFile, reason: `${entry.name}: base64 expected` }))
  )
  return { _tag: "Memory", bytes: () => bytes } satisfies Content
})
