/**
 * Every name and path of the session in one value, so that a service with other names needs a setting and no new release.
 *
 * Source: docs/dev/service.md 11, observed from public clients; docs/dev/service.md 5 leaves the names open.
 */
import * as Schema from "effect/Schema"

/** What a configuration may override; keys that are absent keep the defaults of {@link makeSessionProfile}. */
export const SessionProfileOverrides = Schema.Struct({
  /**
   * Paths asked in order with `HEAD` until one answers with a token and a cookie, then those that refuse `HEAD` with
   * `GET`. `""` is the base URL itself.
   */
  initialPaths: Schema.optionalKey(Schema.NonEmptyArray(Schema.String)),
  /** Carrier of the CSRF token, in replies and in requests. */
  tokenHeader: Schema.optionalKey(Schema.NonEmptyString),
  loginPath: Schema.optionalKey(Schema.NonEmptyString),
  logoutPath: Schema.optionalKey(Schema.NonEmptyString),
  /** Form field of the token in the login and logout requests. */
  tokenField: Schema.optionalKey(Schema.NonEmptyString),
  usernameField: Schema.optionalKey(Schema.NonEmptyString),
  passwordField: Schema.optionalKey(Schema.NonEmptyString),
  userAgent: Schema.optionalKey(Schema.NonEmptyString),
  /** Sent with every API request. */
  headers: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})

/** What the session says on the wire; all paths are relative to the base URL. */
export type SessionProfile = Required<typeof SessionProfileOverrides.Type>

/**
 * The known service, named as `svc-steps/<version>`, with `overrides` on top.
 *
 * `Sec-Fetch-Mode: same-origin` is needed: the service refuses a login that says `cors`, which some HTTP stacks add.
 */
export const makeSessionProfile = (
  version: string,
  overrides: typeof SessionProfileOverrides.Type = {}
): SessionProfile => ({
  initialPaths: ["", "/authenticate"],
  tokenHeader: "X-CSRF-TOKEN",
  loginPath: "/login",
  logoutPath: "/logout",
  tokenField: "_csrf",
  usernameField: "username",
  passwordField: "password",
  userAgent: `svc-steps/${version}`,
  headers: { "sec-fetch-mode": "same-origin" },
  ...overrides
})
