import { assert, describe, it } from "@effect/vitest"
import { observed, specified } from "../../../test/wire/ServicePage.ts"
import { endpointNotes } from "./EndpointNotes.ts"
import { serviceApi } from "./ServiceApi.ts"

const declared = Object.entries(serviceApi().groups)
  .filter(([group]) => group !== "session")
  .flatMap(([, { endpoints }]) => Object.values(endpoints))
  .map(({ identifier, method, path }) => ({ name: identifier, request: `${method} ${path}` }))

const line = ({ name, request }: { readonly name: string; readonly request: string }) => `${request} ${name}`

describe("ServiceApi", () => {
  it("has the endpoints of docs/dev/service.md 4.1, and beside them only such as section 12 has observed", () => {
    const known = specified.map(({ methods: [name = ""], request }) =>
      line({ name: name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase()), request })
    )
    assert.isAbove(known.length, 15)
    const own = declared.filter(({ request }) => !observed.includes(request)).map(line)
    const without = (some: ReadonlyArray<string>, others: ReadonlyArray<string>) =>
      some.filter((one) => !others.includes(one))
    assert.deepStrictEqual(
      without(known, own),
      [],
      "the page has it: declare it in contract/Endpoints.ts, in a group of contract/ServiceApi.ts"
    )
    assert.deepStrictEqual(
      without(own, known),
      [],
      "the page lacks it: in docs/dev/service.md 4.1 if it is specified, else in 12 as (not specified)"
    )
  })

  it("has every endpoint that has a note", () => {
    const names = declared.map(({ name }) => name)
    const lacking = Object.keys(endpointNotes).filter((name) => !names.includes(name))
    assert.deepStrictEqual(lacking, [], "put them into a group of contract/ServiceApi.ts")
  })
})
