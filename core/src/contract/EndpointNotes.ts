/**
 * The note on each endpoint: the arguments of its client method, what a "not found" is about, whether it is slow or changes data,
 * and how `svc-api` offers it. `Endpoints.ts` attaches each note to its endpoint. Client methods, streams, commands, help,
 * completions and pages are derived from the notes.
 *
 * Plain data, so that `--help` loads no schema.
 */

/** What an argument is: an identifier, a list of them, texts, or the record that is sent. */
export type ArgumentKind = "lims" | "internal" | "analysis" | "panel" | "analyses" | "texts" | "record"

/** A parameter of path or query by its name, or `payload` for the body. */
export interface Argument {
  readonly name: string
  readonly kind: ArgumentKind
  /** May be left out, which means all. An empty list means none: no request is sent. */
  readonly optional?: true
  /** The field by which an item of the answer names its element of this list; elements without an item were not found. */
  readonly itemField?: string
  /** One sentence for the help, when the kind does not say it. */
  readonly help?: string
}

/** A parameter of the query that a caller may choose: a virtual panel, or a flag that is sent as `true`. */
export type Choice =
  | { readonly name: string; readonly kind: "virtualPanel" }
  | { readonly name: string; readonly kind: "flag"; readonly help: string }

export interface EndpointNote {
  /** One sentence without a full stop. */
  readonly summary: string
  /** Heading of its command. */
  readonly group: "Persons" | "Analyses" | "Findings" | "Reports" | "Virtual panels and genes" | "Files"
  /** The arguments of the method, in their order. */
  readonly takes: ReadonlyArray<Argument>
  /** Members of the last argument. */
  readonly choices?: ReadonlyArray<Choice>
  /** What a "not found" is about: `{name}` stands for an argument. Absent when nothing is named that could be missing. */
  readonly subject?: string
  /** The answer takes minutes to begin. */
  readonly slow?: true
  /** The answer may be larger than memory: there is a stream of it. */
  readonly large?: true
  /** It changes data, so it is never sent twice. */
  readonly mutates?: true
  /** How the command differs: its name where it is not the method's, and an example. Null when the command is written by hand. */
  readonly command?: { readonly name?: string; readonly example?: string } | null
}

const person = { name: "personLimsId", kind: "lims" } as const
const analysis = { name: "analysisId", kind: "analysis" } as const
const virtualPanel = { name: "virtualPanelId", kind: "virtualPanel" } as const

/** The notes by endpoint name, which is also the name of the client method. */
export const endpointNotes = {
  getInternalPersonId: {
    summary: "The internal identifier of a person",
    group: "Persons",
    takes: [person],
    subject: "person {personLimsId}",
    command: { example: "LIMS-0001" }
  },
  getPerson: {
    summary: "A person with the clinical information",
    group: "Persons",
    takes: [person],
    subject: "person {personLimsId}"
  },
  /** The internal identifier. Null and absent fields leave what is stored. Never repeated when its outcome is unknown. */
  createOrUpdatePerson: {
    summary: "Create a person, or change the given fields of one",
    group: "Persons",
    takes: [{ name: "payload", kind: "record" }],
    subject: "person {payload.id}",
    mutates: true,
    command: null
  },
  /** All analyses, or the given ones that exist: the service leaves unknown ones out, without an error. */
  getAnalyses: {
    summary: "All analyses, or the given ones",
    group: "Analyses",
    takes: [{ name: "analysisIds", kind: "analyses", optional: true, itemField: "id" }]
  },
  getPersonAnalyses: {
    summary: "The analyses of a person",
    group: "Analyses",
    takes: [person],
    subject: "person {personLimsId}"
  },
  findAnalysesByFilename: {
    summary: "Analyses by their input files: those with a file whose name contains every part",
    group: "Analyses",
    takes: [{ name: "customerProvidedInputFileName", kind: "texts", help: "A part of the name" }]
  },
  /** The whole table in memory, at most as large as the limit of a body; `annotationRows` streams one of any size. */
  getSnvAnnotations: {
    summary: "The annotated small variants of an analysis; svc-fetch-annotations gives them as rows",
    group: "Findings",
    takes: [analysis],
    subject: "analysis {analysisId}",
    slow: true,
    large: true,
    command: { example: "A1 --output A1.json" }
  },
  getCnvTargetResults: {
    summary: "Copy-number results over the target regions: those of a person's analyses",
    group: "Findings",
    takes: [person, { name: "analysisIds", kind: "analyses" }],
    choices: [virtualPanel],
    subject: "person {personLimsId}",
    command: { example: "LIMS-0001 A5" }
  },
  getPendingCnvSegments: {
    summary: "Copy-number segments that await a decision: of a person's analyses",
    group: "Findings",
    takes: [
      { name: "personId", kind: "internal" },
      { name: "analysesIds", kind: "analyses" }
    ],
    choices: [virtualPanel],
    subject: "{analysesIds} of person {personId}",
    command: null
  },
  /** `metricResults` is a map from LIMS identifiers: that of the person, and those of the family where the service has them. */
  getQcCaseMetrics: {
    summary: "Quality metrics of a person's case",
    group: "Findings",
    takes: [{ name: "personId", kind: "lims" }],
    subject: "quality metrics of person {personId}"
  },
  getCoverageData: {
    summary: "Coverage of a person's analyses by region",
    group: "Findings",
    takes: [{ name: "personId", kind: "lims" }],
    choices: [virtualPanel],
    subject: "person {personId}"
  },
  /** Very large and always complete; may take minutes to begin. */
  getCaseReport: {
    summary: "The case report of a person: complete however large it is",
    group: "Reports",
    takes: [{ name: "personId", kind: "lims" }],
    choices: [
      { name: "draft", kind: "flag", help: "The draft" },
      { name: "inactive", kind: "flag", help: "With inactive items" }
    ],
    subject: "{draft}{inactive}report of person {personId}",
    slow: true,
    large: true
  },
  /** Which cases have reports. */
  getCaseReportInfos: {
    summary: "Which cases have reports, and since when",
    group: "Reports",
    takes: [],
    command: { name: "get-reports-info" }
  },
  getVirtualPanel: {
    summary: "A virtual panel with its genes",
    group: "Virtual panels and genes",
    takes: [{ name: "id", kind: "panel" }],
    subject: "virtual panel {id}"
  },
  /** Creates without `id`, replaces with it. Never repeated when its outcome is unknown. */
  createOrUpdateVirtualPanel: {
    summary: "Create a virtual panel, or replace one",
    group: "Virtual panels and genes",
    takes: [{ name: "payload", kind: "record" }],
    subject: "virtual panel {payload.id}",
    mutates: true,
    command: null
  },
  /** The panel of all genes is not among them. */
  getVirtualPanelSummaries: {
    summary: "All virtual panels: without their genes, and without the panel of all genes",
    group: "Virtual panels and genes",
    takes: []
  },
  getAllGenes: {
    summary: "All genes that the service knows",
    group: "Virtual panels and genes",
    takes: []
  },
  /** The files with fresh presigned links. Asking for an archived file does not restore it. */
  getFileDownloadLinks: {
    summary: "The files of an analysis with their links; those are as good as a password while they last",
    group: "Files",
    takes: [analysis],
    subject: "analysis {analysisId}"
  },
  /** Starts the restoration of the archived files of `analyses`, which costs money; empty when the service says only "yes". */
  requestRestore: {
    summary: "Ask for the restoration of the archived files of analyses, which costs money",
    group: "Files",
    takes: [{ name: "payload", kind: "record" }],
    subject: "{payload.analysisIds}",
    mutates: true,
    command: null
  }
} as const satisfies Readonly<Record<string, EndpointNote>>

export type EndpointNotes = typeof endpointNotes
/**
 * The name of an endpoint, which is that of its method.
 *
 * @category models
 * @since 0.1.0
 */
export type EndpointName = keyof EndpointNotes
