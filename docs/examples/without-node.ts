/**
 * Lists the analyses of an account with Bun or Deno, by the `fetch` that is there.
 *
 *     bun without-node.ts
 *     deno run --allow-env --allow-net without-node.ts
 */
import { Config, Console, Effect, Layer } from "effect"
import { Client, Session } from "svc-steps"

const account = Config.all({
  baseUrl: Config.URL("SVC_TARGET"),
  username: Config.String("SVC_USER"),
  password: Config.Redacted("SVC_PASSWORD")
})

const session = Layer.unwrap(
  Effect.map(account, (settings) =>
    Session.layerFetch({ ...settings, profile: Session.makeSessionProfile("my-program") })
  )
)

const program = Effect.gen(function* () {
  const { getAnalyses } = yield* Client.ServiceClient
  for (const { id } of yield* getAnalyses()) yield* Console.log(id)
})

program.pipe(Effect.provide(Layer.provide(Client.ServiceClient.layer, session)), Effect.runPromise)
