import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { digestOf, parseReaders } from "./Readers.ts"

const [one, two] = ["0123456789abcdef", "fedcba9876543210"]
const shown = (text: string) =>
  Result.match(parseReaders(text), {
    onFailure: (reason) => reason,
    onSuccess: ({ readers, tokens }) => [
      ...tokens.map((token) => `${readers.get(digestOf(token))?.name} ${token}`),
      ...[...readers.values()]
        .filter(({ digest }) => !tokens.some((token) => digestOf(token) === digest))
        .map(({ name }) => `${name} digest`)
    ]
  })

describe("the token file", () => {
  it("is one word, the token of all, or a line for each name", () => {
    assert.deepStrictEqual(shown(`${one}\n`), [`null ${one}`])
    assert.deepStrictEqual(shown(`# of the lab\n\nada ${one}\r\ngrace\t${two}  A1 LAB7-*\n`), [
      `ada ${one}`,
      `grace ${two}`
    ])
  })

  it("limits a name to ids and prefixes", () => {
    const [all, some] = [...Result.getOrThrow(parseReaders(`ada ${one}\ngrace ${two} A1 LAB7-*`)).readers.values()]
    const ids = ["A1", "A10", "a1", "LAB7-", "LAB7-9", "LAB70", "A1 LAB7-*", "LAB7-*x", ""]
    assert.deepStrictEqual(
      ids.filter((id) => all?.mayRead(id)),
      ids
    )
    assert.deepStrictEqual(
      ids.filter((id) => some?.mayRead(id)),
      ["A1", "LAB7-", "LAB7-9", "LAB7-*x"]
    )
  })

  it("has several tokens of one name, tokens as digests, rights, and ends", () => {
    const text = `ada ${one} may=read,change until=2026-12-31\nada sha256:${digestOf(two)} A1 may=restore`
    assert.deepStrictEqual(shown(text), [`ada ${one}`, "ada digest"])
    const [first, second] = [...Result.getOrThrow(parseReaders(text)).readers.values()]
    assert.deepStrictEqual([...(first?.may ?? [])], ["read", "change"])
    assert.strictEqual(first?.until, Date.parse("2027-01-01T00:00:00Z"))
    assert.deepStrictEqual([[...(second?.may ?? [])], second?.scopes, second?.until], [["restore"], ["A1"], null])
  })

  it("that cannot be meant says in which line, and no token", () => {
    const wrong: ReadonlyArray<readonly [string, string]> = [
      ["", "it holds no token"],
      ["# only words\n", "it holds no token"],
      ["short\n", "line 1: the token must be 16"],
      [`\nada short`, "line 2: the token of ada must be 16"],
      [`ada ${one}\n${two}`, "line 2: a name and a token are expected"],
      [`ada ${one}\nada sha256:${digestOf(one)}`, "line 2: the token of ada stands in line 1 already"],
      [`ada sha256:${digestOf(one).slice(1)}`, "line 1: the token of ada must be"],
      [`ada ${one} may=write`, "line 1: may= of ada takes read, restore and change"],
      [`ada ${one} may=`, "line 1: may= of ada takes"],
      [`ada ${one} may=read may=change`, "line 1: may= and until= of ada stand there once at most"],
      [`ada ${one} until=2026-02-30`, "line 1: until= of ada takes a date"],
      [`ada ${one} until=tomorrow`, "line 1: until= of ada takes a date"],
      [`ada ${one} unti=2026-02-03`, "line 1: after the token of ada"],
      [`ada ${one}\n\ngrace ${one}`, "line 3: the token of grace stands in line 1 already"],
      [`ada ${one} *`, "line 1: after the token of ada"],
      [`ada ${one} A*1`, "line 1: after the token of ada"],
      [`ada ${one} A1**`, "line 1: after the token of ada"],
      [`ada ${one} A1/S1.bam`, "line 1: after the token of ada"],
      [`a/da ${one}`, "line 1: the name must be"],
      [`ada ${one}+/=`, "line 1: the token of ada must be"]
    ]
    for (const [text, reason] of wrong) {
      const said = shown(text)
      assert.isTrue(typeof said === "string" && said.startsWith(reason), `${JSON.stringify(text)}: ${said}`)
      assert.notInclude(String(said), one)
    }
  })

  it.prop("is readers or a reason, whatever it holds", [Schema.String], ([text]) => {
    for (const each of [text, `ada ${one} ${text}`, `${text} ${one}`]) {
      const said = shown(each)
      assert.isTrue(said.length > 0)
    }
  })
})
