/** What the executables really contain, as CycloneDX 1.6 and as texts of licences: the same sources give the same text, so no time and no number. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { Metafile } from "esbuild"

interface Locked {
  readonly version?: string
  readonly license?: string
  readonly integrity?: string
}

export interface Lock {
  readonly packages: Readonly<Record<string, Locked>>
}

/** The packages of which at least one byte is in the output: a module whose exports nobody uses is not. */
export const packagesIn = ({ outputs }: Pick<Metafile, "outputs">): ReadonlyArray<string> => {
  const paths = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => (bytesInOutput > 0 ? [path] : []))
  )
  const folder = /^((?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+)\//
  return [...new Set(paths.flatMap((path) => folder.exec(path)?.[1] ?? []))].sort()
}

/** `sha512-<base64>` of the lock as SBOMs spell it. */
const hashes = (integrity: string | undefined) =>
  (integrity ?? "").split(" ").flatMap((text) => {
    const [, bits, base64 = ""] = /^sha(256|384|512)-(.+)$/.exec(text) ?? []
    return bits === undefined ? [] : [{ alg: `SHA-${bits}`, content: Buffer.from(base64, "base64").toString("hex") }]
  })

/** The name of the package in a folder of the lock, such as `node_modules/effect`. */
export const nameOf = (folder: string): string =>
  folder.slice(folder.lastIndexOf("node_modules/") + "node_modules/".length)

const purl = (name: string, version: string) => `pkg:npm/${name.replace("@", "%40")}@${version}`

/** @param packages - folders below the root, as in the lock: `node_modules/effect` */
export const sbom = (root: string, packages: ReadonlyArray<string>): string => {
  const product = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
  const lock: Lock = JSON.parse(readFileSync(`${root}package-lock.json`, "utf8"))
  const components = packages.map((folder) => {
    const { integrity, license, version = "" } = lock.packages[folder] ?? {}
    const packed = nameOf(folder)
    // Scanners know the faults of Node by these names, and none of the npm package that brings it.
    const isNode = /^node-linux-/.test(packed)
    const name = isNode ? "node" : packed
    const reference = isNode ? `pkg:generic/node@${version}` : purl(name, version)
    return {
      type: isNode ? "platform" : "library",
      "bom-ref": reference,
      name,
      version,
      purl: reference,
      ...(isNode ? { cpe: `cpe:2.3:a:nodejs:node.js:${version}:*:*:*:*:*:*:*` } : {}),
      licenses: [{ license: { id: license } }],
      hashes: hashes(integrity)
    }
  })
  const own = purl(product.name, product.version)
  const bill = {
    bomFormat: "CycloneDX",
    specVersion: "1.6",
    version: 1,
    metadata: {
      component: {
        type: "application",
        "bom-ref": own,
        name: product.name,
        version: product.version,
        purl: own,
        licenses: [{ license: { id: product.license } }]
      }
    },
    components,
    dependencies: [{ ref: own, dependsOn: components.map(({ purl }) => purl) }]
  }
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** The licences of these packages, as text. */
export const licences = (root: string, packages: ReadonlyArray<string>): string => {
  const texts = packages.map((path) => {
    const folder = join(root, path)
    const { license, name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
    const file = ["LICENSE", "LICENSE.md", "LICENSE.txt", "license"]
      .map((name) => join(folder, name))
      .find((path) => existsSync(path))
    const text = file === undefined ? "" : `\n\n${readFileSync(file, "utf8").trim()}`
    return `${name} ${version} (${license})${text}\n`
  })
  return `The executables contain parts of these packages.\n\n${texts.join(`\n${"-".repeat(80)}\n`)}`
}
