/**
 * svc-steps as a library: the client of the service, its session, its downloads and its errors, as Effect services.
 *
 * This part is free of Node; `svc-steps/node` has the layers that do the work, and `svc-steps/sandbox` a service to test
 * against. Each namespace is a module of `library/`; every export is documented where it is declared.
 *
 * @since 0.1.0
 */
export * as Annotations from "./library/Annotations.ts"
export * as Client from "./library/Client.ts"
export * as Contract from "./library/Contract.ts"
export * as Downloads from "./library/Downloads.ts"
export * as Errors from "./library/Errors.ts"
export * as Ids from "./library/Ids.ts"
export * as Restorations from "./library/Restorations.ts"
export * as Session from "./library/Session.ts"
export * as Settings from "./library/Settings.ts"
