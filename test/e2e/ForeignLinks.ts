import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http"
import { Effect } from "effect"
import { quietPort } from "../Ports.ts"

const linksPath = /^\/api\/analysis\/([^/]+)\/get-file-download-links/

interface WireLinks {
  response?: { apiFileLinks: Array<WireLink> }
  apiFileLinks?: Array<WireLink>
}

interface WireLink {
  fileName: string
  downloadLink: string | null
}

const bodyOf = async (message: IncomingMessage) => {
  const parts: Array<Buffer> = []
  for await (const part of message) parts.push(part)
  return Buffer.concat(parts)
}

/**
 * The sandbox's API with the links of another host: passes every request on and replaces the links in the answers.
 *
 * @param service - address of the sandbox
 * @param linkOf - the link for a file; `asked` is 1 for the first answer about its analysis, 2 for the next
 */
export const startForeignLinks = Effect.fnUntraced(function* (
  service: string,
  linkOf: (analysis: string, fileName: string, asked: number) => string
) {
  const port = yield* quietPort
  const asked = new Map<string, number>()
  const replaceLinks = (analysis: string, body: Buffer) => {
    const json: WireLinks = JSON.parse(body.toString("utf8"))
    const count = (asked.get(analysis) ?? 0) + 1
    asked.set(analysis, count)
    for (const file of (json.response ?? json).apiFileLinks ?? []) {
      if (file.downloadLink) file.downloadLink = linkOf(analysis, file.fileName, count)
    }
    return Buffer.from(JSON.stringify(json))
  }
  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse) => {
    const sent = await bodyOf(incoming)
    // A connection of its own: one that is kept may be closed by the sandbox at the moment in which it is used again.
    const options = { method: incoming.method ?? "GET", headers: incoming.headers, agent: false }
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(`${service}${incoming.url}`, options, resolve).on("error", reject).end(sent)
    })
    const analysis = linksPath.exec(incoming.url ?? "")?.[1]
    const received = await bodyOf(answer)
    const body = analysis === undefined || answer.statusCode !== 200 ? received : replaceLinks(analysis, received)
    const { "content-length": _, "transfer-encoding": __, ...headers } = answer.headers
    outgoing.writeHead(answer.statusCode ?? 502, { ...headers, "content-length": body.length }).end(body)
  }
  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy())
  })
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => {
      server.listen(port, "127.0.0.1", () => resume(Effect.void))
    }),
    () =>
      Effect.callback<void>((resume) => {
        server.closeAllConnections()
        server.close(() => resume(Effect.void))
      })
  )
  return {
    url: `http://127.0.0.1:${port}`,
    /** How often the links of an analysis were asked for. */
    asked: (analysis: string) => asked.get(analysis) ?? 0
  }
})
