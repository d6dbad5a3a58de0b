/** Which method of a family a command line is for. */
import { optionsOf, takesNext } from "./Options.ts"
import type { Method, StepFamily } from "./Step.ts"

/** The method is the first word that is neither an option nor the value of a setting; null when that word is none. */
export const chooseMethod = (
  family: StepFamily,
  argv: ReadonlyArray<string>
): { readonly method: Method; readonly argv: ReadonlyArray<string> } | null => {
  const settings = optionsOf(family)
  const at = argv.findIndex((word, i) => !word.startsWith("-") && !takesNext(settings, argv[i - 1]))
  const method = family.methods.find(({ method }) => method === argv[at])
  return method === undefined ? null : { method, argv: argv.toSpliced(at, 1) }
}
