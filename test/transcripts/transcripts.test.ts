import { assert, describe, it } from "@effect/vitest"
import type { TestProject } from "vitest/node"
import begin from "../TestRun.ts"
import { words } from "../Words.ts"
import { named, pattern } from "./Patterns.ts"
import { parse, printed } from "./Transcript.ts"

describe("a transcript", () => {
  it.each([/.*/, /\S+/, /[^;]{1,99}/, /\d{2,}x/, /x?/, /\bexit \d\d/])(
    "has no pattern that fits everything: %s",
    (found) => {
      assert.throws(() => pattern("all", found), /^The pattern <all> .* is refused: /)
    }
  )

  it("has no pattern without a name, and takes one that is bounded", () => {
    assert.throws(() => pattern("", /x{3}/), /its name is not one word/)
    assert.deepStrictEqual(pattern("size", /\b\d{1,9} bytes/)[0], "size")
  })

  it("names what differs from run to run, and only that", () => {
    assert.strictEqual(
      named("2026-11-28T21:04:40.123Z http://127.0.0.1:8080/a in 0.2 s, 7 files", { url: "http://127.0.0.1:8080" }),
      "<time> <url>/a in <seconds> s, 7 files"
    )
  })

  it("is parted into what is run and what is expected, and what is expected never counts as a word to the reader", () => {
    const [head, first, second] = parse("# t\n\n## a\n$ x\n> y\n| 1\n|\n! e\nexit 3\n\nword\n## b\nsandbox {}\n$ z\n")
    assert.strictEqual(head, "# t\n\n")
    assert.deepStrictEqual(first?.items, ["## a", { line: "x\ny", written: ["$ x", "> y"] }, "", "word", ""])
    assert.deepStrictEqual([second?.title, second?.world], ["b", "{}"])
    const lines = printed({ exitCode: 3, stdout: "1\n\n", stderr: "e" })
    assert.deepStrictEqual(lines, ["| 1", "|", "! e", "no newline at the end", "exit 3"])
  })

  it("is not written anew in CI", () => {
    const before = process.env["CI"]
    process.env["CI"] = "true"
    try {
      const project = { config: { snapshotOptions: { updateSnapshot: "all" } } } as TestProject
      assert.throws(() => begin(project), /not written anew in CI/)
    } finally {
      if (before === undefined) delete process.env["CI"]
      else process.env["CI"] = before
    }
  })

  it("has words as a shell parts them", () => {
    assert.deepStrictEqual(words(`svc-api  get '' "L 9" -o=a'b c'`), ["svc-api", "get", "", "L 9", "-o=ab c"])
  })
})
