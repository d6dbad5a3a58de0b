import { assert, describe, it } from "@effect/vitest"
import { specified } from "../../test/wire/ServicePage.ts"
import { apiStep } from "./ApiStep.ts"

describe("svc-api", () => {
  it("has each method of docs/dev/service.md 4.1 under its name, and two for the panel that is created or updated", () => {
    const names = specified
      .flatMap(({ methods }) => methods)
      .map((name) => name.replaceAll("_", "-"))
      .flatMap((name) =>
        name === "create-or-update-virtual-panel" ? ["create-virtual-panel", "update-virtual-panel"] : [name]
      )
    assert.isAbove(names.length, 15)
    assert.includeMembers(
      apiStep.methods.map(({ method }) => method),
      names
    )
  })
})
