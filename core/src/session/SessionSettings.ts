/**
 * The settings of a session: account, address, time limits, number of tries, and every name and path that it uses, so that a service
 * with other names needs a setting and no new release.
 */
import * as Duration from "effect/Duration"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"

/**
 * What a configuration may override; keys that are absent keep the defaults of {@link makeSessionProfile}.
 *
 * @category schemas
 * @since 0.1.0
 */
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

/**
 * What the session says on the wire; all paths are relative to the base URL. Observed from public clients (docs/dev/service.md 11);
 * docs/dev/service.md 5 leaves the names open.
 *
 * @category options
 * @since 0.1.0
 */
export type SessionProfile = Required<typeof SessionProfileOverrides.Type>

/**
 * The known service, named as `svc-steps/<version>`, with `overrides` on top.
 *
 * `Sec-Fetch-Mode: same-origin` is what a page of the service itself would say.
 *
 * @category constructors
 * @since 0.1.0
 */
export const makeSessionProfile = (
  version: string,
  overrides: { readonly [Name in keyof SessionProfile]?: SessionProfile[Name] | undefined } = {}
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
  ...Object.fromEntries(Object.entries(overrides).filter(([, value]) => value !== undefined))
})

/** The time limits that hold when {@link SessionLimits} give none. An answer of the API may be long work, as nothing is paged. */
export const usualTimeouts = {
  apiTimeout: Duration.minutes(15),
  headers: Duration.seconds(60),
  idle: Duration.seconds(60),
  grace: Duration.seconds(3),
  logout: Duration.seconds(5)
}

/**
 * Limits of a session: time, tries, and memory.
 *
 * @category options
 * @since 0.1.0
 */
export interface SessionLimits {
  /** How long any other answer may take to begin; 15 minutes when absent. */
  readonly apiTimeout?: Duration.Input | null | undefined
  /** Further time limits, where they differ from the usual ones. */
  readonly timeouts?:
    | {
        /** From sending a request of the login to its reply, connecting included. 60 s. */
        readonly headers?: Duration.Input | undefined
        /** Between two pieces of a body that has begun. 60 s. */
        readonly idle?: Duration.Input | undefined
        /** How long a request may still run after its caller was interrupted; then its connection is cut. 3 s. */
        readonly grace?: Duration.Input | undefined
        /** For the logout, including the wait for the gate. 5 s. */
        readonly logout?: Duration.Input | undefined
      }
    | undefined
  /** Largest body that `http` keeps in memory, in bytes; 64 MiB by default. */
  readonly bodyLimit?: number | undefined
  /** How often a request that may be repeated is sent, the first time included; 7 by default (about 30 s). */
  readonly tries?: number | undefined
}

/**
 * The account and the address of the service.
 *
 * @category options
 * @since 0.1.0
 */
export interface SessionSettings extends SessionLimits {
  readonly baseUrl: URL
  readonly username: string
  readonly password: Redacted.Redacted
  /** Of a gateway, which stands at `baseUrl` in place of the service: nobody logs in, and no turn is taken. */
  readonly token?: Redacted.Redacted | null | undefined
  readonly profile: SessionProfile
}
