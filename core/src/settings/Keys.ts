/**
 * Every setting of every step, declared once: options, environment variables, configuration keys, help texts, decoding
 * and docs/settings.md are all made of this table (docs/dev/service.md 2.4 and 4.2; rows marked `beyond` go beyond them).
 */
import { archiveKeys } from "./ArchiveKeys.ts"
import { fileKeys } from "./FileKeys.ts"
import type { Key, StepName } from "./Key.ts"
import { logKeys } from "./LogKeys.ts"
import { networkKeys } from "./NetworkKeys.ts"
import { regionKeys } from "./RegionKeys.ts"
import { selectionKeys } from "./SelectionKeys.ts"
import { serviceKeys } from "./ServiceKeys.ts"

export const keys = {
  ...serviceKeys,
  ...selectionKeys,
  ...fileKeys,
  ...regionKeys,
  ...archiveKeys,
  ...networkKeys,
  ...logKeys
} as const satisfies Record<string, Key>

export type KeyName = keyof typeof keys

/** All rows with the wide type, for code that treats them alike. */
export const table: Readonly<Record<KeyName, Key>> = keys

/** All keys, in the order of the table. */
export const keyNames = Object.keys(keys) as ReadonlyArray<KeyName>

/** The keys a step takes, in the order of the table. */
export const keysOf = (step: StepName): ReadonlyArray<KeyName> =>
  keyNames.filter((name) => table[name].steps.includes(step))
