/** A transcript is a file of tests. */
const runner = JSON.stringify(new URL("./Transcript.ts", import.meta.url).pathname)

export const transcripts = {
  name: "transcripts",
  enforce: "pre",
  load: (id: string) =>
    id.endsWith(".transcript") ? `import { transcript } from ${runner}; transcript(${JSON.stringify(id)})` : undefined
} as const
