/** The events of a run as JSON, such as a program sends to a browser: nothing is lost on the way, and no secret goes with them. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Redacted, Schema, Stream } from "effect"
import { ServiceClient } from "../../core/src/client/ServiceClient.ts"
import { AnalysisId } from "../../core/src/contract/Ids.ts"
import { Downloads } from "../../core/src/download/Downloads.ts"
import { RunEvent } from "../../core/src/download/RunEvent.ts"
import * as Service from "../../platform/Service.ts"
import { fault, ground } from "../DownloadGround.ts"

const Line = Schema.fromJsonString(RunEvent)
/** Without what only we know of a file. */
const asPublic = Schema.decodeUnknownSync(Schema.toType(RunEvent))

describe("the events of a run", () => {
  it.live("Z5 are read again from their JSON as they were, and hold neither a link nor the password", () =>
    Effect.gen(function* () {
      const { folder, password, url, user } = yield* ground({
        faults: [fault({ plane: "link", file: "S2.bam" }, { status: 410 })]
      })
      const service = Service.layer({
        baseUrl: new URL(url),
        username: user,
        password: Redacted.make(password),
        lockDir: join(folder, "locks"),
        restorationFile: join(folder, "r.json")
      })
      const options = { filetypes: ["bam", "vcf.gz"], destination: join(folder, "out"), range: "chr1:1-10000" } as const
      const told = yield* Effect.gen(function* () {
        const { events, fetch } = yield* Downloads
        yield* fetch({ ...options, analysisIds: ["A1"] })
        // A file in the way is a failure of the plan, and S2.bam one of its link.
        writeFileSync(join(folder, "out", "S3.ranged.vcf.gz"), "")
        const { apiFileLinks } = yield* ServiceClient.use((client) =>
          client.getFileDownloadLinks(AnalysisId.make("A1"))
        )
        const link = apiFileLinks[0]?.downloadLink
        assert.match(link == null ? "" : Redacted.value(link), /\/sandbox-files\/.*[?&]X-Amz-Signature=/)
        return yield* Stream.runCollect(
          events({ ...options, analysisIds: ["A1", "A2", "A3", "A4", "gone"], restoreArchived: "force" })
        )
      }).pipe(Effect.provide(service))
      const events = told.flatMap((event) => (event._tag === "Ended" ? [] : [event]))
      const kinds = new Set(events.map(({ _tag }) => _tag))
      const ends = new Set(events.flatMap((event) => (event._tag === "Finished" ? [event.result._tag] : [])))
      assert.sameMembers([...kinds], Object.keys(RunEvent.cases))
      assert.sameMembers([...ends], ["Kept", "Sliced", "Pending", "Failed"])
      const lines = events.map((event) => Schema.encodeSync(Line)(event))
      for (const secret of [password, "sandbox-files", "X-Amz-"]) assert.notInclude(lines.join("\n"), secret)
      assert.deepStrictEqual(
        lines.map((line) => Schema.decodeSync(Line)(line)),
        events.map((event) => asPublic(event))
      )
    })
  )
})
