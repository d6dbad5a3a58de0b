/**
 * `update-virtual-panel`: the service replaces a whole panel, so the panel is read first and the fields that were not given are
 * sent back unchanged. When the answer is lost, the panel is read again to see whether the change took effect; it is not resent.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { placeOfIssue } from "../../core/src/client/Reply.ts"
import { ServiceJson } from "../../core/src/client/ServiceClient.ts"
import { GeneId, PanelId, PersonId } from "../../core/src/contract/Ids.ts"
import type { VirtualPanelUpdate } from "../../core/src/contract/Panels.ts"
import { maybe, openStruct, record } from "../../core/src/contract/Record.ts"
import { ReplyMalformed, UsageError } from "../../core/src/Errors.ts"
import { changeAndLook } from "./LookAfterwards.ts"
import { type PanelChanges, panelChanges, panelProblems } from "./PanelFields.ts"
import { jsonLine, type Special } from "./Special.ts"

/** The fields of a panel that an update replaces. */
const StoredPanel = record("StoredPanel", {
  name: Schema.String,
  active: maybe(Schema.Boolean),
  genes: Schema.Array(openStruct({ id: GeneId })),
  description: maybe(Schema.String),
  personId: maybe(PersonId)
})
type StoredPanel = typeof StoredPanel.Type

const readPanel = Effect.fnUntraced(function* (id: PanelId) {
  const json = yield* (yield* ServiceJson).getVirtualPanel(id)
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
  const onWire = Schema.encodeSync(PanelId)(id)
  const stored = yield* readPanel(id)
  const update = yield* updateOf(id, stored, changes)
  const others = Object.keys(update).filter((name) => !known.includes(name))
  const changed = [...differences(stored, update), ...others.map((name) => `${name}: sent as given`)]
  yield* Effect.forEach(changed, (line) => Effect.logInfo(`Virtual panel ${id}, ${line}`), { discard: true })
  if (changed.length === 0) {
    yield* Effect.logInfo(`Virtual panel ${id} is that way already: nothing was sent`)
    return jsonLine(onWire)
  }
  const saved = (yield* ServiceJson).createOrUpdateVirtualPanel(update)
  const look = Effect.map(readPanel(id), (now) => {
    const open = differences(now, update)
    return open.length === 0
      ? { done: onWire }
      : { found: `a look afterwards found that it has not (${open.join("; ")})` }
  })
  return jsonLine(yield* changeAndLook(saved, look, `Virtual panel ${id}`))
})
