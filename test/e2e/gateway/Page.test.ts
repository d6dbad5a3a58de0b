/** The gateway's page in a real browser: with a token, against a sandbox. */
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { runCommand, until } from "../../Executables.ts"
import { gatewayGround } from "../../GatewayGround.ts"
import { root } from "../../Root.ts"
import { startBrowser } from "../Browser.ts"
import { folder } from "../Ground.ts"
import { tool } from "./Ground.ts"
import { complaints, draws, enter, looked, press, shows, text, token } from "./PageView.ts"

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
    { id: "A6", files: Array.from({ length: 5000 }, (_, i) => ({ name: `S${i}.txt`, base64: "" })) },
    ...Array.from({ length: 12 }, (_, i) => ({ id: `LAB7-${i}` }))
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

/** Opens a page of the gateway in a tab that has the token. */
const inside = Effect.fnUntraced(function* (path: string) {
  const { browser, url } = yield* Ground
  const visit = yield* browser.visit(`${url}${path}`, { width: 1280 })
  yield* shows(visit, /wants a token/)
  yield* enter(visit, token)
  return visit
})

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
      yield* visit.evaluate(
        `(() => { const it = document.activeElement; it.value = " A1 "; it.form.requestSubmit() })()`
      )
      yield* shows(visit, /S1\.bam/)
      assert.strictEqual(yield* visit.evaluate("document.activeElement.tagName"), "H1")
      yield* looked(visit, "files")
      yield* press(visit, "Details of S1.bam")
      yield* shows(visit, /samtools view/)
      yield* shows(visit, /Last changed: \w+, \d+ \w+ \d{4} [\d:]+ GMT\./)
      yield* looked(visit, "file")
      // Impatiently.
      for (let times = 0; times < 3; times++) yield* press(visit, "View S1.bam")
      yield* draws(visit, 2)
      yield* until(
        "one can go on with a gene",
        Effect.map(visit.evaluate("document.activeElement === document.querySelector('#view input')"), Boolean)
      )
      const labels = yield* visit.evaluate(
        `[...document.querySelector("#igv").shadowRoot.querySelectorAll(".igv-track-label")].map((it) => it.textContent)`
      )
      assert.deepStrictEqual(labels, ["S1.bam"])
      yield* press(visit, "View S1.vcf.gz")
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
      assert.lengthOf(
        asked.filter((address) => address.endsWith("/sequences")),
        1
      )
      yield* visit.evaluate("history.go(-2)")
      yield* until(
        "the view is gone",
        Effect.map(visit.evaluate("document.querySelector('#igv') === null && location.hash"), (hash) => hash === "")
      )
      yield* shows(visit, /S1\.bam/)
      yield* press(visit, "Forget the token")
      yield* shows(visit, /wants a token/)
    })
  )

  it.effect("a token in the address is in nothing that one copies", () =>
    Effect.gen(function* () {
      const { browser, url } = yield* Ground
      const visit = yield* browser.visit(`${url}/t/${token}/files/A1/`, { width: 1280 })
      yield* press(visit, "Details of S1.bam")
      const said = yield* text(visit)
      assert.notInclude(said, token)
      assert.include(said, `${url}/files/A1/S1.bam`)
      assert.include(said, `"${url}/t/$TOKEN/files/A1/S1.bam"`)
      yield* press(visit, "View S1.bam")
      yield* draws(visit, 2)
      assert.deepStrictEqual(complaints(visit), [])
    })
  )

  it.effect("a file that could not be loaded can be opened again, and so can one that was taken out", () =>
    Effect.gen(function* () {
      const { browser, url } = yield* Ground
      const visit = yield* browser.visit(`${url}/t/${token}/files/A1/`, { width: 1280 })
      const asked = () => visit.requests().filter((address) => address.endsWith("/files/A1/S1.bam.bai")).length
      // Not what the page asks: what igv.js asks.
      yield* visit.evaluate(
        `(() => { const { open } = XMLHttpRequest.prototype; window.mend = () => { XMLHttpRequest.prototype.open = open }; XMLHttpRequest.prototype.open = function (method, url) { return open.call(this, method, String(url).replace("/files/A1/", "/files/A99/")) } })()`
      )
      yield* press(visit, "View S1.bam")
      // Reads are asked for when they are drawn, variants' header before.
      yield* shows(visit, /Track S1\.bam was not found/)
      assert.notInclude(yield* text(visit), token)
      yield* press(visit, "View S1.vcf.gz")
      yield* shows(visit, /S1\.vcf\.gz cannot be shown: its header or index cannot be read/)
      assert.strictEqual(asked(), 0)
      yield* visit.evaluate("window.mend()")
      yield* press(visit, "View S1.bam")
      yield* until(
        "the reads are asked for again",
        Effect.sync(() => asked() > 0)
      )
      yield* press(visit, "View S1.vcf.gz")
      yield* draws(visit, 3)
    })
  )

  it.effect("what cannot be shown says why: no index, no BAM, not this reader's, names that mean harm", () =>
    Effect.gen(function* () {
      const visit = yield* inside("/files/A5/")
      yield* shows(visit, /alone\.bam/)
      yield* press(visit, "Details of alone.bam")
      yield* shows(visit, /alone\.bam has no index here/)
      yield* press(visit, "View torn.bam")
      yield* shows(visit, /torn\.bam cannot be shown: torn\.bam: not a BGZF file/)
      yield* looked(visit, "not-shown")
      yield* press(visit, "View <script>window.pwned=1</script>.bam")
      yield* draws(visit, 2)
      yield* looked(visit, "harm")
      assert.strictEqual(yield* visit.evaluate("typeof window.pwned"), "undefined")
      assert.deepStrictEqual(
        complaints(visit).filter((text) => !/status of 5\d\d/.test(text)),
        []
      )
      const foreign = yield* inside("/files/A2/")
      yield* shows(foreign, /Analysis A2: not found, or not for this reader\./)
      yield* looked(foreign, "not-found")
    })
  )

  it.effect("an archived file is asked for after a question, and the page says what becomes of it", () =>
    Effect.gen(function* () {
      const visit = yield* inside("/files/A3/#100%")
      yield* shows(visit, /100% cannot be shown: this analysis has no such file/)
      yield* shows(visit, /In the archive/)
      const name = String(yield* visit.evaluate("document.querySelector('tr[data-archived] th').textContent"))
      yield* press(visit, `Details of ${name}`)
      yield* shows(visit, /cannot be read until it is restored/)
      yield* looked(visit, "archived")
      yield* visit.evaluate("document.querySelector('.panel summary').click()")
      yield* shows(visit, /All archived files of A3 come back, within hours\. This costs money\./)
      yield* looked(visit, "question")
      yield* press(visit, "Yes, restore them")
      yield* shows(visit, /Asked for\. It is expected \d{4}/)
      yield* looked(visit, "restoring")
      yield* press(visit, `Details of ${name}`)
      yield* press(visit, `Details of ${name}`)
      yield* shows(visit, /on its way back/)
      assert.deepStrictEqual(complaints(visit), [])
    })
  )

  it.effect("what is typed, read or drawn leaves the house by no address that igv.js knows", () =>
    Effect.gen(function* () {
      const visit = yield* inside("/files/A1/#S1.bam")
      yield* draws(visit, 2)
      const script = readFileSync(join(root, "node_modules/igv/dist/igv.esm.min.js"), "utf8")
      const addresses = new Set(script.match(/https?:\/\/[\w.-]+\.\w+(?:\/[\w./-]*)?/g))
      assert.isAbove(addresses.size, 50)
      const refused = yield* visit.evaluate(`(async () => {
        const refused = []
        addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) => refused.push(effectiveDirective + " " + blockedURI))
        for (const address of ${JSON.stringify([...addresses])}) {
          await fetch(address).catch(() => null)
          const request = new XMLHttpRequest()
          request.open("POST", address)
          await new Promise((done) => { request.onloadend = done; request.send("BRCA1") })
        }
        navigator.sendBeacon("https://igv.org/", "BRCA1")
        const image = new Image()
        await new Promise((done) => { image.onerror = done; image.src = "https://igv.org/BRCA1" })
        return [refused.filter((each) => each.startsWith("connect-src")).length, refused.filter((each) => each.startsWith("img-src")).length]
      })()`)
      assert.deepStrictEqual(refused, [2 * addresses.size + 1, 1])
    })
  )

  it.effect("all analyses that the token is for are listed, and all of 5,000 files", () =>
    Effect.gen(function* () {
      const visit = yield* inside("/files/")
      yield* shows(visit, /LAB7-3/)
      assert.notMatch(yield* text(visit), /\bA2\b/)
      yield* looked(visit, "listed")
      const many = yield* inside("/files/A6/")
      yield* shows(many, /5000 files/)
      yield* press(many, "Details of S4999.txt")
      yield* shows(many, /curl -fL .* -o S4999\.txt/)
      assert.deepStrictEqual([...complaints(visit), ...complaints(many)], [])
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
