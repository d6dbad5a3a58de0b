/**
 * The identity of a process, by which another one can find out whether it still lives.
 *
 * A process number alone is no proof: it is 1 in every container, and it is used again. So the machine's boot, the
 * space that the number is valid in, and the start time of the process count as well.
 */
import { readFileSync, readlinkSync } from "node:fs"
import { hostname, userInfo } from "node:os"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

export const ProcessIdentity = Schema.Struct({
  host: Schema.String,
  pid: Schema.Int,
  /** Identifier of the machine's boot, of the process space, and start time; null where the system has none. */
  boot: Schema.NullOr(Schema.String),
  space: Schema.NullOr(Schema.String),
  start: Schema.NullOr(Schema.String)
})
export type ProcessIdentity = typeof ProcessIdentity.Type

const tryRead = <A>(read: () => A): A | null => {
  try {
    return read()
  } catch {
    return null
  }
}

/** State letter and start time out of `/proc/<pid>/stat`; the name in parentheses may hold anything. */
const statOf = (pid: number | "self"): { readonly state: string; readonly start: string } | null => {
  const text = tryRead(() => readFileSync(`/proc/${pid}/stat`, "latin1"))
  const fields = text?.slice(text.lastIndexOf(")") + 2).split(" ")
  const [state, start] = [fields?.[0], fields?.[19]]
  return state === undefined || start === undefined ? null : { state, start }
}

let self: ProcessIdentity | null = null

/** This process. Read once: every file of a run asks six times, and each time would take 16 KiB of buffers. */
export const thisProcess = (): ProcessIdentity => {
  self ??= {
    host: hostname(),
    pid: process.pid,
    boot: tryRead(() => readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim()),
    space: tryRead(() => readlinkSync("/proc/self/ns/pid")),
    start: statOf("self")?.start ?? null
  }
  return self
}

/**
 * True only when it is certain that `other` has ended: it ran under the same boot and in the same process space as
 * this process, and its number is free or belongs to a process that started at another time.
 */
export const hasEnded = (other: ProcessIdentity, self: ProcessIdentity): boolean => {
  const comparable = self.boot !== null && self.space !== null && self.boot === other.boot && self.space === other.space
  if (!comparable || other.pid <= 0) return false
  try {
    process.kill(other.pid, 0)
  } catch (error) {
    // EPERM: a process of that number lives and belongs to another user.
    if (error instanceof Error && "code" in error && error.code === "ESRCH") return true
  }
  const stat = statOf(other.pid)
  if (stat === null || other.start === null) return false
  return stat.start !== other.start || stat.state === "Z" || stat.state === "X"
}

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(ProcessIdentity))

/** The identity in a text; null when it is torn or of another kind. */
export const parseIdentity = (text: string): ProcessIdentity | null => Option.getOrNull(decode(text))

/** Who runs this process: the name of its user, or its number where the system knows no name. */
export const userName = (): string => tryRead(() => userInfo().username) ?? String(process.getuid?.() ?? "unknown")
