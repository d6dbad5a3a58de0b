/** Which options do not go together, and which mean something only beside another. Plain data that loads nothing, as the options are. */

/** Options by their names; `check=structure` is one with a certain value, `filetypes!=bam` a list without it. */
export interface Combination {
  readonly options: ReadonlyArray<string>
  /** None of the options goes with any of these; those that are in both lists exclude one another. */
  readonly without?: ReadonlyArray<string>
  /** Each of the options needs one of these. */
  readonly with?: ReadonlyArray<string>
  readonly why: string
  /**
   * What stands in a file or a variable for all runs rests where it has nothing to do; what somebody types there is a mistake. It is
   * about `without`, and about options that need others. Other combinations would deliver wrong data, wherever they are set.
   */
  readonly typed?: true
}

/** Also of the library and of `svc-steps restorations`. */
export const regionCombinations: ReadonlyArray<Combination> = [
  { options: ["bed"], without: ["range", "unmapped"], why: "give the regions as range" },
  { options: ["unmapped"], without: ["filetypes!=bam"], why: "unplaced reads are in files of the type bam" }
]

/** Those of the keys of all steps. */
export const keyCombinations: ReadonlyArray<Combination> = [
  ...regionCombinations,
  {
    options: ["list", "plan"],
    without: ["plan", "stdout"],
    why: "each replaces the download by something else"
  },
  {
    options: ["resumeArchivedDownloads"],
    without: ["plan", "stdout"],
    why: "stored requests are resumed as they were made"
  },
  {
    options: ["list", "plan"],
    without: ["wait", "reportfile", "samplesheet"],
    why: "files are only shown, with nothing to wait for or report",
    typed: true
  },
  {
    options: ["stdout"],
    without: [
      ...["destination", "overwrite", "layout", "checksums", "makeIndex", "samplesheet", "wait"],
      ...["restoreArchived", "maxRestores", "restorationFile", "pendingOk"]
    ],
    why: "nothing is kept or waited for",
    typed: true
  },
  {
    options: ["stdout"],
    without: ["check=structure"],
    why: "what has gone to standard output cannot be taken back, so all of it is checked before",
    typed: true
  },
  {
    options: ["samplesheetColumns", "samplesheetPartial"],
    with: ["samplesheet"],
    why: "the rows go there"
  },
  { options: ["poll"], with: ["wait"], why: "it is how often to look while waiting", typed: true },
  {
    options: ["format"],
    with: ["list", "plan"],
    why: "it is the form of what is shown in place of files; what a run did is JSON with --reportfile FILE",
    typed: true
  }
]

/** Options as they were given, to which defaults do not belong. */
export interface Given {
  /** What an option is set to; null where nobody set it. */
  readonly setTo: (name: string) => unknown
  /** Whether it stands on the command line. */
  readonly isTyped: (name: string) => boolean
  /** How a person calls it where it was set; null for an option that the step does not have. */
  readonly called: (name: string) => string | null
}

export interface CombinationProblem {
  /** Those of the options that stand in the way of others. */
  readonly options: ReadonlyArray<string>
  /** One sentence. */
  readonly message: string
}

/** What is wrong with options beside one another: one sentence for each combination, which names all options that take part in it. */
export const combinationProblems = (
  combinations: ReadonlyArray<Combination>,
  { called, isTyped, setTo }: Given
): ReadonlyArray<CombinationProblem> => {
  const isOn = (term: string): boolean => {
    const [name = "", value] = term.split(/!?=/)
    const set = setTo(name)
    if (term.includes("!=")) return Array.isArray(set) && set.length > 0 && !set.includes(value)
    if (value !== undefined) return set === value
    return set !== null && set !== false && !(Array.isArray(set) && set.length === 0)
  }
  const isTypedTerm = (term: string) => isTyped(nameOf(term))
  const words = (terms: ReadonlyArray<string>, last: string) => {
    const all = terms.flatMap((term) => {
      const name = called(nameOf(term))
      const [, value] = term.split(/(?<!!)=/)
      return name === null ? [] : [value === undefined ? name : `${name} ${value}`]
    })
    return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} ${last} ${all.at(-1)}`
  }
  return combinations.flatMap(({ options, typed = false, why, with: needed, without }) => {
    const found = options.filter((term) => isOn(term) && (needed === undefined || !typed || isTypedTerm(term)))
    if (found.length === 0) return []
    if (needed !== undefined) {
      if (needed.some(isOn)) return []
      return [
        {
          options: found.map(nameOf),
          message: `${words(found, "and")} ${found.length === 1 ? "needs" : "need"} ${words(needed, "or")}: ${why}`
        }
      ]
    }
    const others = (without ?? []).filter((term) => isOn(term) && (!typed || isTypedTerm(term)))
    const all = [...new Set([...found, ...others])]
    if (others.length === 0 || all.length < 2) return []
    return [{ options: others.map(nameOf), message: `${words(all, "and")} cannot be used together: ${why}` }]
  })
}

const nameOf = (term: string): string => term.split(/!?=/)[0] ?? ""
