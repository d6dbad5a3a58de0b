import { assert, describe, it } from "@effect/vitest"
import { endpointNotes } from "./EndpointNotes.ts"
import { serviceApi } from "./ServiceApi.ts"

const declared = Object.values(serviceApi().groups).flatMap((group) =>
  Object.values(group.endpoints).map(({ identifier, method, path }) => `${method} ${path} ${identifier}`)
)

describe("ServiceApi", () => {
  it("has the endpoints of docs/dev/service.md 4.1, session, restore and report infos, and no others", () => {
    const known = [
      "HEAD / initialSession",
      "HEAD /authenticate authenticate",
      "POST /login login",
      "POST /logout logout",
      "GET /api/person/:personLimsId/id getInternalPersonId",
      "GET /api/analysis/:analysisId/annotations getSnvAnnotations",
      "GET /api/results/:personLimsId/cnv getCnvTargetResults",
      "GET /pending-cnv getPendingCnvSegments",
      "GET /api/qualitycontrol/metrics/case/:personId getQcCaseMetrics",
      "GET /api/:personId/coverage getCoverageData",
      "GET /api/analyses getAnalyses",
      "GET /person/:personLimsId/analyses getPersonAnalyses",
      "GET /api/cases/:personId/report getCaseReport",
      "GET /api/cases/reports/info getCaseReportInfos",
      "GET /api/person/:personLimsId getPerson",
      "PUT /api/person createOrUpdatePerson",
      "GET /analysis-list/find-by-customer-provided-input-file-name findAnalysesByFilename",
      "GET /virtual-panel/:id getVirtualPanel",
      "POST /api/virtual-panel createOrUpdateVirtualPanel",
      "GET /virtual-panels getVirtualPanelSummaries",
      "GET /virtual-panel-genes getAllGenes",
      "GET /api/analysis/:analysisId/get-file-download-links getFileDownloadLinks",
      "POST /archive/analysis/restore requestRestore"
    ]
    assert.deepStrictEqual(
      declared.toSorted(),
      known.toSorted(),
      "a new endpoint: add it here and to docs/dev/service.md 4.1"
    )
  })

  it("has every endpoint that has a note", () => {
    const names = declared.map((endpoint) => endpoint.split(" ")[2] ?? "")
    const lacking = Object.keys(endpointNotes).filter((name) => !names.includes(name))
    assert.deepStrictEqual(lacking, [], "put them into a group of contract/ServiceApi.ts")
  })
})
