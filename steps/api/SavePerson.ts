/** `create-or-update-person`: the fields of a person out of the options or `--input`. */
import { Effect } from "effect"
import { ServiceJson } from "../../core/src/client/ServiceJson.ts"
import { LimsId } from "../../core/src/contract/Ids.ts"
import { PersonUpdate } from "../../core/src/contract/Persons.ts"
import { type Own, type ValuesOf, valuesOf } from "../main/Step.ts"
import { inputProblems, recordInput } from "./JsonInput.ts"
import type { personOptions } from "./RecordOptions.ts"
import { jsonLine, type Special } from "./Special.ts"

type Values = ValuesOf<typeof personOptions>

const fields: ReadonlyArray<Exclude<keyof Values, "input">> = [
  "lims-id",
  "family-id",
  "first-name",
  "last-name",
  "comment",
  "country",
  "sex",
  "birth-date",
  "hpo-term-ids"
]

const check = (_: ReadonlyArray<string>, own: Own): ReadonlyArray<string> => {
  const { "birth-date": born } = valuesOf<typeof personOptions>(own)
  return [
    ...inputProblems(own.given, fields),
    ...(own.given("input") || own.given("lims-id") ? [] : ["Missing required argument --lims-id"]),
    ...(born === null || dateOf(born) !== null
      ? []
      : [`Invalid value for --birth-date: "${born}": expected YYYY-MM-DD`])
  ]
}

/** Year, month and day of a day that was. */
const dateOf = (text: string): readonly [year: number, month: number, day: number] | null => {
  const [, year = 0, month = 0, day = 0] = (/^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []).map(Number)
  const date = new Date(Date.UTC(year, month - 1, day))
  const exists = year > 0 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  return exists ? [year, month, day] : null
}

const updateOf = (own: Own, values: Values): PersonUpdate => {
  const [birthDateYear, birthDateMonth, birthDateDay] = dateOf(values["birth-date"] ?? "") ?? []
  const named = {
    familyId: values["family-id"],
    firstName: values["first-name"],
    lastName: values["last-name"],
    comment: values.comment,
    country: values.country,
    sex: values.sex,
    birthDateYear,
    birthDateMonth,
    birthDateDay,
    hpoTermIds: own.given("hpo-term-ids") ? values["hpo-term-ids"] : null
  }
  return {
    id: LimsId.make(values["lims-id"] ?? ""),
    ...Object.fromEntries(Object.entries(named).filter(([, value]) => value != null))
  }
}

export const savePerson: Special = {
  check,
  prepare: (_, own) => {
    const values = valuesOf<typeof personOptions>(own)
    const update =
      values.input === null ? Effect.succeed(updateOf(own, values)) : recordInput(values.input, PersonUpdate)
    return Effect.map(update, (update) =>
      ServiceJson.pipe(
        Effect.flatMap((api) => api.createOrUpdatePerson(update)),
        Effect.map(jsonLine)
      )
    )
  }
}
