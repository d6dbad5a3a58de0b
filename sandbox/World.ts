import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Behaviour } from "./Behaviour.ts"
import type { FileGroup } from "./DataFolder.ts"
import { type GeneEntry, limsIdOf, makeGenes, makePersons, type PersonRecord } from "./SampleRecords.ts"
import { diskFile, type FileIdentity, memoryFile, type StoredFile } from "./StoredFile.ts"
import { type JsonObject, type WireId, type WireIds, wireIds } from "./WireIds.ts"
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

export interface PanelRecord {
  readonly id: WireId
  readonly name: string
  readonly active: boolean
  readonly description: string | null
  readonly personId: WireId | null
  readonly geneIds: ReadonlyArray<WireId>
}

/** What there is when the sandbox starts, in wire form. What changes later is in Registry, Files and Archive. */
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

const allGenes = 1

const analysisRecord = (
  id: WireId,
  n: number,
  seed: number,
  about: { personLimsId: string | null; sampleId: string | null; type: string; status: string }
): AnalysisRecord => ({
  id,
  personLimsId: about.personLimsId,
  sampleId: about.sampleId,
  inputFilePaths: about.sampleId === null ? [] : [`/incoming/run-${100 + n}/${about.sampleId}_R1.fastq.gz`],
  seed: seed * 1000 + n,
  item: {
    id,
    analysisType: about.type,
    status: about.status,
    regulatoryStatus: "IN_VITRO_DIAGNOSTIC",
    sourceId: null,
    sampleId: about.sampleId,
    sampleOrigin: "GERMLINE",
    enrichmentKitName: about.type === "CNV" ? null : "Exome v7",
    referencedAnalysisId: null,
    personLimsId: about.personLimsId,
    jobName: `run-${100 + n}`,
    analysisApproval:
      n === 1
        ? {
            analysisId: id,
            userId: 3,
            userName: "b.approver",
            approvalTime: "2026-10-05T16:40:00.000Z",
            status: "APPROVED",
            comment: null
          }
        : null,
    sequencingBatchId: 40 + Math.ceil(n / 3),
    firstAnnotated: about.status === "DONE" ? `2026-09-${String(10 + (n % 18)).padStart(2, "0")}T08:30:00.250Z` : null,
    lastAnnotated: about.status === "DONE" ? "2026-11-02T21:05:11" : null
  }
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

const makePanels = (genes: ReadonlyArray<GeneEntry>, ids: WireIds): ReadonlyArray<PanelRecord> => {
  const panel = (n: number, name: string, symbols: ReadonlyArray<string> | null): PanelRecord => ({
    id: ids.panel(n),
    name,
    active: true,
    description: symbols === null ? null : `${name}, version 1`,
    personId: null,
    geneIds: genes.filter((gene) => symbols === null || symbols.includes(gene.symbol)).map((gene) => gene.id)
  })
  return [
    panel(allGenes, "All genes", null),
    panel(2, "Hereditary cancer", ["APC", "BRCA1", "BRCA2", "MLH1", "PTEN", "TP53"]),
    panel(3, "Aorta and heart muscle", ["FBN1", "LDLR", "MYH7"])
  ]
}

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

export class World extends Context.Service<World, WorldData>()("svc-steps/sandbox/World") {
  static readonly layer = (input: WorldInput) =>
    Layer.effect(
      World,
      Effect.gen(function* () {
        const { ids: form, seed } = yield* Behaviour
        const ids = wireIds(form)
        const content = input.worldFile?.content ?? {}
        const draft =
          content.empty === true ? { persons: [], analyses: [], files: [] } : fromGroups(input.groups, ids, seed)
        if (input.complete && content.empty !== true)
          draft.analyses.push(...withoutFiles(draft.analyses.length, ids, seed))
        if (input.worldFile !== null) yield* extend(draft, content, input.worldFile.path, seed)
        const genes = makeGenes(ids)
        return World.of({
          ids,
          accounts: content.accounts ?? [demoAccount],
          genes,
          panels: makePanels(genes, ids),
          ...draft
        })
      })
    )
}
