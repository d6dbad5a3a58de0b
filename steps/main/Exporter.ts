/** Sends spans and counters to a collector (docs/observability.md). Whoever has no network, as `svc-verify`, does not bring it. */
export const exporter = () => import("../../platform/Telemetry.ts")

export type Exporter = typeof exporter
