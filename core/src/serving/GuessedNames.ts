/**
 * The names that tools guess for the index of a file, and the name under which the service lists it. Readers of
 * `S1.bam` ask for `S1.bam.csi`, `S1.csi`, `S1.bam.bai` and `S1.bai` in turn, and those of `S1.vcf.gz` for `S1.vcf.gz.csi`,
 * `S1.vcf.csi`, `S1.vcf.gz.tbi` and `S1.vcf.tbi`.
 */
import { dataNamesOf, indexNamesOf, indexRank, kindOfName } from "../genome/formats/FileNames.ts"

/** All names of the same file, the one asked for first. */
const namesOf = (name: string): ReadonlyArray<string> => {
  const index = kindOfName(name)?.index
  const others = dataNamesOf(name).flatMap(indexNamesOf)
  return [name, ...others.filter((other) => other !== name && kindOfName(other)?.index === index)]
}

/** The name under which the file is listed, null when it is not. */
export const listedName = (asked: string, files: ReadonlyArray<{ readonly fileName: string }>): string | null =>
  namesOf(asked).find((name) => files.some(({ fileName }) => fileName === name)) ?? null

/** The index of a data file, the one with the best name; null when none is listed. */
export const indexOf = <F extends { readonly fileName: string }>(data: string, files: ReadonlyArray<F>): F | null => {
  const rankOf = indexRank(data)
  const ranked = files.flatMap((file) => {
    const rank = rankOf(file.fileName)
    return rank === null ? [] : [{ file, rank }]
  })
  return ranked.toSorted((a, b) => a.rank - b.rank)[0]?.file ?? null
}
