/**
 * Refused passwords, remembered in the lock folder for ten minutes.
 *
 * A file holds a salt and 16 bits of a slow hash: enough to know the same password again (another one is mistaken for it once
 * in 65,536 times, for ten minutes), too little to find it out.
 */
import { randomBytes, scrypt } from "node:crypto"
import { readFile, stat, writeFile } from "node:fs/promises"
import { promisify } from "node:util"
import { Clock, Effect, Redacted } from "effect"
import type { RefusedLogins } from "../core/src/session/RefusedLogins.ts"

const remembered = 10 * 60_000
const saltBytes = 16

const slowHash = promisify<string, Buffer, number, Buffer>(scrypt)
const mark = async (salt: Buffer, password: Redacted.Redacted) =>
  Buffer.concat([salt, await slowHash(Redacted.value(password), salt, 2)])

/** `fileOf` names the file of an account. What cannot be read or written is not remembered. */
export const make = (fileOf: (key: string) => string): RefusedLogins => ({
  has: (key, password) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      Effect.tryPromise(async () => {
        const { mtimeMs } = await stat(fileOf(key))
        if (Math.abs(now - mtimeMs) > remembered) return false
        const content = await readFile(fileOf(key))
        return content.equals(await mark(content.subarray(0, saltBytes), password))
      })
    ).pipe(Effect.orElseSucceed(() => false)),
  add: (key, password) =>
    Effect.ignore(
      Effect.tryPromise(async () =>
        writeFile(fileOf(key), await mark(randomBytes(saltBytes), password), { mode: 0o600 })
      )
    )
})
