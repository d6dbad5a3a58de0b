/** What a person is asked about archived files before they are restored. */
import * as Effect from "effect/Effect"
import { Operator } from "../settings/Operator.ts"
import { counted } from "../text/Counted.ts"
import { humanSize } from "../text/Size.ts"
import { type Answers, type ArchivedFile, questions, type RestoreMode } from "./Policy.ts"

/** Asks the questions of the mode; without a terminal nobody is asked. */
export const askAbout = Effect.fnUntraced(function* <F extends ArchivedFile>(
  mode: RestoreMode,
  files: ReadonlyArray<F>
): Effect.fn.Return<Answers<F>, never, Operator> {
  const operator = yield* Operator
  const wanted = questions(mode, operator.present, files)
  const yes = new Set<F>()
  if (wanted._tag === "Each") {
    for (const file of wanted.files) if (yield* operator.confirm(questionFor(file))) yes.add(file)
  }
  if (wanted._tag === "Once" && (yield* operator.confirm(questionForAll(wanted.files)))) {
    for (const file of wanted.files) yes.add(file)
  }
  return { present: operator.present, yes }
})

const questionFor = ({ analysisId, estimatedRestoreTime, fileName, size }: ArchivedFile): string => {
  const how = size === null ? "of unknown size" : humanSize(size)
  const what = `${fileName} (analysis ${analysisId}, ${how})`
  return estimatedRestoreTime === null
    ? `${what} is archived. Restore it? That takes hours and may cost money.`
    : `${what} is archived and being restored already. Download it when it is back?`
}

const questionForAll = (files: ReadonlyArray<ArchivedFile>): string => {
  const unknown = files.filter(({ size }) => size === null).length
  const bytes = humanSize(files.reduce((sum, { size }) => sum + (size ?? 0), 0))
  const size =
    unknown === 0 ? bytes : unknown === files.length ? "of unknown size" : `${bytes} and ${unknown} of unknown size`
  const analyses = new Set(files.map(({ analysisId }) => analysisId)).size
  const [them, each] = [counted(files.length, "archived file"), counted(analyses, "analysis", "analyses")]
  return `Restore ${them} of ${each}, ${size}? That takes hours and may cost money.`
}
