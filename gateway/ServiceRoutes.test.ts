import { assert, describe, it } from "@effect/vitest"
import { makeServiceRoutes } from "./ServiceRoutes.ts"

const routeOf = makeServiceRoutes()

describe("requests to the service", () => {
  it("are those that its contract declares, each about the analyses that it names", () => {
    const about = (method: string, path: string, query = "", form = "") => {
      const route = routeOf(method, path)
      return route === null ? null : [route.name, route.right, route.analyses(new URLSearchParams(query), form)]
    }
    assert.deepStrictEqual(about("GET", "/api/analysis/A1/annotations"), ["getSnvAnnotations", "read", ["A1"]])
    assert.deepStrictEqual(about("GET", "/api/analyses", "analysisIds=A1,%20A2&analysisIds=A3"), [
      "getAnalyses",
      "read",
      ["A1", "A2", "A3"]
    ])
    const restore = (query: string, form: string) => about("POST", "/archive/analysis/restore", query, form)?.[2]
    assert.deepStrictEqual(restore("", "analysisIds=A1&analysisIds=A2"), ["A1", "A2"])
    for (const [query, form] of [
      ["analysisIds=A2", "analysisIds=A1"],
      ["x", "analysisIds=A1"],
      ["", ""]
    ] as const) {
      assert.isNull(restore(query, form), `${query} ${form}`)
    }
    assert.isNull(about("POST", "/api/analysis/A1/annotations"))
  })

  it("have no path that another server would read as another one", () => {
    for (const id of [
      "..",
      ".",
      "..;x",
      "A1;x=1",
      ";",
      "A1%2F..%2FA2",
      "A1%5CA2",
      "..%3Bx",
      "%2e%2e",
      "A1%0a",
      "%zz",
      ""
    ]) {
      assert.isNull(routeOf("GET", `/api/analysis/${id}/annotations`), id)
    }
    assert.isNotNull(routeOf("GET", "/api/analysis/A..1/annotations"))
  })
})
