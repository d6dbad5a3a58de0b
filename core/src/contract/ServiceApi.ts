/**
 * The whole API: the endpoints of `Endpoints.ts` by group, and those of the session. A client that calls one endpoint needs only
 * that one (`client/EndpointCalls.ts`).
 */
import * as HttpApi from "effect/http-api/HttpApi"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiGroup from "effect/http-api/HttpApiGroup"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { declare } from "./Endpoints.ts"

/** `_csrf` is the token of the initial session. */
const LoginForm = Schema.Struct({
  _csrf: Schema.String,
  username: Schema.String,
  password: Schema.RedactedFromValue(Schema.String)
})

/** `_csrf` is the current token. */
const LogoutForm = Schema.Struct({ _csrf: Schema.String })

const disableCodecs = true

/** The endpoints that begin and end a session; their answers carry a token header and a session cookie (docs/dev/service.md 11). */
const session = () =>
  HttpApiGroup.make("session").add(
    HttpApiEndpoint.head("initialSession", "/", { disableCodecs, success: HttpApiSchema.Empty(200) }),
    HttpApiEndpoint.head("authenticate", "/authenticate", { disableCodecs, success: HttpApiSchema.Empty(200) }),
    HttpApiEndpoint.post("login", "/login", {
      disableCodecs,
      payload: LoginForm.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(200)
    }),
    HttpApiEndpoint.post("logout", "/logout", {
      disableCodecs,
      payload: LogoutForm.pipe(HttpApiSchema.asFormUrlEncoded()),
      success: HttpApiSchema.Empty(200)
    })
  )

const person = () =>
  HttpApiGroup.make("person").add(declare("getInternalPersonId"), declare("getPerson"), declare("createOrUpdatePerson"))

const analysis = () =>
  HttpApiGroup.make("analysis").add(
    declare("getSnvAnnotations"),
    declare("getAnalyses"),
    declare("getPersonAnalyses"),
    declare("findAnalysesByFilename")
  )

const cnv = () => HttpApiGroup.make("cnv").add(declare("getCnvTargetResults"), declare("getPendingCnvSegments"))

const quality = () => HttpApiGroup.make("quality").add(declare("getQcCaseMetrics"))

const coverage = () => HttpApiGroup.make("coverage").add(declare("getCoverageData"))

const report = () => HttpApiGroup.make("report").add(declare("getCaseReport"), declare("getCaseReportInfos"))

const panel = () =>
  HttpApiGroup.make("panel").add(
    declare("getVirtualPanel"),
    declare("createOrUpdateVirtualPanel"),
    declare("getVirtualPanelSummaries"),
    declare("getAllGenes")
  )

const file = () => HttpApiGroup.make("file").add(declare("getFileDownloadLinks"))

const archive = () => HttpApiGroup.make("archive").add(declare("requestRestore"))

/**
 * The contract of the service: endpoints by group, with the schemas of their requests and answers. Made by those who need all of
 * it, the sandbox and the OpenAPI document, since that takes 10 ms of CPU at the start of every step.
 */
export const serviceApi = () =>
  HttpApi.make("service")
    .add(session())
    .add(person())
    .add(analysis())
    .add(cnv())
    .add(quality())
    .add(coverage())
    .add(report())
    .add(panel())
    .add(file())
    .add(archive())

/** What `serviceApi` makes. */
export type ServiceApi = ReturnType<typeof serviceApi>
