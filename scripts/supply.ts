/**
 * `npm run supply`: whose code the product contains and needs, and whether that can be trusted. One line per rule with `ok`,
 * `FAILED` and why, or `NOT CHECKED` where something outside did not answer; ends 1 when a rule failed.
 */
import { spawnSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { genomeBrowser } from "./bundling.ts"
import { nameOf } from "./sbom.ts"

interface Locked {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
  readonly hasInstallScript?: boolean
  readonly optional?: boolean
  readonly link?: boolean
  readonly os?: ReadonlyArray<string>
  readonly cpu?: ReadonlyArray<string>
  readonly libc?: ReadonlyArray<string>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
}

const root = fileURLToPath(new URL("..", import.meta.url))
const readJson = (path: string) => JSON.parse(readFileSync(join(root, path), "utf8"))
const product = readJson("package.json")
/** All but our own ones, the root and `scripts/node`. */
const packages: Readonly<Record<string, Locked>> = Object.fromEntries(
  Object.entries<Locked>(readJson("package-lock.json").packages).filter(
    ([path, { link }]) => path.startsWith("node_modules/") && link !== true
  )
)

/** Where Node finds `name` from a package. */
const resolvePackage = (from: string, name: string): string | null => {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf("/node_modules/")))) {
    const path = folder === "" ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (path in packages) return path
    if (folder === "" || !folder.includes("node_modules")) return null
    if (!folder.includes("/node_modules/")) folder = ""
  }
}

const direct = Object.keys({ ...product.dependencies, ...product.peerDependencies })

/** Everything that is installed for those who run the product. */
const runtime = (() => {
  const found = new Set<string>()
  const visit = (from: string, names: ReadonlyArray<string>): void => {
    for (const path of names.flatMap((name) => resolvePackage(from, name) ?? [])) {
      if (found.has(path)) continue
      found.add(path)
      const { dependencies, peerDependencies } = packages[path] ?? {}
      visit(path, Object.keys({ ...dependencies, ...peerDependencies }))
    }
  }
  visit("", direct)
  return [...found].sort()
})()

const fits = (wanted: ReadonlyArray<string> | undefined, here: string) => wanted === undefined || wanted.includes(here)
/** An optional package that names a C library may be for the other one: then it is not installed here. */
const isForHere = ([path, { cpu, libc, os }]: readonly [string, Locked]) =>
  fits(os, process.platform) && fits(cpu, process.arch) && (libc === undefined || existsSync(join(root, path)))

const permissive = ["MIT", "ISC", "0BSD", "BSD-2-Clause", "BSD-3-Clause", "Apache-2.0", "MIT OR Apache-2.0"]
/** MPL-2.0 is for what builds and tests: none of its code is passed on. */
const building = [...permissive, "MPL-2.0"]

const unlicensed = (paths: ReadonlyArray<string>, allowed: ReadonlyArray<string>) =>
  paths
    .filter((path) => !allowed.includes(packages[path]?.license ?? ""))
    .map((path) => `${nameOf(path)}: ${packages[path]?.license ?? "no licence"}`)

let failed = false
const say = (result: "ok" | "FAILED" | "NOT CHECKED", what: string, details: ReadonlyArray<string> = []) => {
  if (result === "FAILED") failed = true
  console.log(`${result.padEnd(11)} ${what}${details.length === 0 ? "" : `: ${details.join(", ")}`}`)
}
const rule = (what: string, broken: ReadonlyArray<string>) => say(broken.length === 0 ? "ok" : "FAILED", what, broken)

// --- the lock --------------------------------------------------------------------------------------------------------

const declared: ReadonlyArray<readonly [string, string]> = Object.entries({
  ...product.dependencies,
  ...product.devDependencies,
  ...readJson("scripts/node/package.json").optionalDependencies
})
rule(`at most 5 direct runtime dependencies (${direct.length})`, direct.length <= 5 ? [] : direct)
rule(
  `exact versions of all ${declared.length} declared packages`,
  declared
    .filter(
      ([name, version]) =>
        !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version) || packages[`node_modules/${name}`]?.version !== version
    )
    .map(([name, version]) => `${name} ${version}`)
)
rule(
  `no install scripts among ${runtime.length} runtime packages`,
  runtime.filter((path) => packages[path]?.hasInstallScript === true).map(nameOf)
)
const here = Object.entries(packages).filter(isForHere)
rule(
  `a SHA-512 of each of the ${here.length} packages of this platform`,
  here.filter(([, { integrity }]) => integrity?.startsWith("sha512-") !== true).map(([path]) => nameOf(path))
)
const elsewhere = Object.entries(packages).filter(
  ([path, { integrity }]) => integrity === undefined && !here.some(([other]) => other === path)
)
const strange = elsewhere.filter(([, { optional }]) => optional !== true).map(([path]) => nameOf(path))
rule(`packages without a hash (${elsewhere.length}) are optional ones of other platforms`, strange)
// A copy of it is passed on, and nobody has to install it.
const passedOn = [...runtime, genomeBrowser]
rule("licences of what is passed on", unlicensed(passedOn, permissive))
rule("licences of all packages", unlicensed(Object.keys(packages), building))

// --- the registry ----------------------------------------------------------------------------------------------------

const audit = spawnSync("npm", ["audit", "--json"], { cwd: root, encoding: "utf8", timeout: 15_000 })
const answer = (() => {
  try {
    return JSON.parse(audit.stdout)
  } catch {
    return {}
  }
})()
if (answer.vulnerabilities === undefined) {
  say("NOT CHECKED", "npm audit", ["no registry answered"])
} else rule("npm audit", Object.keys(answer.vulnerabilities))

// --- the build -------------------------------------------------------------------------------------------------------

const bill = readJson("dist/sbom.cdx.json")
const bundled: ReadonlyArray<{ readonly name: string; readonly hashes: ReadonlyArray<unknown> }> = bill.components
rule(
  `the bill of materials names ${bundled.length} bundled packages, all of them known ones with a hash`,
  bundled
    .filter(({ hashes, name }) => hashes.length === 0 || !passedOn.some((path) => nameOf(path) === name))
    .map(({ name }) => name)
)
process.exitCode = failed ? 1 : 0
