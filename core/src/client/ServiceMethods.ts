/**
 * What the client methods take and give: names, arguments and results, derived from the notes on the endpoints. Two methods are
 * written out, because they do more than one call.
 */
import type * as Effect from "effect/Effect"
import type * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import type * as Schema from "effect/Schema"
import type { PendingCnvSegments } from "../contract/Annotations.ts"
import type { Argument, Choice, EndpointName, EndpointNotes } from "../contract/EndpointNotes.ts"
import type { Enveloped } from "../contract/Envelope.ts"
import type { RestoreAnswer } from "../contract/Files.ts"
import { type AnalysisId, type LimsId, PanelId, type PersonId } from "../contract/Ids.ts"
import type { ServiceApi } from "../contract/ServiceApi.ts"
import type { ServiceError } from "../Errors.ts"

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
 * The type of {@link serversChoice}.
 *
 * @category options
 * @since 0.1.0
 */
export type ServersChoice = typeof serversChoice

/**
 * Which virtual panel limits a result.
 *
 * @category options
 * @since 0.1.0
 */
export interface PanelChoice {
  /** {@link allGenes} when absent. */
  readonly virtualPanelId?: PanelId | ServersChoice
}

/** The query parameter for a choice. */
export const panelQuery = ({ virtualPanelId = allGenes }: PanelChoice): { readonly virtualPanelId?: PanelId } =>
  virtualPanelId === serversChoice ? {} : { virtualPanelId }

/**
 * How a payload is handed over: decoded to its record, or the JSON as the service sent it.
 *
 * @category models
 * @since 0.1.0
 */
export type Reading = "decoded" | "json"

/**
 * The result of a call: a record, or JSON.
 *
 * @category models
 * @since 0.1.0
 */
export type MethodReply<R extends Reading, A> = Effect.Effect<R extends "json" ? Schema.Json : A, ServiceError>

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
  readonly [F in Extract<T[number], { readonly kind: "flag" }> as F["name"]]?: boolean
}

type Chosen<T extends ReadonlyArray<Choice>> =
  Extract<T[number], { readonly kind: "virtualPanel" }> extends never ? Flags<T> : Flags<T> & PanelChoice

type Arguments<N extends EndpointName> = [
  ...Positional<N, EndpointNotes[N]["takes"]>,
  ...(EndpointNotes[N] extends { readonly choices: infer C extends ReadonlyArray<Choice> } ? [choice?: Chosen<C>] : [])
]

/** A method with arguments is a function; a method without any is the effect itself. */
type Method<R extends Reading, N extends EndpointName> =
  Arguments<N> extends [] ? MethodReply<R, PayloadOf<N>> : (...given: Arguments<N>) => MethodReply<R, PayloadOf<N>>

/**
 * One method for each endpoint, as its note says.
 *
 * @category services
 * @since 0.1.0
 */
export type DerivedMethods<R extends Reading> = { readonly [N in keyof EndpointNotes]: Method<R, N> }

/**
 * A person by the identifier that the service gave, which saves the conversion.
 *
 * @category models
 * @since 0.1.0
 */
export interface InternalPerson {
  readonly personId: PersonId
}

/**
 * Which report of a case is asked for.
 *
 * @category options
 * @since 0.1.0
 */
export interface ReportChoice {
  readonly draft?: boolean
  readonly inactive?: boolean
}

/**
 * The typed calls, in the reading `R`: `decoded` records, or `json` as the service sent it, envelope removed.
 *
 * @category services
 * @since 0.1.0
 */
export interface ServiceMethods<R extends Reading = "decoded">
  extends Omit<DerivedMethods<R>, "getPendingCnvSegments" | "requestRestore"> {
  /** Takes the person by LIMS identifier, which costs one more call to convert it, or by internal identifier. */
  readonly getPendingCnvSegments: (
    person: LimsId | InternalPerson,
    analyses: ReadonlyArray<AnalysisId>,
    panel?: PanelChoice
  ) => MethodReply<R, PendingCnvSegments>
  /** Starts the restoration of the archived files of `analyses`, which costs money; empty when the service says only "yes". */
  readonly requestRestore: (analyses: ReadonlyArray<AnalysisId>) => MethodReply<R, ReadonlyArray<RestoreAnswer>>
}
