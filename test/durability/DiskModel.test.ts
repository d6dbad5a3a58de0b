/** The simulated power cut against what is known of real ones: which way of writing leaves what. */
import { assert, describe, it } from "@effect/vitest"
import * as SeededRandom from "../../sandbox/samples/SeededRandom.ts"
import { DiskModel, type Operation } from "./DiskModel.ts"

const before = new Map([["a", Buffer.from("old.")]])

const operation = (name: string, more: Partial<Operation> = {}): Operation => ({
  ...{ number: 1, name, fd: 3, offset: 0, flags: 0, path: "", second: "", bytes: Buffer.alloc(0) },
  ...more
})
const create = (path: string) => operation("open", { path, flags: 0o100 })
const write = operation("write", { bytes: Buffer.from("new!") })
const sync = operation("sync")
const rename = operation("rename", { path: "b", second: "a" })
const syncFolder = [operation("open", { number: 0, fd: 4 }), operation("sync", { fd: 4 })]

/** What `a` may hold after the power was cut behind the last of these. */
const outcomes = (...operations: ReadonlyArray<Operation>): ReadonlyArray<string> => {
  const model = new DiskModel(before)
  for (const one of operations) model.apply(one)
  const texts = model.states(SeededRandom.make(1)).map(({ tree }) => tree.get("a")?.toString() ?? "nothing")
  return [...new Set(texts)].map((text) => text.replaceAll("\0", "0")).sort()
}

describe("P2 after a power cut", () => {
  for (const [name, operations, expected] of [
    ["a write in place is there or not, or half of it", [create("a"), write], ["0000", "ned.", "new!", "old."]],
    ["a synced write in place is there", [create("a"), write, sync], ["new!"]],
    ["a renamed file without a sync may be empty", [create("b"), write, rename], ["", "0000", "ne", "new!", "old."]],
    ["a synced file that was renamed is there or not", [create("b"), write, sync, rename], ["new!", "old."]],
    ["with the folder synced it is there", [create("b"), write, sync, rename, ...syncFolder], ["new!"]],
    [
      "a folder that was synced without the file leaves an empty final name",
      [create("b"), write, rename, ...syncFolder],
      ["", "0000", "ne", "new!"]
    ]
  ] as const) {
    it(name, () => assert.deepStrictEqual(outcomes(...operations), [...expected].sort()))
  }

  it("names that were not synced are there in any combination, and a rename is never half done", () => {
    const model = new DiskModel(new Map())
    for (const one of [create("b"), sync, operation("link", { path: "b", second: "c" }), rename]) model.apply(one)
    const names = new Set(model.states(SeededRandom.make(1)).map(({ tree }) => [...tree.keys()].sort().join("")))
    assert.deepStrictEqual([...names].sort(), ["", "a", "ac", "b", "bc", "c"])
  })

  it("a file under two names stays one file", () => {
    const model = new DiskModel(before)
    for (const one of [operation("link", { path: "a", second: "c" }), ...syncFolder]) model.apply(one)
    assert.deepStrictEqual(
      model.states(SeededRandom.make(1)).map(({ linked }) => linked),
      [[["a", "c"]]]
    )
  })
})
