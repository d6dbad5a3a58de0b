/**
 * `create-virtual-panel` and `update-virtual-panel`. The service replaces a whole panel, so an update reads the panel first and sends
 * the fields that were not given back unchanged. When an answer is lost, a look at the panel, or for one of that name, says whether
 * the change took effect; it is not resent.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { GeneId, PanelId, PersonId, WireGeneId, WirePanelId, WirePersonId } from "../../core/src/contract/Ids.ts"
import type { VirtualPanelUpdate } from "../../core/src/contract/Panels.ts"
import { maybe, openStruct, record } from "../../core/src/contract/Record.ts"
import { type InputMalformed, type LocalIo, type NotFound, ReplyMalformed, UsageError } from "../../core/src/Errors.ts"
import { placeOfIssue } from "../../core/src/text/IssuePlace.ts"
import { type Own, valuesOf } from "../main/Program.ts"
import { jsonLine } from "./Answers.ts"
import type { Special } from "./ApiMethod.ts"
import type { panelOptions } from "./ApiStep.ts"
import { changeAndLook, inputProblems, recordInput } from "./RecordChange.ts"

/** A part of `VirtualPanelUpdate`; other fields of an input are sent as they are. */
const PanelChanges = record("PanelChanges", {
  id: maybe(WirePanelId),
  name: Schema.optionalKey(Schema.String),
  active: Schema.optionalKey(Schema.Boolean),
  geneIds: Schema.optionalKey(Schema.Array(WireGeneId)),
  description: maybe(Schema.String),
  personId: maybe(WirePersonId)
})
type PanelChanges = typeof PanelChanges.Type

const panelProblems = (own: Own): ReadonlyArray<string> =>
  inputProblems(own.given, ["name", "active", "gene-ids", "description", "person-id"])

const panelChanges = (own: Own): Effect.Effect<PanelChanges, InputMalformed | NotFound | LocalIo> => {
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

export const createPanel: Special = {
  check: (_, own) => [
    ...panelProblems(own),
    ...(own.given("input")
      ? []
      : ["name", "gene-ids"].filter((name) => !own.given(name)).map((name) => `Missing required argument --${name}`))
  ],
  prepare: Effect.fnUntraced(function* (_, own) {
    const { active = true, geneIds, id, name, ...rest } = yield* panelChanges(own)
    if (id != null) {
      return yield* new UsageError({
        message: `The input has an id: svc-api update-virtual-panel ${id} changes a panel`
      })
    }
    if (name === undefined || geneIds === undefined) {
      return yield* new UsageError({ message: "A new panel needs name and geneIds" })
    }
    return create({ ...rest, name, active, geneIds })
  })
}

const create = Effect.fn("svc.step.createPanel")(function* (panel: VirtualPanelUpdate) {
  const { json } = yield* ServiceClient
  return jsonLine(
    yield* changeAndLook(
      json("createOrUpdateVirtualPanel", panel),
      lookByName(panel.name),
      `Virtual panel ${panel.name}`
    )
  )
})

/** Looks for panels of that name. One may have existed before, so only a person can tell which of them is new. */
const lookByName = (name: string) =>
  ServiceClient.pipe(
    Effect.flatMap((api) => api.getVirtualPanelSummaries),
    Effect.map((panels) => panels.filter((panel) => panel.name === name).map(({ id }) => id)),
    Effect.map((ids) => ({
      found:
        ids.length === 0
          ? "a look afterwards found no panel of that name"
          : `a look afterwards found the name at panel ${ids.join(", ")}: see whether that is the new one`
    }))
  )

/** The fields of a panel that an update replaces. */
const StoredPanel = record("StoredPanel", {
  name: Schema.String,
  active: maybe(Schema.Boolean),
  genes: Schema.Array(openStruct({ id: WireGeneId })),
  description: maybe(Schema.String),
  personId: maybe(WirePersonId)
})
type StoredPanel = typeof StoredPanel.Type

const readPanel = Effect.fnUntraced(function* (id: PanelId) {
  const json = yield* (yield* ServiceClient).json("getVirtualPanel", id)
  return yield* Schema.decodeUnknownEffect(StoredPanel)(json).pipe(
    Effect.mapError(
      (error) => new ReplyMalformed({ request: `getVirtualPanel (virtual panel ${id})`, reason: placeOfIssue(error) })
    )
  )
})

/** The whole panel to send: the stored fields with `changes` applied. */
const updateOf = Effect.fnUntraced(function* (
  id: PanelId,
  stored: StoredPanel,
  changes: PanelChanges
): Effect.fn.Return<VirtualPanelUpdate, UsageError> {
  const active = changes.active ?? stored.active
  if (active == null) {
    return yield* new UsageError({
      message: `The service does not say whether panel ${id} is active: give --active or --no-active`
    })
  }
  const { description, name, personId } = stored
  const kept = { name, ...(description == null ? {} : { description }), ...(personId == null ? {} : { personId }) }
  return { ...kept, geneIds: stored.genes.map((gene) => gene.id), ...changes, active, id }
})

const sortIds = (ids: ReadonlyArray<string>) => [...new Set(ids)].sort().join(" ")

const known: ReadonlyArray<string> = ["id", "name", "active", "geneIds", "description", "personId"]

/** The changes that `update` makes, one line each; empty when no field that can be read back differs. */
const differences = (stored: StoredPanel, update: VirtualPanelUpdate): ReadonlyArray<string> => {
  const line = (name: string, before: unknown, after: unknown) =>
    (before ?? null) === (after ?? null)
      ? []
      : [`${name}: ${JSON.stringify(before ?? null)} becomes ${JSON.stringify(after ?? null)}`]
  const before = stored.genes.map((gene): string => gene.id)
  const after: ReadonlyArray<string> = update.geneIds
  const added = after.filter((id) => !before.includes(id))
  const removed = before.filter((id) => !after.includes(id))
  const genes = [
    ...(added.length === 0 ? [] : [`added ${added.join(", ")}`]),
    ...(removed.length === 0 ? [] : [`removed ${removed.join(", ")}`])
  ]
  return [
    ...line("name", stored.name, update.name),
    ...line("active", stored.active, update.active),
    ...(sortIds(before) === sortIds(after) ? [] : [`geneIds: ${genes.join("; ")}`]),
    ...line("description", stored.description, update.description),
    ...line("personId", stored.personId, update.personId)
  ]
}

export const updatePanel: Special = {
  check: (_, own) => panelProblems(own),
  prepare: Effect.fnUntraced(function* ([operand = ""], own) {
    const id = PanelId.make(operand)
    const changes = yield* panelChanges(own)
    if (changes.id != null && changes.id !== id) {
      return yield* new UsageError({ message: `The input is for panel ${changes.id}, not for panel ${id}` })
    }
    return change(id, changes)
  })
}

const change = Effect.fn("svc.step.changePanel")(function* (id: PanelId, changes: PanelChanges) {
  const onWire = Schema.encodeSync(WirePanelId)(id)
  const stored = yield* readPanel(id)
  const update = yield* updateOf(id, stored, changes)
  const others = Object.keys(update).filter((name) => !known.includes(name))
  const changed = [...differences(stored, update), ...others.map((name) => `${name}: sent as given`)]
  yield* Effect.forEach(changed, (line) => Effect.logInfo(`Virtual panel ${id}, ${line}`), { discard: true })
  if (changed.length === 0) {
    yield* Effect.logInfo(`Virtual panel ${id} is that way already: nothing was sent`)
    return jsonLine(onWire)
  }
  const saved = (yield* ServiceClient).json("createOrUpdateVirtualPanel", update)
  const look = Effect.map(readPanel(id), (now) => {
    const open = differences(now, update)
    return open.length === 0
      ? { done: onWire }
      : { found: `a look afterwards found that it has not (${open.join("; ")})` }
  })
  return jsonLine(yield* changeAndLook(saved, look, `Virtual panel ${id}`))
})
