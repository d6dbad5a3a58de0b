/** The page of the sandbox that shows the API, in a real browser: logged in with its form, and a request sent from it. */

import * as NodeServices from "@effect/platform-node/NodeServices"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { start } from "../../sandbox/Sandbox.ts"
import { startBrowser, type Visit } from "./Browser.ts"

/** Until an expression is true in the page. */
const until = (visit: Visit, expression: string) =>
  Effect.repeat(visit.evaluate(expression), {
    until: (value) => value === true,
    schedule: Schedule.spaced("20 millis")
  })

describe("the page of the API", () => {
  it.live("shows every operation, logs in and sends a request, all from the sandbox alone", () =>
    Effect.gen(function* () {
      const sandbox = yield* Effect.provide(start({ behaviour: { strict: true } }), NodeServices.layer)
      const browser = yield* startBrowser
      const page = yield* browser.visit(`${sandbox.url}/__sandbox/docs`, { width: 1000 })
      yield* until(page, "document.querySelectorAll('details').length >= 20")
      yield* page.evaluate("document.querySelector('#account button').click()")
      yield* until(page, "document.getElementById('state').textContent === 'Logged in'")
      yield* page.evaluate(
        "const form = document.getElementById('getPerson'); form.closest('details').open = true; form.elements.personLimsId.value = 'LIMS-0001'; form.requestSubmit()"
      )
      yield* until(page, "document.querySelector('#getPerson pre').textContent.includes('personalInformation')")
      assert.match(String(yield* page.evaluate("document.querySelector('#getPerson pre').textContent")), /^200 GET /)
      assert.deepStrictEqual(page.complaints(), [])
      assert.isTrue(page.requests().every((address) => address.startsWith(sandbox.url) || address === "data:,"))
      const { logins, overlaps } = yield* sandbox.stats
      assert.deepStrictEqual([logins, overlaps], [1, 0])
    }).pipe(Effect.scoped)
  )
})
