/** igv.js in a real browser shows reads and variants of the gateway: pages of another origin, ranges, no redirect. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { gatewayGround } from "../../GatewayGround.ts"
import { root } from "../../Root.ts"
import { listening } from "../../servers/StrictService.ts"
import { startBrowser } from "../Browser.ts"
import { folder } from "../Ground.ts"
import { region } from "./Ground.ts"

const script = join(root, "node_modules/igv/dist/igv.min.js")
/** Where the picture goes that somebody wants to look at: GATEWAY_PICTURES=folder. */
const pictures = process.env["GATEWAY_PICTURES"]

const token = "of-the-browser-0123456789"

/** A page with igv.js, at an origin of its own; the browser is shown a window with reads and variants. */
const page = (
  gateway: string,
  locus: string
) => `<!doctype html><meta charset="utf-8"><title>igv</title><div id="igv"></div>
<script src="/igv.js"></script><script>
const url = (name) => "${gateway}/files/A1/" + name
igv.createBrowser(document.getElementById("igv"), {
  reference: { id: "sandbox", format: "chromsizes", fastaURL: "/sizes", wholeGenomeView: false },
  locus: "${locus}",
  tracks: [
    { name: "reads", type: "alignment", format: "bam", url: url("S1.bam"), indexURL: url("S1.bam.bai"), oauthToken: "${token}", height: 400 },
    { name: "variants", type: "variant", format: "vcf", url: url("S1.vcf.gz"), indexURL: url("S1.vcf.gz.tbi"), oauthToken: "${token}" }
  ]
}).then(async (browser) => {
  const [reads, variants] = ["reads", "variants"].map((name) => browser.findTracks("name", name)[0])
  const [chr, range] = "${locus}".split(":")
  const [start, end] = range.split("-").map(Number)
  const shown = await reads.getFeatures(chr, start, end, 1)
  const lines = await variants.getFeatures(chr, start, end, 1)
  window.seen = { reads: shown.allAlignments().length, variants: lines.length }
}).catch((error) => { window.seen = { error: String(error) } })
</script>`

describe("a genome browser at the gateway", () => {
  it.live(
    "igv.js shows reads and variants by their stable addresses with a token in the header, and asks the gateway alone",
    () =>
      Effect.gen(function* () {
        let gateway = ""
        const locus = `${region.name}:43090000-43094000`
        const server = createServer(({ url }, response) => {
          if (url === "/igv.js") response.setHeader("content-type", "text/javascript").end(readFileSync(script))
          else if (url === "/sizes") response.end("chr7\t159345973\nchr17\t83257441\n")
          else response.setHeader("content-type", "text/html").end(page(gateway, locus))
        })
        const origin = `http://127.0.0.1:${yield* listening(server)}`
        const tokens = join(yield* folder, "tokens")
        writeFileSync(tokens, `browser ${token} A1\n`, { mode: 0o600 })
        const ground = yield* gatewayGround(["--relay", "--allowOrigin", origin, "--tokenFile", tokens])
        gateway = ground.gateway.url
        const { visit } = yield* startBrowser
        const shown = yield* visit(`${origin}/`, { width: 1280, height: 900 })
        const seen = yield* shown
          .evaluate("JSON.stringify(window.seen ?? null)")
          .pipe(Effect.delay("50 millis"), Effect.repeat({ until: (text) => text !== "null" }))
        const { error, reads, variants } = JSON.parse(String(seen))
        assert.isUndefined(error)
        assert.isAbove(variants, 0)
        assert.isAbove(reads, 0)
        const kept = pictures ?? (yield* folder)
        mkdirSync(kept, { recursive: true })
        yield* shown.picture(join(kept, "igv.png"))
        assert.isTrue(existsSync(join(kept, "igv.png")))
        const files = shown.requests().filter((url) => url.includes("/files/"))
        assert.isTrue(
          files.length >= 4 && files.every((url) => url.startsWith(`${gateway}/files/A1/S1.`)),
          files.join("\n")
        )
      })
  )
})
