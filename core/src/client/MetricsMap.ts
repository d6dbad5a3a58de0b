/** The metrics of a case are wrapped into a map whose one key is the LIMS identifier (docs/service.md 12). */
import type { Schema } from "effect"

type JsonObject = { readonly [key: string]: Schema.Json }

const isObject = (json: Schema.Json | undefined): json is JsonObject =>
  typeof json === "object" && json !== null && !Array.isArray(json)

/**
 * `payload` with the metrics of `person` in place of the map; null when the map does not have them. A map with one
 * other key is taken as well, for the service may write an identifier in its own way.
 */
export const metricsOf =
  (person: string) =>
  (payload: Schema.Json): Schema.Json => {
    if (!isObject(payload) || !isObject(payload["metricResults"])) return payload
    const byPerson = new Map(Object.entries(payload["metricResults"]))
    const metrics = byPerson.get(person) ?? (byPerson.size === 1 ? [...byPerson.values()][0] : undefined)
    return metrics === undefined ? null : { ...payload, metricResults: metrics }
  }
