/** What one sees of the gateway's page in a browser, and does there. */
import { mkdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../../Executables.ts"
import { root } from "../../Root.ts"
import type { View, Visit } from "../Browser.ts"

export const token = "of-the-browser-0123456789"

/** Where pictures go that somebody wants to look at: GATEWAY_PICTURES=folder. */
const pictures = process.env["GATEWAY_PICTURES"]

export const keep = (visit: Visit, name: string) => {
  if (pictures === undefined) return Effect.void
  mkdirSync(pictures, { recursive: true })
  return visit.picture(join(pictures, `page-${name}.png`))
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

const axe = readFileSync(join(root, "node_modules/axe-core/axe.min.js"), "utf8")

/** Rules of accessibility that a state breaks, each with the elements. */
const barriers = `axe.run({ resultTypes: ["violations"] }).then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.slice(0, 5).map(({ html }) => html.slice(0, 200))]))`

/** What the page asked of anybody but its gateway. */
export const foreign = Effect.fnUntraced(function* (visit: Visit) {
  const own = `${yield* visit.evaluate("location.origin")}/`
  return visit.requests().filter((address) => !/^(?:data|blob):/.test(address) && !address.startsWith(own))
})

/** Looks at a state in every view, and keeps pictures of it. */
export const looked = Effect.fnUntraced(function* (visit: Visit, name: string) {
  yield* visit.evaluate(`${axe}; undefined`)
  for (const view of views) {
    yield* visit.look(view)
    const what = `${name}-${view.width}-${view.scheme ?? "light"}`
    assert.deepStrictEqual(yield* visit.evaluate(stickingOut), [], what)
    assert.deepStrictEqual(yield* visit.evaluate(barriers), [], what)
    yield* keep(visit, what)
  }
  assert.deepStrictEqual(yield* foreign(visit), [], name)
  yield* visit.look({ width: 1280 })
})

export const text = (visit: Visit) =>
  Effect.map(visit.evaluate("document.getElementById('main')?.innerText ?? ''"), (said) => String(said ?? ""))

export const shows = (visit: Visit, what: RegExp) =>
  until(
    `the page says ${what}`,
    Effect.map(text(visit), (said) => what.test(said))
  )

export const press = (visit: Visit, label: string) =>
  visit.evaluate(
    `[...document.querySelectorAll("button")].find((it) => (it.ariaLabel ?? it.textContent) === ${JSON.stringify(label)}).click()`
  )

export const enter = (visit: Visit, shown: string) =>
  visit.evaluate(
    `(() => { document.querySelector("input[type=password]").value = ${JSON.stringify(shown)}; document.querySelector("form button").click() })()`
  )

/** What the browser complained of, without what has to be: 401 before there is a token, igv.js that wants bases, and that we look at what it drew. */
export const complaints = (visit: Visit) =>
  visit.complaints().filter((text) => !/status of 401|No sequence for|willReadFrequently/.test(text))

/** How many dark pixels igv.js has drawn in each of its tracks. */
const drawn = `JSON.stringify([...document.querySelector("#igv").shadowRoot.querySelectorAll(".igv-track canvas, .igv-viewport canvas")].map((it) => {
  if (it.width === 0 || it.height === 0) return 0
  const { data } = it.getContext("2d").getImageData(0, 0, it.width, it.height)
  let dark = 0
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0 && data[at] + data[at + 1] + data[at + 2] < 700) dark++
  return dark
}))`

export const draws = (visit: Visit, tracks: number) =>
  until(
    `${tracks} tracks have something drawn`,
    Effect.map(
      visit.evaluate(`document.querySelector("#igv")?.shadowRoot === undefined ? "[]" : ${drawn}`),
      (text) => JSON.parse(String(text)).filter((dark: number) => dark > 30).length >= tracks
    )
  )
