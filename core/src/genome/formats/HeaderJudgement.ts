/** What the tools that read a format make of a header: samtools of that of a BAM, bcftools of that of a VCF (both 1.16). */
export interface HeaderJudgement {
  /** Why they refuse the file, in words; null when they do not. */
  readonly fault: string | null
  /** What they only warn of, in words. */
  readonly warnings: ReadonlyArray<string>
}

/** A name out of a header as a sentence shows it: that of a damaged file may be as long as the file. */
export const shown = (name: string): string => (name.length > 60 ? `${name.slice(0, 60)}...` : name)
