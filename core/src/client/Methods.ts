/** The methods of the client: one for each endpoint with a note, two of them written out because they do more than one call. */
import * as Effect from "effect/Effect"
import { type EndpointName, type EndpointNote, endpointNotes } from "../contract/EndpointNotes.ts"
import type { PersonId } from "../contract/Ids.ts"
import type { ServiceError } from "../Errors.ts"
import { analysesText } from "./CallRequest.ts"
import type { Call } from "./EndpointCalls.ts"
import type { DerivedMethods, Reading, ServiceMethods } from "./ServiceMethods.ts"

/**
 * Makes the methods, with payloads either decoded or as JSON.
 *
 * @param decoded - calls that decode, with which `getPendingCnvSegments` converts a LIMS identifier
 */
export const makeMethods = <R extends Reading>(call: Call, decoded: Call): ServiceMethods<R> => {
  const names = Object.keys(endpointNotes) as ReadonlyArray<EndpointName>
  const derived = Object.fromEntries(
    names.map((name) => {
      const { choices = [], takes }: EndpointNote = endpointNotes[name]
      const takesNothing = takes.length + choices.length === 0
      return [name, takesNothing ? call(name, []) : (...given: ReadonlyArray<unknown>) => call(name, given)]
    })
    // The cast is sound: `DerivedMethods` derives its types from the same notes.
  ) as DerivedMethods<R>
  // `never`: the two methods below give what their endpoints declare.
  const typed = call as (...about: Parameters<Call>) => Effect.Effect<never, ServiceError>
  return {
    ...derived,
    getPendingCnvSegments: (person, analyses, panel) => {
      const known =
        typeof person === "string"
          ? (decoded("getInternalPersonId", [person]) as Effect.Effect<PersonId, ServiceError>)
          : Effect.succeed(person.personId)
      const subject = `${analysesText(analyses)} of person ${typeof person === "string" ? person : person.personId}`
      return Effect.flatMap(known, (personId) =>
        typed("getPendingCnvSegments", [personId, analyses, panel], { subject })
      )
    },
    requestRestore: (analyses) =>
      analyses.length === 0
        ? Effect.succeed([] as never)
        : typed("requestRestore", [{ analysisIds: analyses, disableArchive: "false" }], { whenNull: [] })
  }
}
