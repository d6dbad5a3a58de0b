/** The types of the client's methods, derived from the notes on the endpoints; two that make more than one call are written out. */
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { PendingCnvSegments } from "../contract/Annotations.ts"
import type { Argument, Choice, EndpointName, EndpointNotes } from "../contract/EndpointNotes.ts"
import type { Enveloped } from "../contract/Envelope.ts"
import type { RestoreAnswer } from "../contract/Files.ts"
import { type AnalysisId, type LimsId, PanelId, type PersonId } from "../contract/Ids.ts"
import type { ServiceApi } from "../contract/ServiceApi.ts"
import type { ChangeError, ServiceError } from "../Errors.ts"

/**
 * The panel that holds every gene.
 *
 * @category constants
 * @since 0.1.0
 */
export const allGenes: PanelId = PanelId.make("1")

/**
 * Names no panel: the service then takes the one that this user chose last for this person, which the API does not show.
 *
 * @category constants
 * @since 0.1.0
 */
export const serversChoice: unique symbol = Symbol.for("svc-steps/core/client/serversChoice")
/**
 * Which virtual panel limits a result.
 *
 * @category options
 * @since 0.1.0
 */
export interface PanelChoice {
  /** {@link allGenes} when absent. */
  readonly virtualPanelId?: PanelId | typeof serversChoice | undefined
}

/** The query parameter for a choice. */
export const panelQuery = ({ virtualPanelId = allGenes }: PanelChoice): { readonly virtualPanelId?: PanelId } =>
  virtualPanelId === serversChoice ? {} : { virtualPanelId }

type Groups = ServiceApi["groups"]
type Endpoints = { readonly [G in keyof Groups]: Groups[G]["endpoints"] }[keyof Groups]
type EndpointOf<N extends EndpointName> = Extract<
  Extract<Endpoints, Readonly<Record<N, unknown>>>[N],
  HttpApiEndpoint.ConstraintRequest
>

/** What a call gives: the declared success, without its envelope. */
export type PayloadOf<N extends EndpointName> =
  EndpointOf<N>["~Success"] extends Enveloped<infer S>
    ? S["Type"]
    : EndpointOf<N>["~Success"] extends Schema.Constraint
      ? EndpointOf<N>["~Success"]["Type"]
      : never

interface Kinds<N extends EndpointName> {
  readonly lims: LimsId
  readonly internal: PersonId
  readonly analysis: AnalysisId
  readonly panel: PanelId
  readonly analyses: ReadonlyArray<AnalysisId>
  readonly texts: ReadonlyArray<string>
  readonly record: EndpointOf<N>["~Payload"]["Type"]
}

type Positional<N extends EndpointName, T extends ReadonlyArray<Argument>> = T extends readonly [
  infer Head extends Argument,
  ...infer Rest extends ReadonlyArray<Argument>
]
  ? Head extends { readonly optional: true }
    ? [argument?: Kinds<N>[Head["kind"]], ...rest: Positional<N, Rest>]
    : [argument: Kinds<N>[Head["kind"]], ...rest: Positional<N, Rest>]
  : []

type Flags<T extends ReadonlyArray<Choice>> = {
  readonly [F in Extract<T[number], { readonly kind: "flag" }> as F["name"]]?: boolean | undefined
}

type Chosen<T extends ReadonlyArray<Choice>> =
  Extract<T[number], { readonly kind: "virtualPanel" }> extends never ? Flags<T> : Flags<T> & PanelChoice

type Arguments<N extends EndpointName> = [
  ...Positional<N, EndpointNotes[N]["takes"]>,
  ...(EndpointNotes[N] extends { readonly choices: infer C extends ReadonlyArray<Choice> } ? [choice?: Chosen<C>] : [])
]

/** One that changes something may be left in doubt. */
type Failure<N extends EndpointName> = EndpointNotes[N] extends { readonly mutates: true } ? ChangeError : ServiceError

/** A method with arguments is a function; a method without any is the effect itself. */
type Method<N extends EndpointName> =
  Arguments<N> extends []
    ? Effect.Effect<PayloadOf<N>, Failure<N>>
    : (...given: Arguments<N>) => Effect.Effect<PayloadOf<N>, Failure<N>>

/** One method for each endpoint, as its note says. */
type DerivedMethods = { readonly [N in EndpointName]: Method<N> }

/**
 * A method for each endpoint, which gives its record.
 *
 * @category services
 * @since 0.1.0
 */
export interface ServiceMethods extends Omit<DerivedMethods, "getPendingCnvSegments" | "requestRestore"> {
  /** Takes the person by LIMS identifier, which costs one more call to convert it, or by the service's own identifier. */
  readonly getPendingCnvSegments: (
    person: LimsId | { readonly personId: PersonId },
    analyses: ReadonlyArray<AnalysisId>,
    panel?: PanelChoice
  ) => Effect.Effect<PendingCnvSegments, ServiceError>
  /** Starts the restoration of the archived files of `analyses`, which costs money; empty when the service says only "yes". */
  readonly requestRestore: (
    analyses: ReadonlyArray<AnalysisId>
  ) => Effect.Effect<ReadonlyArray<RestoreAnswer>, ChangeError>
}

type ArgumentsOf<N extends EndpointName> = N extends unknown
  ? ServiceMethods[N] extends (...given: infer Given) => unknown
    ? Given
    : []
  : never

/** The method of that name, with the JSON of its answer in place of the record. */
export type JsonMethod = <N extends EndpointName>(
  name: N,
  ...given: ArgumentsOf<N>
) => Effect.Effect<Schema.Json, Failure<N>>

/** The endpoints whose answer may be larger than memory. */
type LargeName = {
  [N in EndpointName]: EndpointNotes[N] extends { readonly large: true } ? N : never
}[EndpointName]

/** The method of that name, with the bytes of that JSON. */
export type BytesMethod = <N extends LargeName>(
  name: N,
  ...given: ArgumentsOf<N>
) => Stream.Stream<Uint8Array, ServiceError>
