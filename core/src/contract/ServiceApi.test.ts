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
    assert.deepStrictEqual(
      declared
        .filter(({ request }) => !observed.includes(request))
        .map(line)
        .toSorted(),
      known.toSorted(),
      "a new endpoint: write it into docs/dev/service.md 4.1"
    )
  })

  it("has every endpoint that has a note", () => {
    const names = declared.map(({ name }) => name)
    const lacking = Object.keys(endpointNotes).filter((name) => !names.includes(name))
    assert.deepStrictEqual(lacking, [], "put them into a group of contract/ServiceApi.ts")
  })
})
