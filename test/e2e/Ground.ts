/** What every end-to-end test stands on: folders, who listens. */
import { createHash } from "node:crypto"
import { mkdtempSync, readFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Schedule } from "effect"
import { type RunOptions, startServer } from "../Executables.ts"
import { removeFolder } from "../RemoveFolder.ts"

const folderIn = (parent: Effect.Effect<string>) =>
  Effect.acquireRelease(
    Effect.map(parent, (path) => mkdtempSync(join(path, "svc-e2e-"))),
    (path) => Effect.sync(() => removeFolder(path))
  )

/** A folder that is removed with the scope. */
export const folder = folderIn(Effect.sync(tmpdir))

/** One for programs that make sockets in it: their paths have 107 bytes at most, and TMPDIR is long on some machines. */
export const socketFolder = folderIn(Effect.sync(() => (tmpdir().length > 40 ? "/tmp" : tmpdir())))

const connectOnce = (port: number) =>
  Effect.callback<void, "refused">((resume) => {
    const socket = connect(port, "127.0.0.1")
    socket.once("connect", () => {
      socket.destroy()
      resume(Effect.void)
    })
    socket.once("error", () => resume(Effect.fail("refused" as const)))
  })

/** Resumes as soon as something listens there, for at most two minutes. */
export const listening = (port: number) =>
  connectOnce(port).pipe(
    Effect.retry(Schedule.spaced("50 millis").pipe(Schedule.upTo({ duration: "2 minutes" }))),
    Effect.orDie
  )

/** A program that listens on `port`, until the scope closes. */
export const startListener = (port: number, command: string, args: ReadonlyArray<string>, options?: RunOptions) =>
  startServer(command, args, () => undefined, options).pipe(Effect.raceFirst(listening(port)), Effect.orDie)

export const sha256 = (path: string) => createHash("sha256").update(readFileSync(path)).digest("hex")
