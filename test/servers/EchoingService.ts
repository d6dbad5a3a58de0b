/**
 * A service that repeats in its errors whatever secret it has seen or given: password, cookies, tokens and links, as they
 * are and encoded. Analysis `A1` has files, and every other one is a way to fail.
 */
import http from "node:http"
import { Effect, type Scope } from "effect"
import { listening } from "./StrictService.ts"

export interface EchoingService {
  readonly url: string
  /** Everything that must not be seen anywhere. */
  readonly secrets: () => ReadonlyArray<string>
}

const failure = (said: string) =>
  JSON.stringify({ success: false, response: null, errorMessageId: said, additionalInformation: said, errorId: said })

export const echoingService = (): Effect.Effect<EchoingService, never, Scope.Scope> =>
  Effect.gen(function* () {
    const secrets = new Set<string>()
    let number = 0
    const keep = (text: string) => {
      secrets.add(text)
      return text
    }
    const fresh = (kind: string) => keep(`${kind}CANARY${++number}x${Math.random().toString(36).slice(2)}`)
    let newest = { cookie: "", token: "", password: "" }
    const links: Array<string> = []
    /** Well below the length at which messages are cut. */
    const said = () => {
      const { cookie, password, token } = newest
      return [
        `${password} ${encodeURIComponent(password)} ${Buffer.from(password).toString("base64")}`,
        `${cookie} was SID=${cookie}; and ${token}`,
        ...links.slice(-2).flatMap((link) => [link, encodeURIComponent(link)])
      ].join(" ")
    }

    const answer = (request: http.IncomingMessage, response: http.ServerResponse, body: string) => {
      const { pathname } = new URL(request.url ?? "/", url)
      const begin = () => {
        newest = { ...newest, cookie: fresh("cookie"), token: fresh("token") }
        response.setHeader("set-cookie", `SID=${newest.cookie}; Path=/; HttpOnly`)
        response.setHeader("x-csrf-token", newest.token)
      }
      const say = (status: number, text: string, headers: Record<string, string> = {}) =>
        response
          .writeHead(status, { "content-type": "application/json", "x-echo": encodeURIComponent(said()), ...headers })
          .end(text)
      if (request.method === "HEAD") {
        begin()
        // A session is told its own links only.
        links.length = 0
        return response.end()
      }
      if (pathname === "/login") {
        newest.password = keep(new URLSearchParams(body).get("password") ?? "")
        if (newest.password.startsWith("wrong")) return say(200, failure(said()))
        begin()
        return response.end()
      }
      if (pathname === "/logout") return say(200, failure(said()))
      if (pathname === "/archive/analysis/restore") {
        return say(200, JSON.stringify({ success: true, response: [{ restoreEstimation: said().slice(0, 300) }] }))
      }
      if (pathname.startsWith("/get/")) return say(403, failure(said()), { etag: `"${newest.token}"` })
      switch (/^\/api\/analysis\/(\w+)\//.exec(pathname)?.[1]) {
        case "A1":
          return say(200, listing())
        case "bad":
          return say(400, failure(said()))
        case "no":
          return say(200, failure(said()))
        case "gone":
          return say(404, failure(said()))
        case "forbidden":
          return say(403, failure(said()))
        case "redirect":
          return say(302, failure(said()), { location: links.at(-1) ?? "/" })
        default:
          return say(422, `${said()} is no JSON`)
      }
    }

    const listing = () => {
      const link = (path: string) => {
        links.push(`${url}get/${path}`)
        return links.at(-1)
      }
      const file = (name: string, downloadLink: string | undefined, more: object = {}) => ({
        fileName: name,
        size: 1000,
        downloadLink,
        currentlyArchived: false,
        ...more
      })
      const archived = { currentlyArchived: true, estimatedRestoreTime: said().slice(0, 300) }
      return JSON.stringify({
        sampleId: "S1",
        apiFileLinks: [
          file("S1.vcf.gz", link(`S1.vcf.gz?X-Amz-Date=1&X-Amz-Signature=${fresh("signature")}`)),
          file("S1.vcf.gz.tbi", link(`${fresh("path")}/S1.vcf.gz.tbi`)),
          file("S1.bam", undefined, archived)
        ]
      })
    }

    const server = http.createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => answer(request, response, Buffer.concat(chunks).toString()))
    })
    const url = `http://127.0.0.1:${yield* listening(server)}/`
    return { url, secrets: () => [...secrets] }
  })
