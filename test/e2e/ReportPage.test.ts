/** Report pages in a real browser: nothing is loaded, nothing complains, nothing sticks out, on any screen and on paper. */
import { execFileSync } from "node:child_process"
import { createHash } from "node:crypto"
import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { reportPage } from "../../core/src/report/Page.ts"
import type { ReportDocument } from "../../core/src/report/Report.ts"
import { startSandbox } from "../Executables.ts"
import { empty, hostile, many, night, requested, thousands } from "../report/Documents.ts"
import { listening } from "../servers/StrictService.ts"
import { startBrowser, type View, type Visit } from "./Browser.ts"
import { download } from "./Download.ts"
import { folder } from "./Ground.ts"

class Browser extends Context.Service<Browser, Effect.Success<typeof startBrowser>>()("test/e2e/Browser") {
  static readonly layer = Layer.effect(Browser, startBrowser)
}

const pageOf = (report: ReportDocument) =>
  reportPage(report, (text) => createHash("sha256").update(text).digest("base64"))

/** Serves `page` at every path; what is asked for is remembered, whatever the browser says. */
const served = Effect.fnUntraced(function* (page: string) {
  const asked: Array<string> = []
  const server = createServer(({ url = "" }, response) => {
    asked.push(url)
    response.setHeader("content-type", "text/html; charset=utf-8").end(page)
  })
  return { asked, url: `http://127.0.0.1:${yield* listening(server)}/` }
})

/** Elements that end right of the window, and whether the page scrolls sideways. */
const stickingOut = `(() => {
  const width = document.documentElement.clientWidth
  const out = [...document.querySelectorAll("body *")].filter((it) => {
    const box = it.getBoundingClientRect()
    return box.width > 0 && (box.right > width + 2 || box.left < -2) && it.closest("thead") === null
  })
  const sideways = document.documentElement.scrollWidth > width ? ["the page scrolls sideways"] : []
  return [...sideways, ...out.slice(0, 5).map((it) => it.outerHTML.slice(0, 200))]
})()`

const views: ReadonlyArray<View> = [
  { width: 360, height: 740 },
  { width: 360, height: 740, scheme: "dark" },
  { width: 1280 },
  { width: 1280, scheme: "dark" },
  { width: 720, height: 1000, media: "print", scheme: "dark" }
]

const colors =
  "JSON.stringify([getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color])"

/** Where pictures go that somebody wants to look at: REPORT_PICTURES=folder. */
const pictures = process.env["REPORT_PICTURES"]

const keep = (visit: Visit, name: string) => {
  if (pictures === undefined) return Effect.void
  mkdirSync(pictures, { recursive: true })
  return visit.picture(join(pictures, `${name}.png`))
}

layer(Browser.layer, { excludeTestServices: true, timeout: 300_000 })("a report page in Chromium", (it) => {
  for (const [name, report] of Object.entries({ night, hostile, empty, requested })) {
    it.effect(`${name}: no complaint, no request, nothing sticks out at 360 and 1280 pixels, dark and printed`, () =>
      Effect.gen(function* () {
        const browser = yield* Browser
        const { asked, url } = yield* served(pageOf(report()))
        const visit = yield* browser.visit(url, views[0] ?? { width: 360 })
        const seen: Array<unknown> = []
        for (const view of views) {
          yield* visit.look(view)
          const what = `${name}-${view.width}-${view.media ?? "screen"}-${view.scheme ?? "light"}`
          assert.deepStrictEqual(yield* visit.evaluate(stickingOut), [], what)
          seen.push(yield* visit.evaluate(colors))
          yield* keep(visit, what)
        }
        const [light, dark, , , paper] = seen
        assert.notStrictEqual(light, dark)
        assert.strictEqual(paper, light, "paper is white in dark mode too")
        assert.deepStrictEqual(visit.complaints(), [])
        assert.deepStrictEqual(asked, ["/"])
        assert.deepStrictEqual(
          visit.requests().filter((address) => !address.startsWith("data:")),
          [url]
        )
        assert.strictEqual(yield* visit.evaluate("typeof window.pwned"), "undefined")
      })
    )
  }

  it.effect("printed, 206 files are at most 8 pages, and each page of the table has its headings", () =>
    Effect.gen(function* () {
      const browser = yield* Browser
      const { url } = yield* served(pageOf(many()))
      const visit = yield* browser.visit(url, { width: 1280, media: "print" })
      const file = join(yield* folder, "report.pdf")
      yield* visit.print(file)
      const text = execFileSync("pdftotext", ["-layout", file, "-"], { encoding: "utf8" })
      const pages = text.split("\f").filter((page) => page.trim() !== "")
      assert.isAtMost(pages.length, 8)
      const begins = pages.findIndex((page) => /^Files$/m.test(page))
      for (const page of pages.slice(begins))
        if (page.includes("SAMPLE")) assert.match(page, /Status +File +Size +SHA-256 +Regions/)
      assert.notMatch(text, /[0-9a-f]{20}/, "checksums are short on paper")
    })
  )

  it.effect("without a script everything is there; with it rows can be sorted and filtered", () =>
    Effect.gen(function* () {
      const browser = yield* Browser
      const { url } = yield* served(pageOf(night()))
      const shown = "document.querySelectorAll('tbody tr:not([hidden])').length"
      const plain = yield* browser.visit(url, { width: 1280, script: false })
      assert.strictEqual(yield* plain.evaluate(shown), 10)
      assert.strictEqual(yield* plain.evaluate("document.querySelectorAll('button, input').length"), 0)
      const visit = yield* browser.visit(url, { width: 1280 })
      const first = "document.querySelector('tbody .name').textContent"
      const click = (column: number) => visit.evaluate(`document.querySelectorAll("thead button")[${column}].click()`)
      assert.strictEqual(yield* visit.evaluate(first), "mother.vcf.gz")
      yield* click(2)
      yield* click(2)
      assert.strictEqual(yield* visit.evaluate("document.querySelector('[aria-sort]').ariaSort"), "descending")
      assert.strictEqual(yield* visit.evaluate(first), "grandfather.archived.bam")
      yield* click(1)
      assert.strictEqual(yield* visit.evaluate(first), "child.vcf.gz")
      const search = (text: string) =>
        visit.evaluate(
          `(() => { const it = document.querySelector("input"); it.value = ${JSON.stringify(text)}; it.dispatchEvent(new Event("input")) })()`
        )
      yield* search("chr17")
      assert.strictEqual(yield* visit.evaluate(shown), 1)
      yield* search("")
      yield* visit.evaluate(
        `(() => { const it = document.querySelector("select"); it.value = "Being restored"; it.dispatchEvent(new Event("change")) })()`
      )
      assert.strictEqual(yield* visit.evaluate(shown), 2)
      assert.strictEqual(yield* visit.evaluate("document.querySelector('output').textContent"), "2 of 10")
      assert.deepStrictEqual(visit.complaints(), [])
    })
  )

  it.effect("pictures have a title and a description, the table its headings, and every control a name", () =>
    Effect.gen(function* () {
      const browser = yield* Browser
      const { url } = yield* served(pageOf(night()))
      const visit = yield* browser.visit(url, { width: 1280 })
      const nameless = `[...document.querySelectorAll("svg")].filter((it) => !it.closest("[aria-hidden=true]") && it.parentElement.closest("svg") === null
        && (it.getAttribute("role") !== "img" || it.getAttribute("aria-labelledby").split(" ").some((id) => !document.getElementById(id)?.textContent))).length`
      assert.strictEqual(yield* visit.evaluate(nameless), 0)
      assert.isAbove(Number(yield* visit.evaluate("document.querySelectorAll('svg[role=img]').length")), 0)
      assert.strictEqual(yield* visit.evaluate("document.querySelectorAll('thead th[scope=col]').length"), 7)
      assert.strictEqual(yield* visit.evaluate("document.querySelectorAll('tbody th[scope=row]').length"), 10)
      assert.strictEqual(
        yield* visit.evaluate("[...document.querySelectorAll('input, select')].filter((it) => !it.ariaLabel).length"),
        0
      )
      assert.strictEqual(yield* visit.evaluate("document.documentElement.lang"), "en")
    })
  )

  it.effect("P11 ten thousand files can be filtered while one looks", () =>
    Effect.gen(function* () {
      const browser = yield* Browser
      const { url } = yield* served(pageOf(thousands(10_000)))
      const visit = yield* browser.visit(url, { width: 1280 })
      assert.deepStrictEqual(yield* visit.evaluate(stickingOut), [])
      const filter = `(() => { const it = document.querySelector("input"); it.value = "sample-00399"; it.dispatchEvent(new Event("input"))
        return document.querySelectorAll("tbody tr:not([hidden])").length })()`
      assert.strictEqual(yield* visit.evaluate(filter), 1)
      yield* visit.look({ width: 360 })
      assert.deepStrictEqual(yield* visit.evaluate(stickingOut), [])
      assert.deepStrictEqual(visit.complaints(), [])
    })
  )

  it.effect("the page that svc-download wrote opens from the disk", () =>
    Effect.gen(function* () {
      const browser = yield* Browser
      const sandbox = yield* startSandbox()
      const out = yield* folder
      const file = join(out, "report.html")
      const args = ["-a", "A1,A2", "-d", out, "--restoreArchived", "force", "--restorationFile", join(out, "r.json")]
      const { exitCode, stderr } = yield* download(sandbox, sandbox.url, [...args, "--reportfile", file])
      assert.include([0, 75], exitCode, stderr)
      const text = readFileSync(file, "utf8")
      for (const secret of [sandbox.password, new URL(sandbox.linkHost).host]) assert.notInclude(text, secret)
      const visit = yield* browser.visit(pathToFileURL(file).href, { width: 1280 })
      assert.match(String(yield* visit.evaluate("document.title")), /^\d+ downloaded/)
      assert.deepStrictEqual(visit.complaints(), [])
      assert.deepStrictEqual(yield* visit.evaluate(stickingOut), [])
      yield* keep(visit, "real-1280")
      if (pictures !== undefined) writeFileSync(join(pictures, "real.html"), text)
    })
  )
})
