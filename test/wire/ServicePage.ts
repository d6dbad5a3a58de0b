/** The endpoints as docs/dev/service.md has them: a new one is written there, and tests compare it with what the code declares. */
import { readFileSync } from "node:fs"
import { root } from "../Root.ts"

const page = readFileSync(`${root}docs/dev/service.md`, "utf8")

/** `/api/person/{personLimsId}` as a declaration of ours writes it: `/api/person/:personLimsId`. */
const declaredPath = (path: string) => path.replace(/\{(\w+)\}/g, ":$1")

/** The rows of section 4.1: method and path, and the names of the client methods that call it. */
export const specified: ReadonlyArray<{ readonly request: string; readonly methods: ReadonlyArray<string> }> = [
  ...page.matchAll(/^\| (GET|PUT|POST) \| (\S+) \| .+ \| ([a-z_, ]+) \|$/gm)
].map(([, method, path = "", names = ""]) => ({
  request: `${method} ${declaredPath(path)}`,
  methods: names.split(", ")
}))

/** The requests that section 12 knows although they are not specified. */
export const observed: ReadonlyArray<string> = [...page.matchAll(/^\| \(not specified\) `(GET|POST) (\S+)` \|/gm)].map(
  ([, method, path = ""]) => `${method} ${declaredPath(path)}`
)
