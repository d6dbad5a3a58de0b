/** The page of the gateway without its script: who sees what, and what programs read that follow links. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { genomeOf } from "../../gateway/Genome.ts"
import { analysesPage, folderPage, lockedPage } from "../../gateway/PageMarkup.ts"
import { hashOf, shownIn } from "../../gateway/page/Address.ts"
import { commandsFor, desktopUrl, withoutToken } from "../../gateway/page/Commands.ts"
import { genesIn, placesOf, regionText, sequencesIn } from "../../gateway/page/Place.ts"
import { genomeOf as shownGenome, trackOf } from "../../gateway/page/ViewSettings.ts"
import { asSentence, minutes } from "../../gateway/page/Wording.ts"
import { Sandbox } from "../../sandbox/Sandbox.ts"
import { temporary } from "../GatewayGround.ts"
import { startGatewayHere } from "../GatewayLayer.ts"

const [ada, grace, lab, eve] = ["ada", "grace", "lab", "eve"].map((name) => `${name}-0123456789abcdef`) as [
  string,
  string,
  string,
  string
]
const tokens = `ada ${ada} may=read,restore\ngrace ${grace} A1 LAB7-*\nlab ${lab} A1*\neve ${eve} may=restore`

const browser = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

const ask = (url: string, { accept = browser, token }: { accept?: string; token?: string } = {}) =>
  Effect.promise(async () => {
    const headers = { accept, ...(token === undefined ? {} : { authorization: `Bearer ${token}` }) }
    const reply = await fetch(url, { redirect: "manual", headers })
    return { status: reply.status, headers: reply.headers, text: await reply.text() }
  })

/** The names that rclone's http remote finds: links to what lies right below the folder, without a query. */
const namesBelow = (folder: string, html: string) =>
  [...html.matchAll(/<a [^>]*href="([^"]*)"/g)].flatMap(([, href = ""]) => {
    const { pathname, search } = new URL(href.replaceAll("&amp;", "&"), folder)
    const base = new URL(folder).pathname
    const name = pathname.startsWith(base) ? decodeURIComponent(pathname.slice(base.length)) : ""
    return search !== "" || name === "" || /\/./.test(name) ? [] : [name]
  })

/** One gateway for all tests here, with --redirect. */
class OneGateway extends Context.Service<
  OneGateway,
  { readonly url: string; readonly lines: ReadonlyArray<Record<string, unknown>> } & Pick<
    Sandbox["Service"],
    "setFaults" | "stats"
  >
>()("test/gateway/OneGateway") {
  static readonly layer = Layer.effect(
    OneGateway,
    Effect.gen(function* () {
      const folder = yield* temporary
      writeFileSync(join(folder, "ref.fa"), ">chr1\nACGT\n")
      const { setFaults, stats } = yield* Sandbox
      const gateway = yield* startGatewayHere({ tokens, relay: false, genome: genomeOf(join(folder, "ref.fa")) })
      return { ...gateway, setFaults, stats }
    })
  ).pipe(Layer.provide(Sandbox.layer()))
}

layer(OneGateway.layer, { excludeTestServices: true })("the page of a gateway with tokens", (it) => {
  it.effect(
    "without a good token tells nothing but that one is wanted, in words for a person and in JSON for programs",
    () =>
      Effect.gen(function* () {
        const { lines, url } = yield* OneGateway
        const pages = []
        for (const path of ["/", "/files/", "/files/A1/", "/files/A1", "/files/A99/"]) {
          for (const token of [undefined, "wrong-0123456789abcdef"]) {
            const { headers, status, text } = yield* ask(`${url}${path}`, token === undefined ? {} : { token })
            assert.strictEqual(status, 401, path)
            assert.strictEqual(headers.get("www-authenticate"), "Bearer")
            assert.match(headers.get("content-security-policy") ?? "", /default-src 'none'; script-src 'self'/)
            assert.notMatch(headers.get("content-security-policy") ?? "", /unsafe|https?:/)
            assert.notMatch(text, /A1|A99|S1/)
            pages.push(text.replaceAll(/(?:\.\.?\/)+/g, ""))
          }
        }
        assert.strictEqual(new Set(pages).size, 1)
        const program = yield* ask(`${url}/files/A1/`, { accept: "*/*" })
        assert.strictEqual(program.status, 401)
        assert.strictEqual(JSON.parse(program.text).error, "InvalidAuthentication")
        const style = yield* ask(`${url}/page/page.css`)
        assert.strictEqual(style.status, 200)
        // On paper a page is light, whatever the screen is.
        assert.deepStrictEqual(style.text.match(/@media[^{]*dark\)/g), [
          "@media screen and (prefers-color-scheme:dark)"
        ])
        assert.isFalse(
          lines.some(({ what }) => what === "other"),
          "what belongs to the page leaves no line"
        )
      })
  )

  it.effect("lists all analyses that a reader may know of, asked for once", () =>
    Effect.gen(function* () {
      const { stats, url } = yield* OneGateway
      const folder = `${url}/files/`
      const asked = Effect.map(stats, ({ requests }) => requests["getAnalyses"] ?? 0)
      const first = yield* ask(`${url}/`, { token: ada })
      assert.match(first.text, /<a href="files\/">List them<\/a>/)
      assert.strictEqual(yield* asked, 0)
      const pages = yield* Effect.all(
        [ada, lab, ada].map((token) => ask(folder, { token, accept: "*/*" })),
        { concurrency: 3 }
      )
      const [all = [], some] = pages.map(({ text }) => namesBelow(folder, text))
      assert.includeMembers(all, ["A1/", "A2/", "A3/"])
      assert.deepStrictEqual(some, ["A1/"])
      assert.match(pages[0]?.text ?? "", /<a href="A1\/">A1<\/a> <span class="sub">S1<\/span>/)
      assert.match(pages[1]?.text ?? "", /begin with A1\./)
      assert.strictEqual(yield* asked, 1)
      assert.strictEqual((yield* ask(folder, { token: eve })).status, 403)
    })
  )

  it.effect("shows a limited reader its own, and to nobody what it may not know of", () =>
    Effect.gen(function* () {
      const { url } = yield* OneGateway
      const own = yield* ask(`${url}/`, { token: grace })
      assert.strictEqual(own.status, 200)
      assert.match(own.text, /<a href="files\/A1\/">A1<\/a>/)
      assert.match(own.text, /begin with LAB7-/)
      assert.deepStrictEqual(namesBelow(`${url}/files/`, (yield* ask(`${url}/files/`, { token: grace })).text), ["A1/"])
      assert.notMatch((yield* ask(`${url}/`, { token: ada })).text, /Yours/)
      const foreign = yield* ask(`${url}/files/A2/`, { token: grace })
      const missing = yield* ask(`${url}/files/A99/`, { token: ada })
      assert.deepStrictEqual([foreign.status, missing.status], [404, 404])
      assert.match(foreign.text, /role="alert"/)
      assert.strictEqual(foreign.text.replace("A2", "A99"), missing.text)
    })
  )

  it.effect("the folder of an analysis is a list of links for wget -r and rclone, and JSON for who asks for it", () =>
    Effect.gen(function* () {
      const { url } = yield* OneGateway
      const folder = `${url}/files/A1/`
      const { headers, text } = yield* ask(folder, { accept: "*/*", token: ada })
      assert.match(text, /<h1>A1 <span class="sub">sample S1, person LIMS-0001<\/span><\/h1>/)
      // What is about an analysis that a reader is limited to is for that reader.
      assert.strictEqual((yield* ask(folder, { token: grace })).text, text.replace("data-restore ", ""))
      assert.match(headers.get("content-type") ?? "", /^text\/html/)
      assert.deepStrictEqual(namesBelow(folder, text), ["S1.bam", "S1.bam.bai", "S1.vcf.gz", "S1.vcf.gz.tbi"])
      const json = yield* ask(folder, { accept: "application/json", token: ada })
      assert.strictEqual(JSON.parse(json.text).analysisId, "A1")
      const plain = yield* ask(`${url}/files/A1`, { accept: "*/*", token: ada })
      assert.strictEqual(JSON.parse(plain.text).analysisId, "A1")
      const moved = yield* ask(`${url}/files/A1`, { token: ada })
      assert.deepStrictEqual([moved.status, moved.headers.get("location")], [303, "A1/"])
      const chosen = yield* ask(`${url}/?analysis=+A%2F1+`, { token: ada })
      assert.deepStrictEqual([chosen.status, chosen.headers.get("location")], [303, "files/A%2F1/"])
      assert.strictEqual((yield* ask(`${url}/`, { accept: "application/json", token: ada })).status, 404)
      // By a token in the path too, for tools that send no header.
      const byPath = yield* ask(`${url}/t/${ada}/files/A1/`, { accept: "*/*" })
      assert.strictEqual(byPath.status, 200)
      assert.notInclude(byPath.text, ada)
    })
  )

  it.effect(
    "an archived file is a link that is refused, and says what becomes of it; asked for, when it is expected",
    () =>
      Effect.gen(function* () {
        const { url } = yield* OneGateway
        const folder = `${url}/files/A3/`
        const before = yield* ask(folder, { token: ada })
        assert.match(before.text, /In the archive/)
        assert.match(before.text, /data-restore/)
        const [, archived = ""] = /data-archived><th scope="row"><a href="[^"]+">([^<]+)</.exec(before.text) ?? []
        // Without it `wget -r` would end with 0, and what it took would look like all there is.
        assert.include(namesBelow(folder, before.text), archived)
        assert.strictEqual((yield* ask(`${folder}${archived}`, { accept: "*/*", token: ada })).status, 409)
        const post = yield* Effect.promise(() =>
          fetch(`${folder}${archived}/restore`, { method: "POST", headers: { authorization: `Bearer ${ada}` } })
        )
        assert.strictEqual(post.status, 202)
        assert.match(
          (yield* ask(folder, { token: ada })).text,
          /Being restored, asked for \d{4}-\d\d-\d\d \d\d:\d\d UTC, expected /
        )
        const shown = yield* ask(`${folder}${archived}/sequences`, { token: ada })
        assert.strictEqual(shown.status, 409)
        assert.match(JSON.parse(shown.text).message, /archive/)
      })
  )

  it.effect(
    "sequences are those of the header, with where the first record is; an address is signed, and holds no token",
    () =>
      Effect.gen(function* () {
        const { url } = yield* OneGateway
        const bam = yield* ask(`${url}/files/A1/S1.bam/sequences`, { token: grace })
        assert.match(bam.text, /^chr1\t\d+\t\d+\n(?:\S+\t\d+\t\n)*$/)
        assert.match((yield* ask(`${url}/files/A1/S1.vcf.gz/sequences`, { token: grace })).text, /^chr\d+\t\d+\t/)
        const index = yield* ask(`${url}/files/A1/S1.bam.bai/sequences`, { token: grace })
        assert.strictEqual(index.status, 404)
        assert.match(JSON.parse(index.text).message, /cannot be shown/)
        const address = JSON.parse((yield* ask(`${url}/files/A1/S1.bam/address`, { token: grace })).text).url
        assert.notInclude(address, grace)
        assert.strictEqual((yield* Effect.promise(() => fetch(address, { redirect: "manual" }))).status, 307)
        assert.strictEqual((yield* ask(`${url}/files/A2/S2.bam/address`, { token: grace })).status, 404)
        assert.strictEqual((yield* ask(`${url}/files/A1/S1.bam/address`)).status, 401)
      })
  )

  it.effect("a genome of this machine is served in pieces, to those with a token, and no other file is", () =>
    Effect.gen(function* () {
      const { url } = yield* OneGateway
      const piece = yield* Effect.promise(() =>
        fetch(`${url}/genome/ref.fa`, { headers: { authorization: `Bearer ${ada}`, range: "bytes=6-9" } })
      )
      assert.deepStrictEqual([piece.status, yield* Effect.promise(() => piece.text())], [206, "ACGT"])
      const again = (field: string, value: string) =>
        Effect.promise(async () => {
          const headers = { authorization: `Bearer ${ada}`, [field]: value }
          return (await fetch(`${url}/genome/ref.fa`, { headers })).status
        })
      assert.strictEqual(yield* again("if-modified-since", piece.headers.get("last-modified") ?? ""), 304)
      assert.strictEqual(yield* again("range", "bytes=99-"), 416)
      assert.match((yield* ask(`${url}/metrics`, { token: ada })).text, /route="genome"/)
      assert.match(piece.headers.get("cache-control") ?? "", /private/)
      assert.strictEqual((yield* ask(`${url}/genome/ref.fa`)).status, 401)
      for (const name of ["ref.fa.fai", "other.fa", "..%2Fref.fa"]) {
        assert.strictEqual((yield* ask(`${url}/genome/${name}`, { token: ada })).status, 404, name)
      }
      assert.match((yield* ask(`${url}/files/A1/`, { token: ada })).text, /data-genome="[^"]*genome\/ref\.fa\.fai/)
    })
  )

  it.effect("with --redirect the page gets bytes all the same: link hosts let no page read", () =>
    Effect.gen(function* () {
      const { url } = yield* OneGateway
      const get = (headers: Record<string, string>) =>
        Effect.promise(() =>
          fetch(`${url}/files/A1/S1.bam`, {
            redirect: "manual",
            headers: { authorization: `Bearer ${grace}`, range: "bytes=0-3", ...headers }
          })
        )
      assert.strictEqual((yield* get({})).status, 307)
      assert.strictEqual((yield* get({ "svc-relay": "1" })).status, 206)
    })
  )
})

describe("a service that does not tell which analyses there are", () => {
  it.live("is asked once, and not logged in to for each page, which has what works without it", () =>
    Effect.gen(function* () {
      const { setFaults, stats } = yield* Sandbox
      const { url } = yield* startGatewayHere({ tokens })
      yield* ask(`${url}/files/A1/`, { token: ada })
      yield* setFaults([{ when: { endpoint: "getAnalyses" }, then: { status: 403 } }])
      const seen = Effect.map(stats, ({ logins, requests }) => [logins, requests["getAnalyses"]])
      const alone = yield* Effect.all(["A1", "A2", "A3"].map((id) => ask(`${url}/files/${id}/`, { token: ada })))
      assert.deepStrictEqual(
        alone.map(({ text }) => /<h1>(.*)<\/h1>/.exec(text)?.[1]),
        ['A1 <span class="sub">sample S1, person LIMS-0001</span>', "A2", "A3"]
      )
      // One that is known, and one that was refused twice: the second time after a new login.
      assert.strictEqual((yield* seen)[1], 3)
      const first = yield* ask(`${url}/files/`, { token: ada })
      const before = yield* seen
      const others = yield* Effect.all([ada, grace, lab, ada].map((token) => ask(`${url}/files/`, { token })))
      assert.deepStrictEqual(yield* seen, before)
      for (const { status, text } of [first, ...others]) {
        assert.strictEqual(status, 403)
        assert.match(text, /<p class="say" role="alert">[^<]*the service forbids it/)
        assert.match(text, /<form [^>]*id="choose"/)
        assert.notMatch(text, /List them/)
      }
      assert.deepStrictEqual(namesBelow(`${url}/files/`, others[1]?.text ?? ""), ["A1/"])
      assert.deepStrictEqual(namesBelow(`${url}/files/`, first.text), [])
    }).pipe(Effect.provide(Sandbox.layer()))
  )
})

const file = (fileName: string) => ({
  analysisId: "A1",
  fileName,
  size: 1,
  archived: false,
  restoreEstimation: null,
  restoring: null
})

describe("the page as text", () => {
  const names = [
    "<script>alert(1)</script>.bam",
    '"><img src=x onerror=alert(1)>',
    "..",
    "a b&c#d?e:f.vcf.gz",
    "it's.bam",
    "x/../y.bam"
  ]

  it("escapes what the service calls its files, and links what cannot leave the folder", () => {
    const page = folderPage({
      about: { id: "<b>A1", sampleId: "<b>S1", personLimsId: "<b>P1" },
      analysisId: "<b>A1",
      files: names.map(file),
      mayRestore: false,
      closed: true,
      genome: null,
      hasGenes: false
    })
    assert.strictEqual([...page.matchAll(/<script/g)].length, 1)
    assert.notMatch(page, /<img|<b>/)
    assert.deepStrictEqual(
      [...page.matchAll(/<th scope="row"><a href="([^"]*)"/g)].map(([, href]) => href),
      [
        "%3Cscript%3Ealert(1)%3C%2Fscript%3E.bam",
        "%22%3E%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E",
        "a%20b%26c%23d%3Fe%3Af.vcf.gz",
        "it%27s.bam",
        "x%2F..%2Fy.bam"
      ]
    )
    assert.match(lockedPage("", '"><script>'), /data-locked="&quot;&gt;&lt;script&gt;"/)
    const listed = [
      { id: "<i>2", sampleId: "<i>3", personLimsId: null },
      { id: "it's", sampleId: null, personLimsId: null }
    ]
    const choice = analysesPage({ root: "", folder: "files/", scopes: ["<i>1"], listed, failure: "<i>4" })
    assert.notMatch(choice, /<i>/)
    assert.include(choice, '<a href="files/it%27s/">')
  })

  it("has the analyses that a token names also where the service does not list them, and none twice", () => {
    const page = analysesPage({
      root: "../",
      folder: "",
      scopes: ["A1", "A7", "LAB7-*"],
      listed: [
        { id: "LAB7-1", sampleId: "S7", personLimsId: null },
        { id: "A1", sampleId: "S1", personLimsId: null }
      ],
      failure: null
    })
    assert.deepStrictEqual(
      [...page.matchAll(/<li><a href="([^"]*)\/">/g)].map(([, id]) => id),
      ["LAB7-1", "A1", "A7"]
    )
    assert.match(page, /A1<\/a> <span class="sub">S1</)
  })

  it("lists 5,000 analyses at most, and says how many there are", () => {
    const many = Array.from({ length: 6000 }, (_, i) => ({ id: `A${i}`, sampleId: `S${i}`, personLimsId: null }))
    const page = analysesPage({ root: "../", folder: "", scopes: null, listed: many, failure: null })
    assert.strictEqual([...page.matchAll(/<li>/g)].length, 5000)
    assert.match(page, /The first 5000 of 6000/)
    assert.isBelow(page.length, 500_000)
  })

  it("says of a row what its script needs to know: archived, and being restored", () => {
    const restoring = { since: "2026-01-31T12:00:00Z", estimation: "in two days" }
    const files = [file("a.txt"), { ...file("b.txt"), archived: true }, { ...file("c.txt"), archived: true, restoring }]
    const page = folderPage({
      analysisId: "A1",
      mayRestore: false,
      closed: false,
      genome: null,
      hasGenes: false,
      about: null,
      files
    })
    assert.deepStrictEqual(
      [...page.matchAll(/<tr data-kind=""([^>]*)>/g)].map(([, flags]) => flags),
      ["", " data-archived", " data-archived data-restoring"]
    )
    assert.match(page, /Being restored, asked for 2026-01-31 12:00 UTC, expected in two days/)
  })

  it("an analysis without files says so; one of 5,000 has a row for each, with its index", () => {
    const folder = { analysisId: "A1", mayRestore: false, closed: false, genome: null, hasGenes: false, about: null }
    assert.match(folderPage({ ...folder, files: [] }), /no files/)
    const many = Array.from({ length: 2500 }, (_, i) => [file(`S${i}.bam`), file(`S${i}.BAI`)]).flat()
    const page = folderPage({ ...folder, files: many })
    assert.strictEqual([...page.matchAll(/<tr data-kind="bam" data-index="S\d+\.BAI">/g)].length, 2500)
    assert.match(page, /5000 files/)
    assert.isBelow(page.length, 2_000_000)
  })
})

describe("--genome", () => {
  it("is a file of this machine alone", () => {
    const addresses = (path: string) => Object.values(genomeOf(path)?.reference ?? {}).slice(1)
    assert.deepStrictEqual(["./a/ref.fasta", "b c.FNA", "ref.2bit"].map(addresses), [
      ["genome/ref.fasta", "genome/ref.fasta.fai"],
      ["genome/b%20c.FNA", "genome/b%20c.FNA.fai"],
      ["genome/ref.2bit"]
    ])
    for (const text of ["", "hg38", "a/b.bam"]) assert.isNull(genomeOf(text), text)
  })
})

describe("the view of the page", () => {
  it("shows the token with what it asks of the gateway", () => {
    const root = new URL("https://lab:8080/g/")
    assert.deepStrictEqual(shownGenome(JSON.stringify(genomeOf("/data/ref.fa")?.reference), root, ada), {
      id: "genome",
      fastaURL: "https://lab:8080/g/genome/ref.fa",
      indexURL: "https://lab:8080/g/genome/ref.fa.fai",
      oauthToken: ada
    })
    const track = {
      name: "<b>.bam",
      analysis: null,
      kind: "bam",
      url: "https://lab:8080/a",
      indexUrl: "https://lab:8080/b"
    }
    const { headers, name, ...more } = trackOf(track, ada)
    assert.deepStrictEqual([name, headers], ["‹b›.bam", { "Svc-Relay": "1" }])
    assert.deepInclude(more, { url: track.url, indexURL: track.indexUrl, oauthToken: ada })
    assert.notProperty(trackOf(track, null), "oauthToken")
  })
})

describe("places of the page", () => {
  const sequences = sequencesIn("chr1\t1000\t\nHLA:1\t50\t\n17\t900\t5\n")
  const genes = genesIn("chr1\t9\t20\tA1\n17\t9\t20\tTwice\nchr1\t29\t40\tTWICE\nchr9\t0\t1\tAway\n")
  const meant = (text: string, known = { sequences, genes }) => {
    const found = placesOf(text, known)
    return typeof found === "string" ? found : found.map(regionText)
  }

  it("are read as they are written: each region of a file leads to itself", () => {
    for (const { length, name } of sequences) {
      for (let start = 1; start <= length; start += 7) {
        const end = Math.min(length, start + (start % 11))
        // As samtools has it, as tables have it, and as what writes mails makes of it.
        for (const [colon, dash] of [
          [":", "-"],
          [" : ", " - "],
          ["\t", "\t"],
          [": ", "\u2013"],
          [":", ".."]
        ]) {
          const written = ` ${name}${colon}${start.toLocaleString("en")}${dash}${end}\n`
          assert.deepStrictEqual(meant(written), [`${name}:${start}-${end}`], written)
        }
      }
      assert.deepStrictEqual(meant(name), [`${name}:1-${length}`])
      assert.deepStrictEqual(meant(`${name}:1-9,999`), [`${name}:1-${length}`])
      assert.strictEqual(meant(`${name}:${length + 1}`), `${name} ends at ${length.toLocaleString("en")}.`)
    }
    assert.deepStrictEqual(meant("chr1:10"), ["chr1:1-30"])
    assert.deepStrictEqual([meant("a1"), meant("TwicE")], [["chr1:10-20"], ["17:10-20", "chr1:30-40"]])
  })

  it("that are not understood are told apart", () => {
    const names = "there are chr1, HLA:1, 17"
    for (const [text, said] of [
      ["", /^A place is a region such as 17:1-900, or a gene\.$/],
      ["chr1:0-5", /^Bases are counted from 1\.$/],
      ["chr1:9-5", /^This region ends before it begins\.$/],
      ["chr1:x", /^“chr1:x” is not understood: a place/],
      ["chr17:1-2", /^No reference sequence “chr17” here: this file has 17\.$/],
      ["chr17", /^No reference sequence “chr17” here: this file has 17\.$/],
      ["chr99", new RegExp(`^No reference sequence “chr99” here: ${names}\\.$`)],
      ["CHRNA1", /^No gene “CHRNA1” here: it is not among/],
      [
        "away",
        new RegExp(`^away is at chr9:1-1 by this gateway's genes\\. No reference sequence “chr9” here: ${names}\\.$`)
      ]
    ] as const)
      assert.match(String(meant(text)), said)
    const told = placesOf("BRCA1", { sequences, genes: null })
    assert.match(String(told), /this gateway knows none\. .* --genes FILE/)
  })

  it("stand in an address with the files that are shown there, whatever these are called", () => {
    const odd = ["S1.bam", "a b&c#d?e:f.vcf.gz", "100%", "<script>", "x/../y", "locus=z", "é&locus=1"]
    for (const name of odd) {
      for (const analysis of [null, ...odd]) {
        for (const locus of [null, "chr17:43044295-43045000", "HLA:1&2:3-4", name]) {
          const shown = {
            files: [
              { name, analysis: null },
              { name, analysis }
            ],
            locus
          }
          assert.deepStrictEqual(shownIn(hashOf(shown)), shown)
        }
      }
    }
    assert.strictEqual(
      hashOf({
        files: [
          { name: "S1.bam", analysis: null },
          { name: "S2.bam", analysis: "A2" }
        ],
        locus: "chr17:1-2"
      }),
      "#S1.bam&A2/S2.bam&locus=chr17:1-2"
    )
    // What somebody wrote by hand.
    assert.deepStrictEqual(
      ["#S%201.bam", "#100%", ""].map((hash) => shownIn(hash).files[0]?.name),
      ["S 1.bam", "100%", undefined]
    )
  })
})

describe("the words of the page", () => {
  it("say a time as it was told: in UTC only what is in UTC", () => {
    assert.deepStrictEqual(
      ["2026-01-31T12:00:59.123Z", "2026-01-31T12:00Z", "2026-01-31T12:00:00+02:00", "tomorrow"].map(minutes),
      ["2026-01-31 12:00 UTC", "2026-01-31 12:00 UTC", "2026-01-31T12:00:00+02:00", "tomorrow"]
    )
  })

  it("are sentences, which leave names of files as they are", () => {
    assert.strictEqual(asSentence("the token is wrong"), "The token is wrong.")
    assert.strictEqual(asSentence("s1.bam: not a BGZF file"), "s1.bam: not a BGZF file.")
  })
})

describe("the commands of the page", () => {
  const shown = { url: "https://gw.lab/g/files/A1/it's%20$(x).bam", name: "it's $(x).bam", kind: "bam", closed: true }

  it("never hold a token, and are safe to paste", () => {
    assert.deepStrictEqual(
      commandsFor(shown, "chr1:1-2").map(({ text }) => text),
      [
        "read -rs TOKEN",
        'samtools view "https://gw.lab/g/t/$TOKEN/files/A1/it\'s%20\\$(x).bam" chr1:1-2',
        `curl -fL -H "Authorization: Bearer $TOKEN" -o 'it'\\''s $(x).bam' 'https://gw.lab/g/files/A1/it'\\''s%20$(x).bam'`
      ]
    )
    assert.deepStrictEqual(
      commandsFor({ url: "http://127.0.0.1:1/files/A1/S1.txt", name: "S1.txt", kind: "", closed: false }, "").map(
        ({ text }) => text
      ),
      ["curl -fL -o S1.txt http://127.0.0.1:1/files/A1/S1.txt"]
    )
  })

  it("are for the file that is meant, whatever the gateway's path and the analysis are called", () => {
    const place = (url: string) => commandsFor({ ...shown, url }, "chr1:1-2")[1]?.text.split(" ")[2]
    for (const [address, withVariable] of [
      ["http://h/files/files/S1.bam", '"http://h/t/$TOKEN/files/files/S1.bam"'],
      ["https://h/files/gw/files/A1/S1.bam", '"https://h/files/gw/t/$TOKEN/files/A1/S1.bam"'],
      ["http://h/files/t/S1.bam", '"http://h/t/$TOKEN/files/t/S1.bam"']
    ] as const) {
      assert.strictEqual(place(address), withVariable)
      assert.strictEqual(withoutToken(address), address)
      const withToken = address.replace(/(?=\/files\/[^/]+\/[^/]+$)/, "/t/SECRET")
      assert.strictEqual(withoutToken(withToken), address)
      assert.strictEqual(place(withToken), withVariable)
    }
    assert.strictEqual(withoutToken("http://h/t/SECRET/files/A1/.."), "http://h/files/A1/..")
  })

  it("IGV on the desktop gets file and index as addresses in one", () => {
    const url = new URL(desktopUrl("http://g/a?b&c", "http://g/i", "S 1"))
    assert.strictEqual(url.host, "localhost:60151")
    assert.deepStrictEqual(Object.fromEntries(url.searchParams), {
      file: "http://g/a?b&c",
      index: "http://g/i",
      name: "S 1",
      merge: "true"
    })
  })
})
