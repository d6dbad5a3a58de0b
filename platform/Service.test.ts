import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Layer, Runtime } from "effect"
import * as Service from "./Service.ts"

describe("a service out of the configuration", () => {
  it.effect("ends a program in which a setting is missing with the code of the steps, as an error of Config", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(Service.layerConfig()))
      assert.deepStrictEqual([error._tag, Runtime.getErrorExitCode(error)], ["ConfigError", 78])
      assert.include(String(error), "SVC_TARGET")
    }).pipe(Effect.provideService(ConfigProvider.ConfigProvider, ConfigProvider.fromUnknown({})))
  )
})
