/** What the name of a file says about its format. This is the one list of suffixes; it loads nothing, so that `--help` may ask it. */

export interface FormatNames {
  /** As people call the format. */
  readonly name: string
  /** The end of the names of its files, without the dot. */
  readonly suffix: string
  /** What the names of its indexes add, the usual one first; none where the format has no index. */
  readonly indexes: ReadonlyArray<IndexSuffix>
  /** True when the format can hold unplaced reads, which `--unmapped` takes. */
  readonly hasUnmapped: boolean
}

export const indexSuffixes = ["bai", "csi", "tbi"] as const
export type IndexSuffix = (typeof indexSuffixes)[number]

export const bam = {
  name: "BAM",
  suffix: "bam",
  indexes: ["bai", "csi"],
  hasUnmapped: true
} as const satisfies FormatNames

export const vcf = {
  name: "VCF",
  suffix: "vcf.gz",
  indexes: ["tbi", "csi"],
  hasUnmapped: false
} as const satisfies FormatNames

const all = [bam, vcf] as const

type Names = (typeof all)[number]
/**
 * The data files that can be asked for.
 *
 * @category models
 * @since 0.1.0
 */
export type OfferedDataType = Names["suffix"]
/** The suffix of the data files of a format. */
export type DataType = OfferedDataType
type IndexOf<F extends Names> = F extends { readonly indexes: readonly [infer I extends IndexSuffix, ...infer _] }
  ? `${F["suffix"]}.${I}`
  : never
/**
 * The files that can be asked for.
 *
 * @category models
 * @since 0.1.0
 */
export type FileType = OfferedDataType | IndexOf<Names>

/** What a name says. */
export interface Named {
  /** What the file is, such as `bam` or `vcf.gz.tbi`. */
  readonly kind: string
  readonly type: DataType
  /** For an index what its name ends with; null for data. */
  readonly index: IndexSuffix | null
  /** The name without the suffix by which it was known: `S1` for `S1.bam`, `S1.bam.bai` and `S1.bai`. */
  readonly stem: string
}

interface Kind<I extends IndexSuffix | null = IndexSuffix | null> {
  readonly kind: string
  readonly type: DataType
  readonly index: I
  /** The end of the name, without the dot. */
  readonly ending: string
}

/**
 * What the names of indexes have in place of the suffix of their data, the best first: an index is called after the whole name of
 * its data (`S1.bam.bai`), or its suffix stands in place of the last one of the data (`S1.bai`, `S1.vcf.tbi`). htslib looks for both.
 */
const indexKinds = ({ indexes, suffix }: Names): ReadonlyArray<Kind<IndexSuffix>> => {
  const before = suffix.slice(0, suffix.lastIndexOf(".") + 1)
  return [`${suffix}.`, before].flatMap((start) =>
    indexes.map((index) => ({ kind: `${suffix}.${index}`, type: suffix, index, ending: `${start}${index}` }))
  )
}

// Longer endings first: that of data may end in another. Not `toSorted`: this runs while an old Node still loads us, to be told that it is old.
const kinds: ReadonlyArray<Kind> = all
  .flatMap((names) => [
    { kind: names.suffix, type: names.suffix, index: null, ending: names.suffix },
    ...indexKinds(names)
  ])
  .sort((a, b) => b.ending.length - a.ending.length)

/** `S1.bed.gz.csi` is called after the whole name of a file of no known format. */
const ofOtherData = /\.(?:gz|bcf)\.csi$/

/** What a name means; undefined for names that promise nothing we know. */
const meaningOf = (name: string): Kind | undefined => {
  const lower = name.toLowerCase()
  const found = kinds.find(({ ending }) => lower.endsWith(`.${ending}`))
  return found !== undefined && (found.ending === found.kind || !ofOtherData.test(lower)) ? found : undefined
}

const stemOf = (name: string, { ending }: Kind): string => name.slice(0, -ending.length - 1)

/** By the end of the name, in any case; null for names that promise nothing we know. */
export const kindOfName = (name: string): Named | null => {
  const known = meaningOf(name)
  return known === undefined
    ? null
    : { kind: known.kind, type: known.type, index: known.index, stem: stemOf(name, known) }
}

/** htslib looks for a CSI first (`hts_idx_check_local`): a BAI or TBI beside it may not reach to the end of a long reference. */
const byDepth = (a: Kind, b: Kind): number => Number(b.index === "csi") - Number(a.index === "csi")

/** The names that an index of a data file can have, the best first; none for other names. */
export const indexNamesOf = (data: string): ReadonlyArray<string> => {
  const named = kindOfName(data)
  return all
    .filter(({ suffix }) => suffix === named?.kind)
    .flatMap(indexKinds)
    .sort(byDepth)
    .map(({ ending, index, kind }) => (ending === kind ? `${data}.${index}` : `${named?.stem}.${ending}`))
}

/** How good a name is for an index of `data`, 0 the best; null when no index of it has that name. Case does not count. */
export const indexRank = (data: string): ((name: string) => number | null) => {
  const ranks = new Map(indexNamesOf(data).map((name, rank) => [name.toLowerCase(), rank]))
  return (name) => ranks.get(name.toLowerCase()) ?? null
}

/** The index of `data` among `files`, by the best name; one that is not there only where none is. Null where none is listed. */
export const indexAmong = <F extends { readonly fileName: string | null }>(
  data: string,
  files: ReadonlyArray<F>,
  isThere: (file: F) => boolean
): F | null => {
  const rankOf = indexRank(data)
  const ranked = files
    .flatMap((file) => {
      const rank = file.fileName === null ? null : rankOf(file.fileName)
      return rank === null ? [] : [{ file, rank }]
    })
    .sort((a, b) => a.rank - b.rank)
    .map(({ file }) => file)
  return ranked.find(isThere) ?? ranked[0] ?? null
}

/** The file that an index with this name or path belongs to; other names as they are. */
export const dataOf = (name: string): string => {
  const known = meaningOf(name)
  if (known === undefined || known.index === null) return name
  const { ending, index, kind, type } = known
  if (ending === kind) return name.slice(0, -index.length - 1)
  // `S1.BAI` lies beside `S1.BAM`.
  const isCapital = name.endsWith(index.toUpperCase())
  return `${stemOf(name, known)}.${isCapital ? type.toUpperCase() : type}`
}

/** The BCF that an index called `S1.csi` may be of as well; null for other names. */
export const rivalOf = (index: string): string | null => {
  const known = meaningOf(index)
  return known?.ending === "csi" ? `${stemOf(index, known)}.bcf` : null
}

/** Regions can be cut out of all of them. */
export const dataTypes: ReadonlyArray<OfferedDataType> = all.map(({ suffix }) => suffix)

/** The type of the files of a format, and that of its usual index where it has one. */
export const typesOf = ({
  indexes: [index],
  suffix
}: Pick<FormatNames, "indexes" | "suffix">): ReadonlyArray<string> =>
  index === undefined ? [suffix] : [suffix, `${suffix}.${index}`]

/**
 * The types that can be asked for, each index after its data.
 *
 * @category constants
 * @since 0.1.0
 */
export const fileTypes: ReadonlyArray<FileType> = all.flatMap((one) => typesOf(one) as ReadonlyArray<FileType>)

/** The type of a name that can be asked for; null for any other. */
export const fileTypeOf = (name: string): FileType | null => {
  const kind = kindOfName(name)?.kind
  return fileTypes.find((type) => type === kind) ?? null
}

/** True for types of data, false for those of indexes. */
export const isDataType = (type: string): type is OfferedDataType => dataTypes.some((one) => one === type)

/** The type of the data that belongs to an index; data is its own. */
export const dataTypeOf = (type: FileType): OfferedDataType =>
  // The type of an index adds its suffix to that of its data.
  isDataType(type) ? type : (type.slice(0, type.lastIndexOf(".")) as OfferedDataType)

/** What stands beside files of this type: the usual index of data, or the data of an index; null for data without an index. */
export const partnerOf = (type: FileType): FileType | null =>
  fileTypes.find((other) => other !== type && dataTypeOf(other) === dataTypeOf(type)) ?? null

/** What the names of indexes of a data file add, the usual one first. */
export const indexesOf = (type: DataType): ReadonlyArray<IndexSuffix> =>
  all.find(({ suffix }) => suffix === type)?.indexes ?? []

/** True when files of this type can hold unplaced reads. */
export const hasUnmapped = (type: FileType): boolean => all.some((one) => one.suffix === type && one.hasUnmapped)

/** How whole files are checked (transfer/FileCheck.ts): each in all ways of those before it. */
export const checks = ["structure", "content", "full"] as const
export type Check = (typeof checks)[number]

/** Checksums that may stand beside a file; coreutils check them, and each is what its file adds to the name (`S1.bam.md5`). */
export const checksumKinds = ["md5", "sha256"] as const
/**
 * An algorithm of checksums beside files.
 *
 * @category options
 * @since 0.1.0
 */
export type ChecksumKind = (typeof checksumKinds)[number]

/** A file that holds the checksum of another. */
export interface ChecksumName {
  readonly kind: ChecksumKind
  /** The name or path of the file that it is the checksum of. */
  readonly data: string
}

/** What the name of a checksum file says; null for other names, and for checksums of files that are of no known format. */
export const checksumOfName = (name: string): ChecksumName | null => {
  const kind = checksumKinds.find((one) => name.endsWith(`.${one}`))
  if (kind === undefined) return null
  const data = name.slice(0, -kind.length - 1)
  return kindOfName(data) === null ? null : { kind, data }
}
