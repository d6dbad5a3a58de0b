/** The fields of a virtual panel that were given by options or by `--input`. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { GeneId, PanelId, PersonId } from "../../core/src/contract/Ids.ts"
import { maybe, record } from "../../core/src/contract/Record.ts"
import type { InputMalformed, LocalIo, NotFound } from "../../core/src/Errors.ts"
import { type Own, valuesOf } from "../main/Step.ts"
import { inputProblems, recordInput } from "./JsonInput.ts"
import type { panelOptions } from "./RecordOptions.ts"

/** A part of `VirtualPanelUpdate`; other fields of an input are sent as they are. */
export const PanelChanges = record("PanelChanges", {
  id: maybe(PanelId),
  name: Schema.optionalKey(Schema.String),
  active: Schema.optionalKey(Schema.Boolean),
  geneIds: Schema.optionalKey(Schema.Array(GeneId)),
  description: maybe(Schema.String),
  personId: maybe(PersonId)
})
export type PanelChanges = typeof PanelChanges.Type

export const panelProblems = (own: Own): ReadonlyArray<string> =>
  inputProblems(own.given, ["name", "active", "gene-ids", "description", "person-id"])

export const panelChanges = (own: Own): Effect.Effect<PanelChanges, InputMalformed | NotFound | LocalIo> => {
  const values = valuesOf<typeof panelOptions>(own)
  if (values.input !== null) return recordInput(values.input, PanelChanges)
  return Effect.succeed({
    ...(values.name === null ? {} : { name: values.name }),
    ...(own.given("active") ? { active: values.active } : {}),
    ...(own.given("gene-ids") ? { geneIds: values["gene-ids"].map((id) => GeneId.make(id)) } : {}),
    ...(values.description === null ? {} : { description: values.description }),
    ...(values["person-id"] === null ? {} : { personId: PersonId.make(values["person-id"]) })
  })
}
