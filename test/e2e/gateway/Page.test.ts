/** The gateway's page in a real browser: with a token, against a sandbox. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { until } from "../../Executables.ts"
import { gatewayGround } from "../../GatewayGround.ts"
import { startBrowser, type View, type Visit } from "../Browser.ts"
import { folder } from "../Ground.ts"

const token = "of-the-browser-0123456789"

/** Where pictures go that somebody wants to look at: GATEWAY_PICTURES=folder. */
const pictures = process.env["GATEWAY_PICTURES"]

const keep = (visit: Visit, name: string) => {
  if (pictures === undefined) return Effect.void
  mkdirSync(pictures, { recursive: true })
  return visit.picture(join(pictures, `page-${name}.png`))
}

class Ground extends Context.Service<
  Ground,
  { readonly browser: Effect.Success<typeof startBrowser>; readonly url: string }
>()("test/e2e/gateway/Page/Ground") {
  static readonly layer = Layer.effect(
    Ground,
    Effect.gen(function* () {
      const tokens = join(yield* folder, "tokens")
      writeFileSync(tokens, `browser ${token} A1 A2 A3 may=read,restore\n`, { mode: 0o600 })
      const { gateway } = yield* gatewayGround(["--redirect", "--tokenFile", tokens])
      return { browser: yield* startBrowser, url: gateway.url }
    })
  )
}

const views: ReadonlyArray<View> = [
  { width: 380, height: 740 },
  { width: 380, height: 740, scheme: "dark" },
  { width: 1280 },
  { width: 1280, scheme: "dark" }
]

/** Elements that end right of the window; what igv.js draws scrolls in its own frame. */
const stickingOut = `(() => {
  const width = document.documentElement.clientWidth
  const out = [...document.querySelectorAll("body *")].filter((it) => {
    const box = it.getBoundingClientRect()
    return box.width > 0 && (box.right > width + 2 || box.left < -2) && it.closest("thead") === null && it.closest("#igv *") === null
  })
  const sideways = document.documentElement.scrollWidth > width ? ["the page scrolls sideways"] : []
  return [...sideways, ...out.slice(0, 5).map((it) => it.outerHTML.slice(0, 200))]
})()`

/** Looks at a state in every view, and keeps pictures of it. */
const looked = Effect.fnUntraced(function* (visit: Visit, name: string) {
  for (const view of views) {
    yield* visit.look(view)
    const what = `${name}-${view.width}-${view.scheme ?? "light"}`
    assert.deepStrictEqual(yield* visit.evaluate(stickingOut), [], what)
    yield* keep(visit, what)
  }
  yield* visit.look({ width: 1280 })
})

const text = (visit: Visit) => Effect.map(visit.evaluate("document.getElementById('main')?.innerText ?? ''"), String)

const shows = (visit: Visit, what: RegExp) =>
  until(
    `the page says ${what}`,
    Effect.map(text(visit), (said) => what.test(said))
  )

const press = (visit: Visit, label: string) =>
  visit.evaluate(
    `[...document.querySelectorAll("button")].find((it) => (it.ariaLabel ?? it.textContent) === ${JSON.stringify(label)}).click()`
  )

const enter = (visit: Visit, shown: string) =>
  visit.evaluate(
    `(() => { document.querySelector("input[type=password]").value = ${JSON.stringify(shown)}; document.querySelector("form button").click() })()`
  )

layer(Ground.layer, { excludeTestServices: true, timeout: 300_000 })("the page of the gateway in Chromium", (it) => {
  it.effect("a token is typed once, and then a region of a BAM and of a VCF is seen", () =>
    Effect.gen(function* () {
      const { browser, url } = yield* Ground
      const visit = yield* browser.visit(`${url}/`, { width: 1280 })
      yield* shows(visit, /wants a token/)
      yield* looked(visit, "locked")
      yield* enter(visit, "a-wrong-token-0123456789")
      yield* shows(visit, /missing, wrong or over/)
      yield* looked(visit, "wrong-token")
      yield* enter(visit, token)
      yield* shows(visit, /A1/)
      yield* looked(visit, "analyses")
      yield* visit.evaluate("[...document.querySelectorAll('a')].find((it) => it.textContent === 'A1').click()")
      yield* shows(visit, /S1\.bam/)
      yield* looked(visit, "files")
      yield* press(visit, "Open S1.bam")
      yield* shows(visit, /samtools view/)
      yield* shows(visit, /Last changed/)
      yield* looked(visit, "file")
      yield* press(visit, "View here")
      yield* Effect.sleep("5 seconds")
      yield* looked(visit, "view")
      assert.fail(
        String(yield* text(visit)) + visit.complaints().join("\n").slice(0, 9000) + visit.requests().join("\n")
      )
      console.log(visit.complaints().join("\n").slice(0, 6000))
      console.log(visit.requests().join("\n"))
    })
  )
})
