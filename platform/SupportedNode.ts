/** Which Node all of this needs. It loads nothing, so that an old Node can be told before anything else fails. */
import product from "../package.json" with { type: "json" }

const numbers = (version: string) => version.replace(/^>=/, "").split(".").map(Number)

const [oldestMajor = 0, oldestMinor = 0] = numbers(product.engines.node)

/** Such as `22.19`. */
export const oldestNode = `${oldestMajor}.${oldestMinor}`

/** The version of this Node when it is older than that, else null. */
export const olderNode = (): string | null => {
  const [major = 0, minor = 0] = numbers(process.versions.node)
  const good = major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)
  return good ? null : process.versions.node
}
