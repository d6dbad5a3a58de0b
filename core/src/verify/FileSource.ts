/** Local files as a verification reads them. `platform/files/NodeFileSource.ts` does it on Node. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import type { FileDamaged, LocalIo } from "../Errors.ts"
import type { ByteReader } from "../genome/ByteReader.ts"
import type { ChecksumKind } from "../genome/formats/FileNames.ts"

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
