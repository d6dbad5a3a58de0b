/**
 * Files in the archive: where their restorations stand.
 *
 * @since 0.1.0
 */
export type { Looks } from "../download/Downloads.ts"
export { isSettled, type Look, type RestorationState, type RestorationStatus } from "../download/RestorationStatus.ts"
