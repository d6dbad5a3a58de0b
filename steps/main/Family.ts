/** Which method of a family a command line is for. */

import { keysOf, table } from "../../core/src/settings/Keys.ts"
import { didYouMean, nearest } from "../../core/src/text/Spelling.ts"
import { asksForCompletions, isOption, optionAt } from "./Arguments.ts"
import type { Method, StepFamily } from "./Step.ts"

export type Choice =
  | { readonly kind: "method"; readonly method: Method; readonly argv: ReadonlyArray<string> }
  | { readonly kind: "help" }
  | { readonly kind: "version" }
  /** The arguments of `--completions`. */
  | { readonly kind: "completions"; readonly argv: ReadonlyArray<string> }
  /** One sentence, without `Error: `. */
  | { readonly kind: "wrong"; readonly message: string }

/**
 * The method is the first word that is neither an option nor the value of a setting. `help METHOD` is `METHOD --help`.
 * Settings may stand before the method; its own options must follow it.
 */
export const chooseMethod = (family: StepFamily, argv: ReadonlyArray<string>): Choice => {
  const settings = keysOf(family.name).map((name) => ({ name, option: table[name] }))
  for (let i = 0; i < argv.length; i++) {
    const argument = argv[i] ?? ""
    if (argument === "--help" || argument === "-h") return { kind: "help" }
    if (argument === "--version" || argument === "-v") return { kind: "version" }
    if (asksForCompletions(argument)) return { kind: "completions", argv }
    const setting = optionAt(settings, argument)
    if (setting !== null) {
      if (setting.option.type !== "flag" && !argument.includes("=")) i++
      continue
    }
    const before = argv.slice(0, i)
    const after = argv.slice(i + 1)
    if (argument === "help") {
      const [about] = after
      return about === undefined ? { kind: "help" } : chooseMethod(family, [...before, about, "--help"])
    }
    if (isOption(argument)) {
      return { kind: "wrong", message: `The method comes first, before ${argument.split("=")[0]}` }
    }
    const method = family.methods.find(({ method }) => method === argument)
    if (method !== undefined) return { kind: "method", method, argv: [...before, ...after] }
    const names = family.methods.map(({ method }) => method)
    // The library calls it getPerson, other tools get_person.
    const kebab = argument
      .replace(/([a-z])([A-Z])/g, "$1-$2")
      .replaceAll("_", "-")
      .toLowerCase()
    const near = names.includes(kebab) ? kebab : nearest(argument, names)
    return { kind: "wrong", message: `Unknown method ${argument}${didYouMean(near)}` }
  }
  return { kind: "wrong", message: "No method is given" }
}
