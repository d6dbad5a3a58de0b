/**
 * Which keys of a configuration file mean something else in the other download tool of this service, whose files have the same keys
 * (docs/coming-from-another-tool.md). `--plan` says so of a file that does not name our schema.
 */
import type { KeyName } from "./Keys.ts"
import type { LocalSettings } from "./Settings.ts"

/** What a key does here, with the key as subject; null where its value means the same in both. */
const meanings: { readonly [K in KeyName]?: (settings: LocalSettings) => string | null } = {
  restoreArchived: ({ restoreArchived }) =>
    restoreArchived === "no"
      ? null
      : restoreArchived === "force"
        ? "counts here, where older versions of the other tool passed over it: it orders every archived file of this plan, which may cost money; no leaves them"
        : "asks at a terminal; without one, as in a nightly job, it means no",
  analysisIds: ({ filters, latest, limsIds, sampleIds }) =>
    latest || [filters, limsIds, sampleIds].some((list) => list.length > 0)
      ? "is one condition of several here: an analysis must fit all of them"
      : null,
  sampleIds: () => anyKind("sample"),
  limsIds: () => anyKind("person"),
  filters: () => "compares numbers as numbers here, and refuses a field that is not known",
  latest: ({ latest }) => (latest ? "takes the newest analysis of each person here, not of each sample" : null),
  range: () => oneFile,
  bed: () => oneFile,
  overwrite: ({ overwrite }) =>
    overwrite ? "fetches every file in every run; without it a file that is whole is kept" : null,
  reportfile: () => "replaces only a report of its own here, and its JSON is another"
}

const anyKind = (whose: string) =>
  `takes analyses of every kind of this ${whose} here, CNV too; filters ["analysisType = SNV"] takes one kind`

const oneFile = "writes one file for all regions here, S1.ranged.bam, with its index"

/** A sentence for each key that the configuration file sets and that means something else there. */
export const unlikeOtherTool = (settings: LocalSettings): ReadonlyArray<string> =>
  Object.entries(meanings).flatMap(([name, meaning]) => {
    const key = name as KeyName
    const said = settings.source(key) === "configuration file" ? meaning(settings) : null
    return said === null ? [] : [`${key} in the configuration file ${said}`]
  })
