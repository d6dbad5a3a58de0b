/** Sends spans and counters to a collector (docs/observability.md). Steps without network access, such as `svc-verify`, do not include it. */
export const exporter = () => import("../../platform/Telemetry.ts")

export type Exporter = typeof exporter
