/** The gateway's page in a real browser: with a token, against a sandbox. */
import { mkdirSync, readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { runCommand, until } from "../../Executables.ts"
import { gatewayGround } from "../../GatewayGround.ts"
import { startBrowser, type View, type Visit } from "../Browser.ts"
import { folder } from "../Ground.ts"
import { tool } from "./Ground.ts"

const token = "of-the-browser-0123456789"

/** Where pictures go that somebody wants to look at: GATEWAY_PICTURES=folder. */
const pictures = process.env["GATEWAY_PICTURES"]

const keep = (visit: Visit, name: string) => {
  if (pictures === undefined) return Effect.void
  mkdirSync(pictures, { recursive: true })
  return visit.picture(join(pictures, `page-${name}.png`))
}

/** Names that mean harm, a BAM without index, and more files than fit on a screen. */
const world = {
  analyses: [
    {
      id: "A5",
      files: [
        { name: "alone.bam", copyOf: "A1/S1.bam" },
        { name: "<script>window.pwned=1</script>.bam", copyOf: "A1/S1.bam" },
        { name: "<script>window.pwned=1</script>.bam.bai", copyOf: "A1/S1.bam.bai" },
        { name: "torn.bam", base64: Buffer.from("no BAM at all").toString("base64") },
        { name: "torn.bam.bai", copyOf: "A1/S1.bam.bai" }
      ]
    },
    { id: "A6", files: Array.from({ length: 5000 }, (_, i) => ({ name: `S${i}.txt`, base64: "" })) }
  ]
}

class Ground extends Context.Service<
  Ground,
  { readonly browser: Effect.Success<typeof startBrowser>; readonly url: string }
>()("test/e2e/gateway/Page/Ground") {
  static readonly layer = Layer.effect(
    Ground,
    Effect.gen(function* () {
      const place = yield* folder
      const [tokens, worldFile] = [join(place, "tokens"), join(place, "world.json")]
      writeFileSync(tokens, `browser ${token} A1 A3 A5 A6 LAB7-* may=read,restore\n`, { mode: 0o600 })
      writeFileSync(worldFile, JSON.stringify(world))
      // By redirect: link hosts let no page read, so the page's own reads have to be relayed.
      const { gateway } = yield* gatewayGround(["--redirect", "--tokenFile", tokens], ["--world", worldFile])
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

/** Opens a page of the gateway in a tab that has the token. */
const inside = Effect.fnUntraced(function* (path: string) {
  const { browser, url } = yield* Ground
  const visit = yield* browser.visit(`${url}${path}`, { width: 1280 })
  yield* shows(visit, /wants a token/)
  yield* enter(visit, token)
  return visit
})

/** What the browser complained of, without what has to be: 401 before there is a token, igv.js that wants bases, and that we look at what it drew. */
const complaints = (visit: Visit) =>
  visit.complaints().filter((text) => !/status of 401|No sequence for|willReadFrequently/.test(text))

/** How many dark pixels igv.js has drawn in each of its tracks. */
const drawn = `JSON.stringify([...document.querySelector("#igv").shadowRoot.querySelectorAll(".igv-track canvas, .igv-viewport canvas")].map((it) => {
  if (it.width === 0 || it.height === 0) return 0
  const { data } = it.getContext("2d").getImageData(0, 0, it.width, it.height)
  let dark = 0
  for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0 && data[at] + data[at + 1] + data[at + 2] < 700) dark++
  return dark
}))`

const draws = (visit: Visit, tracks: number) =>
  until(
    `${tracks} tracks have something drawn`,
    Effect.map(
      visit.evaluate(`document.querySelector("#igv")?.shadowRoot === undefined ? "[]" : ${drawn}`),
      (text) => JSON.parse(String(text)).filter((dark: number) => dark > 30).length >= tracks
    )
  )

layer(Ground.layer, { excludeTestServices: true, timeout: 300_000 })("the page of the gateway in Chromium", (it) => {
  it.effect("a token is typed once, and a region of a BAM and of a VCF is seen, asked of the gateway alone", () =>
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
      yield* draws(visit, 2)
      yield* press(visit, "Close S1.bam")
      yield* press(visit, "Open S1.vcf.gz")
      yield* press(visit, "View here")
      yield* until(
        "the variants are asked for",
        Effect.sync(() => visit.requests().some((address) => address.endsWith("/S1.vcf.gz.tbi")))
      )
      yield* visit.evaluate(
        `(() => { const it = document.querySelector("#view input"); it.value = "chr17:43090000-43094000"; it.form.requestSubmit() })()`
      )
      yield* draws(visit, 3)
      yield* looked(visit, "view")
      assert.deepStrictEqual(complaints(visit), [])
      const asked = visit.requests().filter((address) => !address.startsWith("data:"))
      assert.deepStrictEqual(
        asked.filter((address) => !address.startsWith(`${url}/`) || address.includes(token)),
        []
      )
      yield* press(visit, "Close the view")
      yield* press(visit, "Forget the token")
      yield* shows(visit, /wants a token/)
    })
  )

  it.effect("what cannot be shown says why: no index, no BAM, not this reader's, names that mean harm", () =>
    Effect.gen(function* () {
      const visit = yield* inside("/files/A5/")
      yield* shows(visit, /alone\.bam/)
      yield* press(visit, "Open alone.bam")
      yield* shows(visit, /alone\.bam has no index here/)
      yield* press(visit, "Open torn.bam")
      yield* press(visit, "View here")
      yield* shows(visit, /torn\.bam cannot be shown: torn\.bam: not a BGZF file/)
      yield* looked(visit, "not-shown")
      yield* press(visit, "Close torn.bam")
      yield* press(visit, "Open <script>window.pwned=1</script>.bam")
      yield* press(visit, "View here")
      yield* draws(visit, 2)
      yield* looked(visit, "harm")
      assert.strictEqual(yield* visit.evaluate("typeof window.pwned"), "undefined")
      assert.deepStrictEqual(
        complaints(visit).filter((text) => !/status of 5\d\d/.test(text)),
        []
      )
      const foreign = yield* inside("/files/A2/")
      yield* shows(foreign, /does not exist|not found/i)
      yield* looked(foreign, "not-found")
    })
  )

  it.effect("an archived file is asked for after a question, and the page says what becomes of it", () =>
    Effect.gen(function* () {
      const visit = yield* inside("/files/A3/")
      yield* shows(visit, /In the archive/)
      const name = String(yield* visit.evaluate("document.querySelector('tr[data-archived] th').textContent"))
      yield* press(visit, `Open ${name}`)
      yield* shows(visit, /cannot be read until it is restored/)
      yield* looked(visit, "archived")
      yield* press(visit, "Ask for restoration")
      assert.match(String(yield* visit.evaluate("document.querySelector('dialog').innerText")), /costs money/)
      yield* keep(visit, "question-1280-light")
      yield* press(visit, "No")
      assert.strictEqual(yield* visit.evaluate("document.querySelector('dialog')"), null)
      yield* shows(visit, /In the archive/)
      yield* press(visit, "Ask for restoration")
      yield* press(visit, "Yes, restore them")
      yield* shows(visit, /Asked for\. It is expected \d{4}/)
      yield* looked(visit, "restoring")
      assert.deepStrictEqual(complaints(visit), [])
    })
  )

  it.effect("5,000 files can be searched while one looks, and an address leads to one of them", () =>
    Effect.gen(function* () {
      const visit = yield* inside("/files/A6/#S4999.txt")
      yield* shows(visit, /5000 files/)
      yield* shows(visit, /curl -fL .* -o S4999\.txt/)
      yield* visit.evaluate(
        `(() => { const it = document.querySelector("input[type=search]"); it.value = "s123"; it.dispatchEvent(new Event("input")) })()`
      )
      yield* shows(visit, /11 of 5000/)
      yield* looked(visit, "many")
      assert.deepStrictEqual(complaints(visit), [])
    })
  )

  it.effect("without a script it is a list, which wget -r takes whole", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const tokens = join(cwd, "tokens")
      writeFileSync(tokens, token, { mode: 0o600 })
      const { url } = (yield* gatewayGround(["--tokenFile", tokens])).gateway
      const args = ["-r", "-np", "-nH", "-q", "-e", "robots=off", `--header=Authorization: Bearer ${token}`]
      yield* tool("wget", [...args, `${url}/files/A1/`], { cwd })
      const got = readdirSync(join(cwd, "files/A1")).toSorted()
      assert.deepStrictEqual(got, ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi", "index.html"])
      assert.strictEqual(yield* tool("samtools", ["quickcheck", join(cwd, "files/A1/S1.bam")]), "")
      const locked = yield* runCommand("wget", ["-r", "-q", `${url}/files/A1/`], { cwd: yield* folder })
      assert.strictEqual(locked.exitCode, 6)
    })
  )
})
