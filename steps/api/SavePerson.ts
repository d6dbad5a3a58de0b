/** `create-or-update-person`: takes the fields of a person from the options or from `--input`, and sends them. */
import * as Effect from "effect/Effect"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { LimsId } from "../../core/src/contract/Ids.ts"
import { type Person, PersonUpdate } from "../../core/src/contract/Persons.ts"
import { type Own, valuesOf } from "../main/Program.ts"
import type { ValuesOf } from "../main/Step.ts"
import { jsonLine } from "./Answers.ts"
import type { Special } from "./ApiMethod.ts"
import type { personOptions } from "./ApiStep.ts"
import { changeAndLook, inputProblems, recordInput } from "./RecordChange.ts"

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

/** Year, month (1 to 12) and day of `YYYY-MM-DD`; null when there is no such day in the calendar. */
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

const save = Effect.fn("svc.step.savePerson")(function* (update: PersonUpdate) {
  const { json } = yield* ServiceClient
  const saved = changeAndLook(json("createOrUpdatePerson", update), look(update), `Person ${update.id}`)
  return jsonLine(yield* saved)
})

/** Reads the person back and compares it with `update`, in the fields that the service returns. */
const look = Effect.fnUntraced(function* (update: PersonUpdate) {
  const person = yield* Effect.catchTag((yield* ServiceClient).getPerson(update.id), "SvcNotFound", () =>
    Effect.succeed(null)
  )
  if (person === null) return { found: "a look afterwards did not find the person" }
  const open = differences(person, update)
  return open.length > 0
    ? { found: `a look afterwards found other values of ${open.join(", ")}` }
    : { done: yield* (yield* ServiceClient).json("getInternalPersonId", update.id) }
})

/** The fields of `update` whose stored value differs. */
const differences = (
  { clinicalInformation, personalInformation }: Person,
  { birthDateDay, birthDateMonth, birthDateYear, hpoTermIds, id: _, ...plain }: PersonUpdate
): ReadonlyArray<string> => {
  const stored: Readonly<Record<string, unknown>> = personalInformation ?? {}
  const [year, month, day] = String(stored["birthDate"] ?? "")
    .split("-")
    .map(Number)
  const terms = clinicalInformation?.hpoTerms ?? []
  const pairs: ReadonlyArray<readonly [name: string, wanted: unknown, is: unknown]> = [
    ...Object.entries(plain).map(([name, wanted]) => [name, wanted, stored[name]] as const),
    ["birthDateYear", birthDateYear, year],
    ["birthDateMonth", birthDateMonth, month],
    ["birthDateDay", birthDateDay, day],
    [
      "hpoTermIds",
      hpoTermIds?.toSorted().join(),
      terms
        .map(({ accession }) => accession)
        .sort()
        .join()
    ]
  ]
  return pairs.flatMap(([name, wanted, is]) => (wanted == null || wanted === is ? [] : [name]))
}

export const savePerson: Special = {
  check,
  prepare: (_, own) => {
    const values = valuesOf<typeof personOptions>(own)
    const update =
      values.input === null ? Effect.succeed(updateOf(own, values)) : recordInput(values.input, PersonUpdate)
    return Effect.map(update, save)
  }
}
