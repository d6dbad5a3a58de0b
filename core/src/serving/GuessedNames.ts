/**
 * The names that tools guess for the index of a file, and the name under which the service lists it. Readers of
 * `S1.bam` ask for `S1.bam.csi`, `S1.bam.bai` and `S1.bai` in turn, and those of `S1.vcf.gz` for `S1.vcf.gz.csi` and
 * `S1.vcf.gz.tbi`.
 */
import { dataTypes, indexesOf } from "../genome/formats/FileNames.ts"

/** An index is called after the whole name of its file, or has its own suffix in place of that of the file. */
const suffixes = dataTypes.map((type) => ({ data: `.${type}`, indexes: indexesOf(type).map((index) => `.${index}`) }))

/** All names of the same file, the one asked for first. */
export const namesOf = (name: string): ReadonlyArray<string> => {
  const names = [name]
  for (const { data, indexes } of suffixes) {
    for (const index of indexes) {
      const long = `${data}${index}`
      if (name.endsWith(long)) names.push(`${name.slice(0, -long.length)}${index}`)
      else if (name.endsWith(index)) names.push(`${name.slice(0, -index.length)}${long}`)
    }
  }
  return names
}

/** The name under which the file is listed, null when it is not. */
export const listedName = (asked: string, files: ReadonlyArray<{ readonly fileName: string }>): string | null =>
  namesOf(asked).find((name) => files.some(({ fileName }) => fileName === name)) ?? null

/** The index of a data file, null when none is listed. */
export const indexOf = <F extends { readonly fileName: string }>(data: string, files: ReadonlyArray<F>): F | null => {
  const known = suffixes.find((suffix) => data.endsWith(suffix.data))
  for (const index of known?.indexes ?? []) {
    const name = listedName(`${data}${index}`, files)
    const found = files.find(({ fileName }) => fileName === name)
    if (found !== undefined) return found
  }
  return null
}
