import { spawnSync } from "node:child_process"
import { assert, it } from "@effect/vitest"
import { root } from "../Root.ts"

it("npm run crash gets as far as its options outside of vitest", { timeout: 300_000 }, () => {
  const program = `${root}test/durability/crash.ts`
  const { stderr } = spawnSync(process.execPath, [program, "--unknown"], { env: {}, encoding: "utf8" })
  assert.include(stderr, "Unknown option '--unknown'")
})
