/**
 * The password of each account that was refused last, remembered in the lock folder for ten minutes.
 *
 * A run that began before a refusal, or at most half a minute after it, does not try the password: it belongs to the same batch
 * of runs. A later run tries again, since the account may have been repaired; after its third refusal in ten
 * minutes no run does. A different password is sent. A successful login removes the file.
 *
 * A file holds a salt, 16 bits of a slow hash and the times: enough to know the same password again (another one is mistaken
 * for it once in 65,536 times, for ten minutes), too little to find it out.
 */
import { randomBytes, scrypt } from "node:crypto"
import { readFile, unlink, writeFile } from "node:fs/promises"
import { promisify } from "node:util"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { RefusedLogins } from "../../core/src/session/LoginHistory.ts"

const remembered = 10 * 60_000
const mostRefusals = 3
const sameBatch = 30_000
const saltBytes = 16
const headBytes = saltBytes + 2

const slowHash = promisify<string, Buffer, number, Buffer>(scrypt)
/** The head of a file: the salt, then the hash. */
const headOf = async (salt: Buffer, password: Redacted.Redacted) =>
  Buffer.concat([salt, await slowHash(Redacted.value(password), salt, 2)])

interface Known {
  readonly head: Buffer
  /** When the password was refused, in ms since 1970. */
  readonly times: ReadonlyArray<number>
}

/** The refusals of this password in the last ten minutes; null when the file is about another one. */
const read = async (path: string, password: Redacted.Redacted, now: number): Promise<Known | null> => {
  const content = await readFile(path)
  const head = content.subarray(0, headBytes)
  if (content.length < headBytes || !head.equals(await headOf(content.subarray(0, saltBytes), password))) return null
  const times = Array.from({ length: Math.floor((content.length - headBytes) / 8) }, (_, index) =>
    content.readDoubleLE(headBytes + 8 * index)
  )
  return { head, times: times.filter((time) => Math.abs(now - time) < remembered) }
}

/** `fileOf` names the file of an account. What cannot be read or written is not remembered. */
export const make = (fileOf: (key: string) => string): RefusedLogins => {
  const readRefusals = (key: string, password: Redacted.Redacted) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.tryPromise(() => read(fileOf(key), password, now))).pipe(
      Effect.orElseSucceed(() => null)
    )
  return {
    forget: (key) => Effect.ignore(Effect.tryPromise(() => unlink(fileOf(key)))),
    has: (key, password, since) =>
      Effect.map(readRefusals(key, password), (it) => {
        const times = it?.times ?? []
        return times.length >= mostRefusals || times.some((time) => time >= since - sameBatch)
      }),
    add: Effect.fnUntraced(
      function* (key, password) {
        const before = yield* readRefusals(key, password)
        const now = Buffer.alloc(8)
        now.writeDoubleLE(yield* Clock.currentTimeMillis)
        yield* Effect.tryPromise(async () => {
          const head = before?.head ?? (await headOf(randomBytes(saltBytes), password))
          const earlier = (before?.times ?? []).map((time) => {
            const bytes = Buffer.alloc(8)
            bytes.writeDoubleLE(time)
            return bytes
          })
          await writeFile(fileOf(key), Buffer.concat([head, ...earlier, now]), { mode: 0o600 })
        })
      },
      (self) => Effect.ignore(self)
    )
  }
}
