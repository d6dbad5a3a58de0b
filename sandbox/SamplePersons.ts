import type { JsonObject, WireId, WireIds } from "./WireIds.ts"

/** A person as `GET /api/person/{lims}` shows it, with both its ids. */
export interface PersonRecord {
  readonly id: WireId
  readonly limsId: string
  readonly personalInformation: JsonObject
  readonly clinicalInformation: JsonObject
}

const term = (
  accession: string,
  name: string,
  presence: "PRESENT" | "ABSENT",
  synonyms?: ReadonlyArray<string>
): JsonObject => ({
  accession,
  name,
  description: `${name}.`,
  // The wire key is misspelt in the service, and sometimes missing.
  ...(synonyms === undefined ? {} : { synomys: synonyms }),
  presence,
  level: "MAJOR",
  modifiers: []
})

const cast = [
  { family: "F-01", first: "Ada", last: "Example", sex: "FEMALE", born: "2014-03-09", country: "FI" },
  { family: "F-01", first: "Berta", last: "Example", sex: "FEMALE", born: "1984-11-30", country: "FI" },
  { family: "F-01", first: "Carl", last: "Example", sex: "MALE", born: "1982-06-17", country: "FI" },
  { family: null, first: "Dora", last: "Sample", sex: "FEMALE", born: "1971-01-02", country: "NO" },
  { family: null, first: null, last: null, sex: "UNKNOWN", born: null, country: null }
] as const

export const limsIdOf = (n: number) => `LIMS-${String(n).padStart(4, "0")}`

/** Five invented people: a child with both parents, one adult, and one nothing is known about. */
export const makePersons = (ids: WireIds): ReadonlyArray<PersonRecord> =>
  cast.map(({ family, first, last, sex, born, country }, i) => ({
    id: ids.person(i + 1),
    limsId: limsIdOf(i + 1),
    personalInformation: {
      limsId: limsIdOf(i + 1),
      familyId: family,
      firstName: first,
      lastName: last,
      comment: null,
      sex,
      birthDate: born,
      country,
      consentType: first === null ? "NO_CONSENT" : "FULL_CONSENT",
      validationStatus: "VALIDATED"
    },
    clinicalInformation: {
      limsId: limsIdOf(i + 1),
      hpoTerms:
        i === 0
          ? [
              term("HP:0001166", "Arachnodactyly", "PRESENT", ["Long slender fingers", "Spider fingers"]),
              term("HP:0000545", "Myopia", "PRESENT"),
              term("HP:0001250", "Seizure", "ABSENT", [])
            ]
          : [],
      diseases:
        i === 0
          ? [{ shortName: "MFS", name: "Marfan syndrome", presence: "PRESENT", level: "UNKNOWN", modifiers: [] }]
          : [],
      consanguineous: i === 0 ? false : null,
      parentageConfirmed: i === 0 ? true : null
    }
  }))
