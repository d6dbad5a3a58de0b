/** Words of other tools, such as gh, rclone and aws, that are no step, method or analysis here. Plain data that loads nothing. */

const verbs: ReadonlyArray<readonly [words: string, instead: string]> = [
  [
    "ls lsf lsl list tree",
    "svc-download --list -a ID shows the files of an analysis, svc-api get-analyses all analyses"
  ],
  ["cp copy get fetch pull clone sync download", "svc-download -a ID -d FOLDER downloads the files of an analysis"],
  ["cat", "svc-download --stdout -a ID writes a file to standard output"],
  ["check cryptcheck md5sum hashsum", "svc-verify FILE checks files"],
  ["mount serve", "svc-gateway gives files addresses"],
  [
    "auth login logout config configure init",
    "each command logs in by itself, as target and username in ~/.config/svc-steps/config.json say; svc-doctor tries it"
  ],
  ["version", "svc-steps --version shows it"],
  ["GET HEAD POST PUT PATCH DELETE", "svc-api request METHOD PATH sends any request"]
]

/** What to type for such a word, as the end of a sentence. */
export const insteadOf = (word: string): string | null =>
  verbs.find(([words]) => words.split(" ").includes(word))?.[1].replace("METHOD", word) ?? null
