/**
 * The session of an account: its login, its turns, its repeats, and requests of your own through it.
 *
 * @since 0.1.0
 */
export { AccountLock, type AccountTurn } from "../session/Gate.ts"
export { RepeatSafe } from "../session/RequestMarks.ts"
export { type Conversation, Session } from "../session/Session.ts"
export { layerFetch } from "../session/SessionFetch.ts"
export { makeSessionProfile, type SessionProfile, type SessionSettings } from "../session/SessionSettings.ts"
