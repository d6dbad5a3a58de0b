import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { escapeMarkup, Markup, markup, shorten } from "./Markup.ts"

/** What a browser reads out of escaped text. */
const read = (text: string) =>
  text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&#96;", "`")
    .replaceAll("&amp;", "&")

describe("markup", () => {
  it("escapes values and nothing else", () => {
    const inner = markup`<b>${"<i>"}</b>`
    assert.strictEqual(
      markup`<p title="${'"'}">${inner}${[1, null, "&", new Markup("<hr>")]}</p>`.text,
      '<p title="&quot;"><b>&lt;i&gt;</b>1&amp;<hr></p>'
    )
  })

  it.prop("Y4 no text opens a tag, ends an attribute or begins an entity", [Schema.String], ([text]) => {
    const safe = escapeMarkup(`${text}<script>&amp;"'`)
    assert.notMatch(safe, /[<>"'`]/)
    for (const [entity] of safe.matchAll(/&[^;]*;?/g))
      assert.include(["&amp;", "&lt;", "&gt;", "&quot;", "&#39;", "&#96;"], entity)
    assert.notMatch(safe, /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u)
    assert.isTrue(read(safe).endsWith(`<script>&amp;"'`))
  })

  it.prop(
    "shortened text keeps its end, is never longer, and short text stays",
    [Schema.String, Schema.Int],
    ([text, n]) => {
      const most = 3 + Math.abs(n % 50)
      const short = shorten(text, most)
      assert.isAtMost([...short].length, most)
      if ([...text].length <= most) assert.strictEqual(short, text)
      else assert.isTrue(text.endsWith(short.slice(short.indexOf("…") + 1)) || text.includes("…"))
    }
  )
})
