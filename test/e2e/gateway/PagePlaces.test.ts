/** Where the view of the gateway's page is, in a real browser: its one field, the address, genes, and going back. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { until } from "../../Executables.ts"
import { gatewayGround } from "../../GatewayGround.ts"
import { startBrowser, type Visit } from "../Browser.ts"
import { folder } from "../Ground.ts"
import { complaints, draws, keep, looked, press, shows, text, token } from "./PageView.ts"

const genes = `##gff-version 3
chr17\tlab\tgene\t43090001\t43095000\t.\t-\t.\tID=g1;Name=BRCA1
chr17\tlab\texon\t43090001\t43090100\t.\t-\t.\tID=e1;Parent=g1;Name=exon1
chr13\tlab\tgene\t32332001\t32338000\t.\t+\t.\tID=g2;Name=BRCA2
chrX\tlab\tgene\t31119001\t31129000\t.\t-\t.\tID=g3;Name=TWICE
chrY\tlab\tgene\t1001\t2000\t.\t-\t.\tID=g4;Name=TWICE
17\tlab\tgene\t1\t2000\t.\t-\t.\tID=g5;Name=ELSEWHERE
chr17\tlab\tgene\t43090001\t43090200\t.\t-\t.\tID=g6;Name=%3Cscript%3Ewindow.pwned=1%3C/script%3E
`

const harm = "<script>window.pwned=1</script>"

const literally = (text: string) => text.replaceAll(/[$()*+.?[\\\]^{|}]/g, "\\$&")

const go = (visit: Visit, text: string) =>
  visit.evaluate(
    `(() => { const it = document.querySelector("#view input"); it.value = ${JSON.stringify(text)}; it.form.requestSubmit() })()`
  )

/** Field, and the place of the address, as they are in the end. */
const is = (visit: Visit, field: RegExp, locus = field) =>
  until(
    `the view is at ${field}`,
    Effect.map(
      visit.evaluate(
        "[document.querySelector('#view input')?.value ?? '', decodeURIComponent(location.hash.split('locus=')[1] ?? '')]"
      ),
      (now) => {
        const [shown = "", told = ""] = (now ?? []) as ReadonlyArray<string>
        return field.test(shown) && locus.test(told)
      }
    )
  )

const entries = (visit: Visit) => Effect.map(visit.evaluate("history.length"), Number)

describe("places in Chromium", () => {
  it.live(
    "one field takes a region or a gene, what it cannot take is said, and the browser goes back and forward",
    () =>
      Effect.gen(function* () {
        const browser = yield* startBrowser
        const file = join(yield* folder, "genes.gff3")
        writeFileSync(file, genes)
        const { gateway } = yield* gatewayGround(["--genes", file])
        const visit = yield* browser.visit(`${gateway.url}/files/A1/#S1.bam&locus=chr17:43090000-43094000`, {
          width: 1280
        })
        yield* is(visit, /^chr17:43090000-4309400\d$/)
        yield* draws(visit, 3)
        yield* looked(visit, "locus")
        const begun = yield* entries(visit)
        assert.strictEqual(
          yield* visit.evaluate(`document.querySelector("#igv").shadowRoot.querySelector(".igv-search-container")`),
          null
        )

        yield* go(visit, "brca1")
        yield* is(visit, /^chr17:43090001-4309500\d$/)
        assert.strictEqual(yield* entries(visit), begun + 1)
        yield* looked(visit, "gene")
        for (const [written, told] of [
          ["chr99", /No reference sequence “chr99” here: there are chr1, chr2, chr3 and \d+ more\./],
          ["nonsense:1-2", /No reference sequence “nonsense” here/],
          ["17:43044295-43045000", /No reference sequence “17” here: this file has chr17\./],
          ["chr17:999999999", /chr17 ends at 83,257,441\./],
          ["chr17:2-1", /ends before it begins/],
          ["chr17:1-2-3", /“chr17:1-2-3” is not understood: a place is a region such as chr1:\d+-\d+, or a gene/],
          ["BRCA", /No gene “BRCA” here: it is not among this gateway's genes, which are found by their exact names\./],
          ["ELSEWHERE", /ELSEWHERE is at 17:1-2000 by this gateway's genes\. No reference sequence “17” here/],
          [`${harm}:1-2`, /No reference sequence “<script>/]
        ] as const) {
          yield* go(visit, written)
          yield* shows(visit, new RegExp(`${told.source}.* Still shown: chr17 from 43,090,001\\.`))
          yield* is(visit, new RegExp(`^${literally(written)}$`), /^chr17:43090001-/)
        }
        yield* looked(visit, "not-understood")
        yield* go(visit, "Twice")
        yield* shows(visit, /Twice is at 2 places:\s+chrX:31119001-31129000\s*chrY:1001-2000/)
        yield* looked(visit, "two-places")
        assert.strictEqual(yield* entries(visit), begun + 1)
        yield* visit.evaluate(
          "[...document.querySelectorAll('#view button')].find((it) => it.textContent.startsWith('chrX')).click()"
        )
        yield* is(visit, /^chrX:31119001-3112900\d$/)
        yield* go(visit, harm.toUpperCase())
        yield* is(visit, /^chr17:43090001-4309020\d$/)

        yield* visit.evaluate("history.back()")
        yield* is(visit, /^chrX:/)
        yield* visit.evaluate("history.back()")
        yield* is(visit, /^chr17:43090001-4309500\d$/)
        yield* visit.evaluate("history.back()")
        yield* is(visit, /^chr17:43090000-4309400\d$/)
        yield* visit.evaluate("history.forward()")
        yield* is(visit, /^chr17:43090001-4309500\d$/)
        const jumps = yield* entries(visit)
        // igv.js moves: the address goes along, and nothing is added to go back to.
        yield* visit.evaluate(
          `document.querySelector("#igv").shadowRoot.querySelector("[class^=igv-zoom-widget] > div:last-child svg").dispatchEvent(new MouseEvent("click", { bubbles: true }))`
        )
        yield* is(visit, /^chr17:4309[12]\d+-4309[34]\d+$/)
        assert.strictEqual(yield* entries(visit), jumps)
        // Another address that somebody puts into the browser.
        yield* visit.evaluate(`location.hash = "#S1.bam&locus=" + encodeURIComponent(${JSON.stringify(harm)} + ":1-2")`)
        yield* shows(visit, /No reference sequence “<script>/)
        yield* visit.evaluate(`location.hash = "#S1.bam&S1.vcf.gz&locus=chr13:32332001-32336000"`)
        yield* is(visit, /^chr13:32332001-3233600\d$/)
        yield* until(
          "the variants are asked for",
          Effect.sync(() => visit.requests().some((address) => address.endsWith("/S1.vcf.gz.tbi")))
        )
        yield* looked(visit, "with-variants")
        assert.strictEqual(yield* visit.evaluate("typeof window.pwned"), "undefined")
        assert.deepStrictEqual(complaints(visit), [])
        assert.deepStrictEqual(
          visit
            .requests()
            .filter((address) => !/^(?:data|blob):/.test(address) && !address.startsWith(`${gateway.url}/`)),
          []
        )
      })
  )

  it.live("files of several analyses stand in one view, as far as this reader may see them, and in its address", () =>
    Effect.gen(function* () {
      const browser = yield* startBrowser
      const place = yield* folder
      const [tokens, world] = [join(place, "tokens"), join(place, "world.json")]
      writeFileSync(tokens, `family ${token} A1 A2 A7\n`, { mode: 0o600 })
      const files = ["bam", "bam.bai"].map((type) => ({ name: `S7.${type}`, copyOf: `A1/S1.${type}` }))
      writeFileSync(world, JSON.stringify({ analyses: [{ id: "A7", files }] }))
      const { gateway } = yield* gatewayGround(["--tokenFile", tokens], ["--world", world])
      const visit = yield* browser.visit(
        `${gateway.url}/t/${token}/files/A1/#S1.bam&A3/S3.bam&locus=chr17:43090000-43094000`,
        { width: 1280 }
      )
      yield* shows(visit, /Analysis A3: not found, or not for this reader\./)
      yield* draws(visit, 2)
      const list = (id: string) =>
        visit.evaluate(
          `(() => { const it = document.querySelector("#view details"); it.open = true; it.querySelector("input").value = ${JSON.stringify(id)}; it.querySelector("form").requestSubmit() })()`
        )
      for (const id of ["A99", harm]) {
        yield* list(id)
        yield* shows(visit, new RegExp(`Analysis ${literally(id)}: not found, or not for this reader\\.`))
      }
      yield* list("A2")
      yield* shows(visit, /Add A2 S2\.bam/)
      yield* press(visit, "Add A2 S2.bam")
      yield* is(visit, /^chr17:43090000-/)
      yield* until(
        "the address has both",
        Effect.map(visit.evaluate("location.hash"), (hash) => String(hash).includes("#S1.bam&A2/S2.bam&locus=chr17:"))
      )
      // Coverage and reads of both.
      yield* draws(visit, 3)
      // The same reads of another genome.
      yield* visit.evaluate(
        `(() => { const { fetch } = window; window.fetch = (url, init) => String(url).endsWith("/A7/S7.bam/sequences") ? Promise.resolve(new Response("chr17\\t81195210\\t\\n")) : fetch(url, init) })()`
      )
      yield* list("A7")
      yield* shows(visit, /Add A7 S7\.bam/)
      yield* press(visit, "Add A7 S7.bam")
      yield* shows(
        visit,
        /A7 S7\.bam is of another genome and not shown: its chr17 has 81195210 bases, and that of S1\.bam 83257441\./
      )
      yield* looked(visit, "several")
      assert.notInclude(yield* text(visit), token)
      const again = yield* browser.visit(String(yield* visit.evaluate("location.href")), { width: 1280 })
      yield* until(
        "the other analysis is there again",
        Effect.sync(() => again.requests().some((address) => address.endsWith("/files/A2/S2.bam.bai")))
      )
      yield* is(again, /^chr17:43090000-/)
      assert.deepStrictEqual(
        complaints(visit).filter((text) => !/status of 404/.test(text)),
        []
      )
    })
  )

  it.live("without genes the page says who brings them, and an address of nothing what is wrong with it", () =>
    Effect.gen(function* () {
      const browser = yield* startBrowser
      const { gateway } = yield* gatewayGround()
      const open = (hash: string) => browser.visit(`${gateway.url}/files/A1/#${hash}`, { width: 1280 })
      const visit = yield* open("S1.bam&locus=BRCA1")
      yield* shows(visit, /No gene “BRCA1” here: this gateway knows none\. Who runs it gives it some with --genes FILE/)
      yield* is(visit, /^BRCA1$/, /^chr1:/)
      yield* draws(visit, 2)
      yield* is(visit, /^BRCA1$/, /^chr1:/)
      yield* keep(visit, "no-genes-1280-light")
      for (const name of ["none.bam", "S1.bam.bai", harm]) {
        yield* shows(
          yield* open(`${encodeURIComponent(name)}&locus=chr1:1-2`),
          new RegExp(`${literally(name)} cannot be shown: this analysis has no such file with an index`)
        )
      }
    })
  )
})
