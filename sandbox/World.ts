import * as Effect from "effect/Effect"
import type { BehaviourValues } from "./Behaviour.ts"
import type { FileGroup } from "./DataFolder.ts"
import {
  type AnalysisFacts,
  analysisItemOf,
  type GeneEntry,
  limsIdOf,
  makeGenes,
  makePanels,
  makePersons,
  type PanelRecord,
  type PersonRecord
} from "./SampleRecords.ts"
import { diskFile, type FileIdentity, memoryFile, type StoredFile } from "./Storage.ts"
import { type JsonObject, type WireId, type WireIds, wireIds } from "./WireJson.ts"
import { type Content, contentOf, SandboxInputMalformed, type WorldFile } from "./WorldFile.ts"

export interface Account {
  readonly user: string
  readonly password: string
}

/** An analysis: its item as `GET /api/analyses` lists it, and what belongs to its files. */
export interface AnalysisRecord {
  readonly id: WireId
  readonly personLimsId: string | null
  readonly sampleId: string | null
  readonly item: JsonObject
  readonly inputFilePaths: ReadonlyArray<string>
  /** Seed of its annotations. */
  readonly seed: number
}

/** What there is when the sandbox starts, in wire form. What changes later is in the other parts of `State`. */
export interface WorldData {
  readonly ids: WireIds
  /** The first one is the one that is announced. */
  readonly accounts: readonly [Account, ...ReadonlyArray<Account>]
  readonly genes: ReadonlyArray<GeneEntry>
  readonly persons: ReadonlyArray<PersonRecord>
  readonly panels: ReadonlyArray<PanelRecord>
  readonly analyses: ReadonlyArray<AnalysisRecord>
  readonly files: ReadonlyArray<StoredFile>
}

/** The account when no world file names one; the password is not a secret and says so. */
const demoAccount: Account = { user: "demo", password: "not-a-secret" }

const analysisRecord = (id: WireId, n: number, seed: number, about: AnalysisFacts): AnalysisRecord => ({
  id,
  personLimsId: about.personLimsId,
  sampleId: about.sampleId,
  inputFilePaths: about.sampleId === null ? [] : [`/incoming/run-${100 + n}/${about.sampleId}_R1.fastq.gz`],
  seed: seed * 1000 + n,
  item: analysisItemOf(id, n, about)
})

const storedFile = (identity: FileIdentity, content: Content): StoredFile =>
  content._tag === "Memory" ? memoryFile(identity, content.bytes) : diskFile(identity, content.path, content)

interface Draft {
  persons: Array<PersonRecord>
  analyses: Array<AnalysisRecord>
  files: Array<StoredFile>
}

/** One SNV analysis for each group of files, given to four people in turn. */
const fromGroups = (groups: ReadonlyArray<FileGroup>, ids: WireIds, seed: number): Draft => {
  const files: Array<StoredFile> = []
  const analyses = groups.map((group, i) => {
    const id = ids.analysis(i + 1)
    for (const { name, content, archived } of group.files) {
      const identity = { key: `${files.length + 1}`, analysis: String(id), name, startsArchived: archived }
      files.push(storedFile(identity, content))
    }
    const about = { personLimsId: limsIdOf((i % 4) + 1), sampleId: group.base, type: "SNV", status: "DONE" }
    return analysisRecord(id, i + 1, seed, about)
  })
  return { persons: [...makePersons(ids)], analyses, files }
}

/** Two analyses without files: the CNV analysis of the first person, and one that is not finished. */
const withoutFiles = (after: number, ids: WireIds, seed: number): ReadonlyArray<AnalysisRecord> => [
  analysisRecord(ids.analysis(after + 1), after + 1, seed, {
    personLimsId: limsIdOf(1),
    sampleId: "S-0001-CNV",
    type: "CNV",
    status: "DONE"
  }),
  analysisRecord(ids.analysis(after + 2), after + 2, seed, {
    personLimsId: limsIdOf(2),
    sampleId: null,
    type: "SNV",
    status: "PENDING"
  })
]

/** Puts the changes of a world file on a draft. `origin` is the path of that file. */
const extend = Effect.fn("World.extend")(function* (draft: Draft, file: WorldFile, origin: string, seed: number) {
  for (const { limsId, id, personalInformation, clinicalInformation } of file.persons ?? []) {
    const at = draft.persons.findIndex((person) => person.limsId === limsId)
    const old = draft.persons[at]
    const person: PersonRecord = {
      limsId,
      id: id ?? old?.id ?? `P${draft.persons.length + 1}`,
      personalInformation: { limsId, ...old?.personalInformation, ...personalInformation },
      clinicalInformation: { limsId, ...old?.clinicalInformation, ...clinicalInformation }
    }
    if (old === undefined) draft.persons.push(person)
    else draft.persons[at] = person
  }
  for (const entry of file.analyses ?? []) {
    const at = draft.analyses.findIndex((analysis) => String(analysis.id) === String(entry.id))
    const about = {
      personLimsId: entry.personLimsId ?? null,
      sampleId: entry.sampleId ?? null,
      type: "SNV",
      status: "DONE"
    }
    const old = draft.analyses[at] ?? analysisRecord(entry.id, draft.analyses.length + 1, seed, about)
    const personLimsId = entry.personLimsId === undefined ? old.personLimsId : entry.personLimsId
    const sampleId = entry.sampleId === undefined ? old.sampleId : entry.sampleId
    const analysis: AnalysisRecord = {
      ...old,
      personLimsId,
      sampleId,
      inputFilePaths: entry.customerProvidedInputFilePaths ?? old.inputFilePaths,
      item: { ...old.item, personLimsId, sampleId, ...entry.item }
    }
    if (at < 0) draft.analyses.push(analysis)
    else draft.analyses[at] = analysis

    for (const { name, copyOf, archived, link, listedSize, ...source } of entry.files ?? []) {
      const place = draft.files.findIndex((stored) => stored.analysis === String(entry.id) && stored.name === name)
      const before = draft.files[place]
      const identity: FileIdentity = {
        key: before?.key ?? `${draft.files.length + 1}`,
        analysis: String(entry.id),
        name,
        startsArchived: archived ?? before?.startsArchived ?? false,
        ...(link === undefined ? {} : { link }),
        ...(listedSize === undefined ? {} : { listedSize })
      }
      const content = yield* contentOf({ name, ...source }, origin)
      const copied = draft.files.find((stored) => `${stored.analysis}/${stored.name}` === copyOf) ?? before
      const stored = content !== null ? storedFile(identity, content) : copied && { ...copied, ...identity }
      if (stored === undefined) {
        const reason = `${entry.id}/${name}: give path, base64, or copyOf of a file that exists`
        return yield* new SandboxInputMalformed({ path: origin, reason })
      }
      if (place < 0) draft.files.push(stored)
      else draft.files[place] = stored
    }
  }
})

export interface WorldInput {
  readonly groups: ReadonlyArray<FileGroup>
  /** Add the analyses that have no files. */
  readonly complete: boolean
  readonly worldFile: { readonly path: string; readonly content: WorldFile } | null
}

/** What there is when a sandbox starts. */
export const makeWorld = Effect.fnUntraced(function* (
  { complete, groups, worldFile }: WorldInput,
  { ids: form, seed }: BehaviourValues
) {
  const ids = wireIds(form)
  const content = worldFile?.content ?? {}
  const empty = content.empty === true
  const draft = empty ? { persons: [], analyses: [], files: [] } : fromGroups(groups, ids, seed)
  if (complete && !empty) draft.analyses.push(...withoutFiles(draft.analyses.length, ids, seed))
  if (worldFile !== null) yield* extend(draft, content, worldFile.path, seed)
  const genes = makeGenes(ids)
  const world: WorldData = {
    ids,
    accounts: content.accounts ?? [demoAccount],
    genes,
    panels: makePanels(genes, ids),
    ...draft
  }
  return world
})

/** The records clients can change: persons and virtual panels, and which panel a user looked at a person with last. */
export const makeRegistry = (world: WorldData) => {
  const byLimsId = new Map<string, PersonRecord>()
  const panels = new Map<string, PanelRecord>()
  const chosen = new Map<string, string>()
  const reset = () => {
    byLimsId.clear()
    panels.clear()
    chosen.clear()
    for (const person of world.persons) byLimsId.set(person.limsId, person)
    for (const panel of world.panels) panels.set(String(panel.id), panel)
  }
  reset()
  return {
    persons: () => [...byLimsId.values()],
    personByLimsId: (limsId: string) => byLimsId.get(limsId),
    personById: (id: string) => [...byLimsId.values()].find((person) => String(person.id) === id),
    /** Adds or replaces the person of this LIMS id; a new one gets the next internal id. */
    savePerson: (person: Omit<PersonRecord, "id">): PersonRecord => {
      const saved = { ...person, id: byLimsId.get(person.limsId)?.id ?? world.ids.person(byLimsId.size + 1) }
      byLimsId.set(person.limsId, saved)
      return saved
    },
    panels: () => [...panels.values()],
    panel: (id: string) => panels.get(id),
    savePanel: (panel: Omit<PanelRecord, "id"> & { readonly id: WireId | null }): PanelRecord => {
      const saved = { ...panel, id: panel.id ?? world.ids.panel(panels.size + 1) }
      panels.set(String(saved.id), saved)
      return saved
    },
    /**
     * The genes an answer about a person is restricted to: those of the given panel, which is remembered for this user
     * and person, or of the panel remembered last, or all.
     */
    chosenGenes: (user: string, limsId: string, panelId: string | undefined) => {
      const key = `${user}\n${limsId}`
      if (panelId !== undefined) chosen.set(key, panelId)
      const panel = panels.get(chosen.get(key) ?? "1")
      return panel === undefined ? world.genes : world.genes.filter((gene) => panel.geneIds.includes(gene.id))
    },
    reset
  }
}
