/** Records thrown from the shapes of docs/dev/service.md 13 pass through contract and client, and lose nothing on the way. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import * as SeededRandom from "../../../sandbox/samples/SeededRandom.ts"
import { calls } from "../../../test/wire/Calls.ts"
import { service } from "../../../test/wire/FakeService.ts"
import { answers } from "../../../test/wire/Shapes.ts"
import { type EndpointName, type EndpointNote, endpointNotes } from "../contract/EndpointNotes.ts"
import { endpointOf, payloadSchema } from "./EndpointCalls.ts"
import { ServiceClient } from "./ServiceClient.ts"
import type { ServiceMethods } from "./ServiceMethods.ts"

/** Key order is not part of a record. */
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === "object" && value !== null
      ? Object.fromEntries(
          Object.entries(value)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([key, part]) => [key, sorted(part)])
        )
      : value

describe("records of the shapes that are known", () => {
  for (const name of Object.keys(endpointNotes) as ReadonlyArray<EndpointName>) {
    it.effect(`25 of ${name} are decoded, and lose nothing`, () =>
      Effect.gen(function* () {
        assert.property(answers, name, "its record has no name in test/wire/Shapes.ts")
        assert.property(calls, name, "it has no call in test/wire/Calls.ts")
        const [form, shape] = answers[name]
        const [[call]] = calls[name]
        const endpoint = endpointOf(name)
        const schema = payloadSchema(endpoint)
        assert.strictEqual(!new Set<unknown>(endpoint.success).has(schema), form === "E")
        for (let seed = 1; seed <= 25; seed++) {
          const payload = shape(SeededRandom.make(SeededRandom.seedOf(seed, name)))
          const body = form === "E" ? { success: true, response: payload, errorMessageId: null } : payload
          const { layer } = service(JSON.stringify(body))
          yield* Effect.gen(function* () {
            const decoded = yield* call(yield* ServiceClient)
            const again = yield* Schema.encodeUnknownEffect(schema)(decoded)
            assert.deepStrictEqual(sorted(numeric(again)), sorted(numeric(payload)), `seed ${seed}`)
            assert.deepStrictEqual(yield* call(jsonMethods(yield* ServiceClient)), payload as never)
          }).pipe(Effect.provide(layer))
        }
      })
    )
  }
})

/** The methods of a client, as JSON. */
const jsonMethods = ({ json }: ServiceClient["Service"]) => {
  const names = Object.keys(endpointNotes) as ReadonlyArray<EndpointName>
  const method = (name: EndpointName) => {
    const { choices = [], takes }: EndpointNote = endpointNotes[name]
    const call = json as (name: EndpointName, ...given: ReadonlyArray<unknown>) => unknown
    return takes.length + choices.length === 0 ? call(name) : (...given: ReadonlyArray<unknown>) => call(name, ...given)
  }
  return Object.fromEntries(names.map((name) => [name, method(name)])) as unknown as ServiceMethods
}

/** An identifier that came as digits goes as an integer, which no known service tells apart. */
const numeric = (value: unknown): unknown =>
  typeof value === "string" && /^[1-9]\d*$/.test(value) ? Number(value) : value
