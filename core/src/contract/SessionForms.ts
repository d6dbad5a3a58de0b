/** The forms of login and logout (docs/dev/service.md 11.2 and 11.5). */
import * as Schema from "effect/Schema"

/** `_csrf` is the token of the initial session. */
export const LoginForm = Schema.Struct({
  _csrf: Schema.String,
  username: Schema.String,
  password: Schema.RedactedFromValue(Schema.String)
})

/** `_csrf` is the current token. */
export const LogoutForm = Schema.Struct({ _csrf: Schema.String })
