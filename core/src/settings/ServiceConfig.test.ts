import { assert, describe, it } from "@effect/vitest"
import { Config, ConfigProvider, Effect, Redacted } from "effect"
import { serviceConfig } from "./ServiceConfig.ts"

const variables = {
  SVC_TARGET: "muenster",
  SVC_BASE_URL: "https://{target}.example.org/gene",
  SVC_USER: "ada",
  SVC_PASSWORD: "one",
  OTHER_SVC_TARGET: "https://lab.example.org",
  OTHER_SVC_USER: "ben",
  OTHER_SVC_PASSWORD: "two",
  OTHER_SVC_PROXY: "http://carol:three@proxy.example.org:3128",
  OTHER_SVC_LOCK_DIR: "/locks"
}

const parsed = <A>(config: Config.Config<A>, env: Record<string, string>) =>
  config.parse(ConfigProvider.fromEnv({ env }))

const secretOf = ({ password }: { readonly password?: Redacted.Redacted | undefined }) =>
  password === undefined ? null : Redacted.value(password)

describe("serviceConfig", () => {
  it.effect("goes with other Configs: two accounts in one value, the second nested", () =>
    Effect.gen(function* () {
      const both = Config.all({ first: serviceConfig, second: Config.nested(serviceConfig, "OTHER") })
      const { first, second } = yield* parsed(both, variables)
      assert.deepStrictEqual(
        [first.baseUrl.href, first.username, secretOf(first), first.proxy, first.lockDir],
        ["https://muenster.example.org/gene/", "ada", "one", null, null]
      )
      assert.deepStrictEqual(
        [second.baseUrl.href, second.username, secretOf(second), second.lockDir],
        ["https://lab.example.org/", "ben", "two", "/locks"]
      )
      assert.deepStrictEqual(
        [second.proxy?.url.href, second.proxy?.username],
        ["http://proxy.example.org:3128/", "carol"]
      )
    })
  )

  it.effect("names the variable that is missing or wrong, and no secret that it holds", () =>
    Effect.gen(function* () {
      const messageOf = (changes: Record<string, string>) =>
        Effect.map(Effect.flip(parsed(serviceConfig, { ...variables, ...changes })), ({ message }) => message)
      assert.match(yield* messageOf({ SVC_USER: "" }), /SVC_USER/)
      const target = yield* messageOf({ SVC_TARGET: "https://ada:secret@lab.example.org" })
      assert.match(target, /SVC_TARGET must not hold credentials/)
      const template = yield* messageOf({ SVC_BASE_URL: "https://lab.example.org" })
      assert.match(template, /SVC_BASE_URL has no \{target\}/)
      const proxy = yield* messageOf({ SVC_PROXY: "socks://ada:secret@proxy" })
      assert.match(proxy, /SVC_PROXY must be an http or https URL/)
      assert.notMatch(target + proxy, /secret/)
    })
  )
})
