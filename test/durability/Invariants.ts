/** What must be true of a folder at every moment of a run, and what after the run that follows. */
import { basename, dirname } from "node:path"
import type { Outcome } from "../Executables.ts"
import { foreignEntry, type Leg, type Scenario, type Tree, trackingFile } from "./Scenario.ts"

const same = (a: Buffer | null | undefined, b: Buffer | null | undefined) =>
  a === b || (a instanceof Buffer && b instanceof Buffer && a.equals(b))

const searched = new WeakMap<Buffer, ReadonlyArray<string>>()

/** The secrets in a file. A power cut leaves many disks with the same bytes, so each buffer is searched once. */
const secretsIn = (bytes: Buffer, secrets: ReadonlyArray<string>): ReadonlyArray<string> => {
  const before = searched.get(bytes)
  if (before !== undefined) return before
  const found = secrets.filter((secret) => bytes.includes(secret))
  searched.set(bytes, found)
  return found
}

/** Names of unfinished work, which all are hidden. */
const unfinished =
  /^\..+\.(?:[0-9a-f]{8}\.part(?:\.json(?:\.new)?)?|[\w-]+\.new)$|\.lock(?:\.break|\.[\w-]+\.wait(?:\.stale)?)?$|^\.svc-steps\.[\w-]+\.spool$/

interface TrackingEntry {
  readonly analysisId: string
  readonly fileName: string
}

const entriesIn = (bytes: Buffer): ReadonlyArray<TrackingEntry> => {
  const content = JSON.parse(bytes.toString("utf8"))
  const entries = Array.isArray(content) ? content : content.restorations
  if (!Array.isArray(entries)) throw new Error("no list of entries")
  return entries
}

const parsed = <A>(read: () => A): A | null => {
  try {
    return read()
  } catch {
    return null
  }
}

const trackingFaults = ({ before, after }: Leg, tree: Tree): ReadonlyArray<string> => {
  if (!before.has(trackingFile)) return []
  const bytes = tree.get(trackingFile)
  const entries = bytes instanceof Buffer ? parsed(() => entriesIn(bytes)) : null
  if (entries === null) return [`${trackingFile} is ${bytes === undefined ? "gone" : "no restoration file"}`]
  const ofAnalysis = (id: string) => entries.filter(({ analysisId }) => analysisId === id)
  const [own] = entriesIn(before.get(trackingFile) ?? Buffer.from("[]")).filter(({ analysisId }) => analysisId !== "X9")
  const delivered = own === undefined || same(tree.get(`out/${own.fileName}`), after.get(`out/${own.fileName}`))
  return [
    ...(JSON.stringify(ofAnalysis("X9")) === JSON.stringify([foreignEntry])
      ? []
      : ["the entry of somebody else is lost"]),
    ...(new Set(entries.map(({ analysisId }) => analysisId)).size === entries.length
      ? []
      : ["an entry is there twice"]),
    ...(delivered || ofAnalysis(own.analysisId).length === 1 ? [] : ["an entry is gone although its file is not there"])
  ]
}

/** An index must belong to the data file beside it, and where nothing was before, data never stands without its index. */
const pairFaults = ({ after, before, name }: Leg, tree: Tree): ReadonlyArray<string> =>
  [...after.keys()]
    .filter((path) => path.endsWith(".ranged.bam"))
    .flatMap((path) => {
      const [data, index] = [tree.get(path), tree.get(`${path}.bai`)]
      const version = same(data, after.get(path)) ? after : before
      if (data === undefined) return []
      if (index === undefined) return before.has(path) ? [] : [`${path} stands without its index`]
      return same(index, version.get(`${path}.bai`)) ? [] : [`${path}.bai is of another version (${name})`]
    })

/** Spans that a journal calls durable and that are not in its part. */
const brokenPromises = ({ after }: Leg, tree: Tree): ReadonlyArray<string> =>
  [...tree].flatMap(([path, bytes]) => {
    const [, name] = /^out\/\.(.+)\.[0-9a-f]{8}\.part\.json$/.exec(path) ?? []
    if (name === undefined || bytes === null) return []
    const [part, whole] = [tree.get(path.slice(0, -".json".length)), after.get(`out/${name}`)]
    const journal = parsed(() => JSON.parse(bytes.toString("utf8")))
    if (journal === null || !(part instanceof Buffer) || !(whole instanceof Buffer)) return []
    const spans: ReadonlyArray<readonly [from: number, to: number, sum: number]> = journal.spans
    const wrong = spans.filter(([from, to]) => !same(part.subarray(from, to), whole.subarray(from, to)))
    return wrong.map(([from, to]) => `${path} calls ${from}-${to} durable, and it is not`)
  })

/** What a journal calls durable must be in the part, unless somebody changed the part before the run. */
const journalFaults = (leg: Leg, tree: Tree): ReadonlyArray<string> =>
  brokenPromises(leg, leg.before).length > 0 ? [] : brokenPromises(leg, tree)

const reportFaults = (leg: Leg, tree: Tree): ReadonlyArray<string> => {
  const bytes = tree.get("report.json")
  if (!(bytes instanceof Buffer) || same(bytes, leg.before.get("report.json"))) return []
  const report = parsed(() => JSON.parse(bytes.toString("utf8")))
  return report?.schema === "svc.report/1" ? [] : ["report.json is cut"]
}

/** What is wrong with a folder as a fault left it; nothing of it may ever be. */
export const faultsIn = (leg: Leg, tree: Tree, { secrets }: Pick<Scenario, "secrets">): ReadonlyArray<string> => {
  const faults = [...tree].flatMap(([path, bytes]) => {
    if (bytes === null) return ["out", "locks"].includes(path) ? [] : [`${path} is a folder that nobody asked for`]
    const told = secretsIn(bytes, secrets).map((secret) => `${path} holds ${secret}`)
    if (unfinished.test(basename(path)) || path === trackingFile || path === "report.json") return told
    const known = leg.before.has(path) || leg.after.has(path)
    const whole = same(bytes, leg.before.get(path)) || same(bytes, leg.after.get(path))
    return whole ? told : [...told, known ? `${path} is neither the old nor the new file` : `${path} is unknown`]
  })
  const rules = [trackingFaults, pairFaults, journalFaults, reportFaults]
  return [...faults, ...rules.flatMap((rule) => rule(leg, tree))]
}

/** A lock folder that is named and cannot be used is a wrong setting, said before anything is asked. */
const hasNoLocks = ({ exitCode, stderr }: Outcome) =>
  exitCode === 78 && /^Error: Lock folder .* cannot be used/m.test(stderr)

/** What a run that met a failure must not say. */
export const faultsOf = (outcome: Outcome, { secrets }: Pick<Scenario, "secrets">) => [
  ...([0, 73, 74].includes(outcome.exitCode) || hasNoLocks(outcome)
    ? []
    : [`it ended ${outcome.exitCode}: ${outcome.stderr.trim().split("\n").at(-1)}`]),
  ...(outcome.exitCode !== 0 && outcome.stderr.trim() === "" ? ["it failed without a word"] : []),
  ...(/\n\s+at .*[:(]/.test(outcome.stderr) ? [`it showed a stack trace: ${outcome.stderr}`] : []),
  ...secrets.filter((secret) => (outcome.stderr + outcome.stdout).includes(secret)).map((secret) => `it told ${secret}`)
]

/** What a run that ended 0 must have brought, whatever happens then. */
export const notDelivered = (leg: Leg, tree: Tree): ReadonlyArray<string> => {
  const wanted = [...leg.after].filter(([path]) => path.startsWith("out/") || path.endsWith(".jsonl"))
  const missing = wanted.filter(([path, bytes]) => !same(bytes, tree.get(path))).map(([path]) => path)
  const tracked = (of: Tree) => entriesIn(of.get(trackingFile) ?? Buffer.from("[]")).map(({ analysisId }) => analysisId)
  const lost = tracked(leg.after).filter((id) => !tracked(tree).includes(id))
  const unreported = leg.after.has("report.json") && same(tree.get("report.json"), leg.before.get("report.json"))
  return [...missing, ...lost.map((id) => `the entry of ${id}`), ...(unreported ? ["report.json"] : [])].map(
    (what) => `it ended 0 without ${what}`
  )
}

/** A card of a process that was killed while it wrote it tells no owner, and is cleared away when it is ten seconds old. */
const lasting = ([path, bytes]: readonly [string, Buffer | null]) =>
  bytes === null || !/\.(?:wait|break)$/.test(path) || parsed(() => JSON.parse(bytes.toString("utf8"))) !== null

const comparable = (path: string, bytes: Buffer | null): unknown => {
  if (bytes === null) return null
  // Times differ.
  if (path === trackingFile) return entriesIn(bytes).map(({ analysisId, fileName }) => [analysisId, fileName])
  if (path === "report.json") return JSON.parse(bytes.toString("utf8")).exitCode
  return bytes.toString("base64")
}

/** What is wrong with a folder after a run that nothing disturbed; `left` is what it found. */
export const faultsAfterwards = (leg: Leg, left: Tree, tree: Tree, outcome: Outcome): ReadonlyArray<string> => {
  if (outcome.exitCode !== 0) return [`the next run ended ${outcome.exitCode}: ${outcome.stderr}`]
  const expected = new Map(leg.after)
  const found = new Map([...tree].filter(lasting))
  for (const path of new Set([...expected.keys(), ...found.keys()])) {
    if (path === "locks" || dirname(path) === "locks") continue
    const [wanted, had] = [expected.get(path), found.get(path)]
    if (had === undefined) return [`the next run did not bring ${path}`]
    if (wanted === undefined) return [`the next run left ${path}`]
    if (JSON.stringify(comparable(path, wanted)) !== JSON.stringify(comparable(path, had))) {
      return [`the next run made another ${path}`]
    }
  }
  // A run that has nothing to ask the service does not touch the account's lock; the next one that has takes it over, and
  // clears away what stands in line for it.
  const tracked = left.get(trackingFile)
  const idle = tracked instanceof Buffer && entriesIn(tracked).every(({ analysisId }) => analysisId === "X9")
  const untouched = (path: string) => (idle || path.endsWith(".lock")) && same(left.get(path), tree.get(path))
  const locks = [...found.keys()].filter((path) => dirname(path) === "locks" && !untouched(path))
  return locks.length === 0 ? [] : [`the next run left ${locks.join(", ")}`]
}
