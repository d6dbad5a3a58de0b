/** The session of an account: its login, its turns, its repeats, and requests of your own through it. */
export { RepeatSafe } from "../session/RequestMarks.ts"
export { type Conversation, Session } from "../session/Session.ts"
export {
  makeSessionProfile,
  type SessionLimits,
  type SessionProfile,
  SessionProfileOverrides,
  type SessionTimeouts
} from "../session/SessionSettings.ts"
