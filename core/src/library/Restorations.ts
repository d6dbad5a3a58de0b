/**
 * Files in the archive: who agrees to their restoration, and where it stands.
 *
 * @since 0.1.0
 */
export type { RestoreMode } from "../archive/Policy.ts"
export type { StoredOptions, TrackingEntry } from "../archive/TrackingEntry.ts"
export type { Restoration } from "../archive/Waiting.ts"
export type { Looks } from "../download/Downloads.ts"
export { isSettled, type Look, type RestorationState, type RestorationStatus } from "../download/RestorationStatus.ts"
export type { Awaited } from "../download/RunEvent.ts"
