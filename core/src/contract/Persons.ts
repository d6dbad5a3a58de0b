/** Persons with their clinical information (getPerson, createOrUpdatePerson, getInternalPersonId). */
import * as Schema from "effect/Schema"
import { WireLimsId } from "./Ids.ts"
import { maybe, openEnum, record } from "./Record.ts"

const Sex = openEnum(["UNKNOWN", "MALE", "FEMALE", "INTERSEX"])
const Presence = openEnum(["PRESENT", "ABSENT"])
const Level = openEnum(["MAJOR", "MINOR", "UNKNOWN"])

/** A qualifier of a phenotype term; `synomys` is the wire's spelling. */
const TermModifier = record("TermModifier", {
  accession: Schema.String,
  name: maybe(Schema.String),
  description: maybe(Schema.String),
  synomys: maybe(Schema.Array(Schema.String))
})

/** A term of the Human Phenotype Ontology, such as `HP:0001166`; `synomys` is the wire's spelling. */
const HpoTerm = record("HpoTerm", {
  accession: Schema.String,
  name: maybe(Schema.String),
  description: maybe(Schema.String),
  synomys: maybe(Schema.Array(Schema.String)),
  presence: maybe(Presence),
  level: maybe(Level),
  modifiers: maybe(Schema.Array(TermModifier))
})

/** A disease as clinical information names it. */
const PersonDisease = record("PersonDisease", {
  shortName: maybe(Schema.String),
  name: maybe(Schema.String),
  presence: maybe(Presence),
  level: maybe(Level),
  modifiers: maybe(Schema.Array(TermModifier))
})

const PersonalInformation = record("PersonalInformation", {
  limsId: maybe(WireLimsId),
  familyId: maybe(Schema.String),
  firstName: maybe(Schema.String),
  lastName: maybe(Schema.String),
  comment: maybe(Schema.String),
  sex: maybe(Sex),
  /** A date as the service writes it, usually `YYYY-MM-DD`. */
  birthDate: maybe(Schema.String),
  country: maybe(Schema.String),
  consentType: maybe(openEnum(["FULL_CONSENT", "NO_CONSENT", "UNKNOWN"])),
  validationStatus: maybe(openEnum(["UNKNOWN", "FLAGGED", "PROCESSED", "VALIDATED", "DELETING"]))
})

const ClinicalInformation = record("ClinicalInformation", {
  limsId: maybe(WireLimsId),
  hpoTerms: maybe(Schema.Array(HpoTerm)),
  diseases: maybe(Schema.Array(PersonDisease)),
  consanguineous: maybe(Schema.Boolean),
  parentageConfirmed: maybe(Schema.Boolean)
})

/**
 * The payload of `GET /api/person/{personLimsId}`.
 *
 * @category schemas
 * @since 0.1.0
 */
export const Person = record("Person", {
  personalInformation: maybe(PersonalInformation),
  clinicalInformation: maybe(ClinicalInformation)
})
export type Person = typeof Person.Type

/**
 * The body of `PUT /api/person`; a null or absent field leaves the stored value as it is. A service may refuse a date that does not exist.
 *
 * @category schemas
 * @since 0.1.0
 */
export const PersonUpdate = record("PersonUpdate", {
  id: WireLimsId,
  familyId: maybe(Schema.String),
  firstName: maybe(Schema.String),
  lastName: maybe(Schema.String),
  comment: maybe(Schema.String),
  country: maybe(Schema.String),
  /** A person created without one is stored as UNKNOWN. */
  sex: maybe(Sex),
  birthDateYear: maybe(Schema.Finite),
  /** 1 to 12. */
  birthDateMonth: maybe(Schema.Finite),
  /** 1 to 31. */
  birthDateDay: maybe(Schema.Finite),
  /** Such as `HP:0001166`. */
  hpoTermIds: maybe(Schema.Array(Schema.String))
})
export type PersonUpdate = typeof PersonUpdate.Type
