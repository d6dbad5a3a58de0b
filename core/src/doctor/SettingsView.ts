/** The settings that are in force and where each came from, without any secret. */
import type { StepName } from "../settings/Key.ts"
import { type KeyName, keysOf, table } from "../settings/Keys.ts"
import { type LocalSettings, nameAt } from "../settings/Settings.ts"

/** Where credentials could stand in an address: nothing of them is shown, neither user nor password. */
const withoutCredentials = (text: string): string => text.replace(/\/\/[^/?#]*@/g, "//***@")

const valueText = (key: KeyName, value: unknown): string => {
  if (table[key].type === "secret") return "****"
  return withoutCredentials(Array.isArray(value) ? value.join(",") : String(value))
}

/** Keys whose absence is worth a line. */
const important: ReadonlyArray<KeyName> = ["target", "username", "password"]

/** `target = https://lab.example.org (SVC_TARGET in the environment)`, one for each key that is set or matters. */
export const settingLines = (step: StepName, settings: LocalSettings): ReadonlyArray<string> =>
  keysOf(step).flatMap((key) => {
    const value: unknown = settings[key]
    const source = settings.source(key)
    if (source === "default") return important.includes(key) && value === null ? [`${key} is not set`] : []
    const place = source === "environment" ? `${nameAt(key, source)} in the environment` : source
    return [`${key} = ${valueText(key, value)} (${place})`]
  })
