import { constants } from "node:os"
import { getSystemErrorMap } from "node:util"
import { assert, describe, it } from "@effect/vitest"
import * as PlatformError from "effect/PlatformError"
import { LocalIo } from "./DiskErrors.ts"
import { errnoNamed, errnoOf, meaningOf } from "./SystemErrors.ts"

const failing = (code: string) => Object.assign(new Error("no"), { code })
/** What Node says of this number. */
const codeOf = (number: number) => getSystemErrorMap().get(-number)?.[0] ?? `Unknown system error -${number}`

describe("errors of the system", () => {
  it("K3 what means something to a person has its name, also where Node does not know it", () => {
    const unnamed: ReadonlyArray<readonly [name: string, number: number]> = [
      ["EDQUOT", 122],
      ["ESTALE", 116],
      ["EUCLEAN", 117],
      ["ENOKEY", 126],
      ["EKEYEXPIRED", 127],
      ["ENOLCK", 37],
      ["EHWPOISON", 133]
    ]
    const meant = Object.entries(constants.errno).filter(([name]) => meaningOf(name) !== name)
    for (const [name, number] of [...unnamed, ...meant]) {
      // Two names of one number: Node says the second.
      if (name === "EOPNOTSUPP" || name === "ENOTSUP") continue
      assert.strictEqual(errnoOf(failing(codeOf(number))), name)
    }
    assert.strictEqual(errnoNamed("Unknown system error -9999"), "Unknown system error -9999")
  })

  it("K3 of FileSystem too; what has no name is an input or output error", () => {
    const reason = { method: "open", module: "FileSystem", cause: failing(codeOf(122)) }
    const error = PlatformError.systemError({ _tag: "Unknown", ...reason })
    assert.strictEqual(errnoOf(error), "EDQUOT")
    assert.strictEqual(LocalIo.of("write", "a")(error).message, "Cannot write a: the disk quota is used up")
    for (const other of [new Error("no"), null, "EIO", { code: undefined }]) assert.strictEqual(errnoOf(other), "EIO")
    for (const unable of ["ENOSYS", "ENOTSUP", "EOPNOTSUPP"])
      assert.match(meaningOf(unable), /choose a folder of another/)
    assert.strictEqual(meaningOf("EXFULL"), "EXFULL")
  })
})
