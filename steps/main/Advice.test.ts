/** Each sentence of advice in an error where it is said, and in the nearest error where it would be wrong. */

import { assert, describe, it } from "@effect/vitest"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import * as Errors from "../../core/src/Errors.ts"
import { adviceOf } from "./Advice.ts"

const host = "lab"
const login = (more: object = {}) => new Errors.LoginRefused({ user: "ada", host, ...more })
const forbidden = (more: object = {}) => new Errors.Forbidden({ what: "A1", ...more })
const missing = (key: "username" | "password", asked = false) => new Errors.CredentialsMissing({ missing: key, asked })
const collision = (...analyses: ReadonlyArray<string>) => new Errors.NameCollision({ name: "a.bam", analyses })
const alike = new Errors.NameCollision({ name: "a.bam", analyses: ["c1", "C1"], alike: true })
const damaged = (overwrite?: Errors.FileDamaged["overwrite"]) =>
  new Errors.FileDamaged({ file: "a.bam", fault: "Size", reason: "short", ...(overwrite && { overwrite }) })
const unknown = (more: object = {}) => new Errors.OutcomeUnknown({ request: "PUT /api/person", ...more })
const proxy = (status: number, more: object = {}) => new Errors.ProxyRefused({ proxy: "p:1", status, ...more })
const badLink = new Errors.LinkProtocol({ file: "a.bam", host, reason: "redirects too often" })
const linkRefused = (code: string) => new Errors.LinkForbidden({ file: "a.bam", host, status: 403, code })
const reply = (garbled: boolean) => new Errors.ReplyMalformed({ request: "GET /x", reason: "cut", garbled })

const contention = new Errors.SessionContention({ host, logins: 3 })
const differs = new Errors.FileDiffers({ path: "a.bam", bytes: 1, listed: 2 })
const busy = new Errors.Busy({ file: "a.bam", owner: "pid 7" })
const full = new Errors.LocalIo({ path: "a.bam", operation: "write", errno: "ENOSPC" })
const small = new Errors.DiskTooSmall({ path: "out", needed: 2, free: 1 })
const entry = new Errors.EntryUnusable({ path: "r.json", position: 1, reason: "no id" })
const tracking = new Errors.TrackingUnusable({ path: "r.json", reason: "not JSON" })
const archived = new Errors.FileArchived({ file: "a.bam", analysisId: AnalysisId.make("A1"), why: "no" })
const inArchive = (estimate: string | null) =>
  new Errors.InArchive({ file: "a.bam", analysisId: AnalysisId.make("A1"), estimate })
const cold = Errors.refusedLink(
  { analysisId: "A1", fileName: "a.bam" },
  { host, status: 403, code: "InvalidObjectState" }
)
const noObject = Errors.refusedLink({ analysisId: "A1", fileName: "a.bam" }, { host, status: 404, code: null })
const changing = new Errors.FileDamaged({ file: "a.bam", fault: "Changing", reason: "it changed" })
const absent = (what: string) => new Errors.NotFound({ what, next: "findId" })
const missed = new Errors.NotFound({ what: "BAM", analysisId: AnalysisId.make("A1"), next: "listFiles" })
const replaceable = new Errors.CannotCreate({ path: "a", reason: "other regions", replaceable: true })
const noGateway = new Errors.LoginProtocol({ host, reason: "it redirects", token: true })
const unavailable = new Errors.Unavailable({ host, reason: "silent", attempts: 7 })

interface Advised {
  readonly message: string
  readonly advice: Errors.AdviceName | null
}

const sentence = Errors.sentenceOf(adviceOf)

describe("advice in the sentence of an error", () => {
  const table: ReadonlyArray<readonly [advice: string, said: Advised, notSaid: ReadonlyArray<Advised>]> = [
    ["check user name and password", login(), [login({ expired: true }), login({ token: true }), forbidden()]],
    ["change it in a browser", login({ expired: true }), [login(), login({ token: true })]],
    ["SVC_TOKEN", login({ token: true }), [login(), login({ expired: true })]],
    ["try again in half a minute", login({ earlier: true }), [login(), login({ token: true, earlier: true })]],
    ["it ends with a line end", login({ odd: "it ends with a line end" }), [login()]],
    ["a token (SVC_TOKEN) is for the address", forbidden({ token: true }), [forbidden(), login({ token: true })]],
    ["takes: -a an id, -s a sampleId, -l", absent("analysis A9"), [absent("person A9"), absent("sample A9"), missed]],
    ["takes: -s a sampleId, -a an id, -l", absent("sample A9"), [absent("analysis A9"), missed]],
    ["takes: -l a personLimsId, -a an id, -s", absent("person A9"), [absent("analysis A9"), missed]],
    ["SVC_LOCK_DIR", contention, [unavailable, forbidden()]],
    ["look whether it took effect", unknown(), [unknown({ found: "it did not" }), unavailable]],
    ["check proxyUsername", proxy(407), [proxy(407, { offers: "NTLM" }), proxy(403)]],
    ["cntlm or px", proxy(407, { offers: "NTLM" }), [proxy(407), proxy(403)]],
    ["; the service lists it as there, so nothing can be asked for: tell its operators", cold, [inArchive(null)]],
    ["; the service gave this link: tell its operators", linkRefused("AccessDenied"), [cold, unavailable, badLink]],
    ["; the service gave this link: tell its operators", noObject, [new Errors.NotFound({ what: "a.bam" })]],
    [
      "; the service gave this link: if it comes so again, tell its operators, or those of a proxy on the way",
      badLink,
      [linkRefused("AccessDenied")]
    ],
    ["; if it comes so again, it is damaged at its source", damaged(), [damaged("kept"), damaged("vain"), changing]],
    ["the clocks of", linkRefused("RequestTimeTooSkewed"), [linkRefused("AccessDenied")]],
    ["--username", missing("username"), [missing("password"), missing("password", true)]],
    ["No password and no terminal", missing("password"), [missing("password", true), missing("username")]],
    ["; use --layout analysis", collision("A1", "A2"), [collision("A1"), alike]],
    ["; download them one at a time, each into a --destination of its own", alike, [collision("A1", "A2")]],
    ["--overwrite", differs, [busy, full]],
    ["it was there before this run; --overwrite", damaged("kept"), [damaged(), damaged("again"), damaged("both")]],
    ["; --overwrite fetches it again", damaged("again"), [damaged(), damaged("both")]],
    ["--overwrite fetches both again", damaged("both"), [damaged(), damaged("again")]],
    ["try again when it has ended", busy, [differs, full]],
    ["repair it, or move it away", tracking, [entry]],
    ["; svc-request-restore -a A1 asks for it", archived, [new Errors.NotFound({ what: "a.bam" })]],
    ["; run again when it is back", inArchive(null), [inArchive("2026-11-22"), archived, cold]],
    ["; svc-download --list -a A1 shows", missed, [new Errors.NotFound({ what: "a.bam" })]],
    ["give --overwrite to replace it", replaceable, [new Errors.CannotCreate({ path: "a", reason: "a folder" })]],
    ["svc-gateway --api", noGateway, [new Errors.LoginProtocol({ host, reason: "no token" })]]
  ]

  it.each([
    ["its certificate has expired", /operators must renew it/, false],
    ["its certificate is not valid yet", /set the clock/, false],
    ["its certificate is self-signed", /if it is the right one/, true],
    ["its certificate comes from an unknown authority", /root certificate of a private authority/, true],
    ["its certificate is for another host name", /check the address/, false],
    ["it does not speak TLS there", /check the port, or write http:/, false],
    ["it offers no TLS version that is safe (1.2 at least)", /must allow TLS 1\.2/, false],
    ["it wants a certificate of the client", /no option for one/, false]
  ] as const)(
    "N4 %s has an advice of its own, and only an unknown authority has --caFile",
    (reason, advice, caFile) => {
      const said = sentence(new Errors.TlsRefused({ host, reason }))
      assert.match(said, advice)
      assert.strictEqual(said.includes("--caFile"), caFile, said)
    }
  )

  it("has an odd id as one word of its command", () => {
    const odd = new Errors.NotFound({ what: "BAM", analysisId: AnalysisId.make("a'b $(x)"), next: "listFiles" })
    assert.include(sentence(odd), "svc-download --list -a 'a'\\''b $(x)' shows")
  })

  it("of a missing password does not name an option: everybody on the machine would see it", () => {
    assert.notInclude(sentence(missing("password")), "--password")
  })

  it.each(table)("%s", (advice, said, notSaid) => {
    assert.include(sentence(said), advice)
    for (const error of notSaid) assert.notInclude(sentence(error), advice)
  })
})

describe("the advice that a run gives for an error", () => {
  it.each([
    ["again", unavailable, [full, busy, login(), damaged(), contention, badLink]],
    ["again", reply(true), [reply(false)]],
    ["afterMending", full, [busy, differs, unavailable]],
    ["afterMending", small, [differs, new Errors.CannotCreate({ path: "a", reason: "it is a folder" })]],
    ["mendEntry", entry, [tracking, archived]]
  ] satisfies ReadonlyArray<readonly [Errors.AdviceName, Advised, ReadonlyArray<Advised>]>)(
    "%s for %s",
    (advice, said, notSaid) => {
      assert.strictEqual(said.advice, advice)
      for (const other of notSaid) assert.notStrictEqual(other.advice, advice, other.message)
      // It is said once, at the end.
      assert.strictEqual(sentence(said), said.message)
    }
  )

  it("what may come right by itself has an advice, or a sentence that says when", () => {
    for (const error of [unavailable, reply(true), contention, badLink, unknown()]) {
      assert.isTrue(error.retryable)
      assert.isTrue(error.advice === "again" || /again|repeating it/.test(sentence(error)), error.message)
    }
  })
})
