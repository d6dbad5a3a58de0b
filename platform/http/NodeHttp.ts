/**
 * Node's HTTP client. An `import` of `node:http` reads each of its exports once, also those that load the parts of a browser
 * (WebSocket and what it needs): 70 ms of CPU at each start of a step, a fifth of a small job.
 */
export const http = process.getBuiltinModule("node:http")
