import { existsSync, readdirSync, statSync } from "node:fs"
import { join } from "node:path"
import { Effect } from "effect"
import { type RunOptions, run } from "../Executables.ts"

export interface Service {
  readonly url: string
  readonly user: string
  readonly password: string
}

/** `svc-download` with the credentials of `service` in its environment, at the address `target`. */
export const download = (
  { password, user }: Service,
  target: string,
  args: ReadonlyArray<string>,
  options: RunOptions = {}
) =>
  run("svc-download", ["-t", target, ...args], {
    ...options,
    env: { SVC_USER: user, SVC_PASSWORD: password, ...options.env }
  })

/** The counters of a sandbox. */
export const stats = ({ url }: Service) =>
  Effect.promise(() => fetch(`${url}/__sandbox/stats`).then((reply) => reply.json())) as Effect.Effect<
    Readonly<Record<string, unknown>>
  >

export const allTypes = ["-f", "bam,bam.bai,vcf.gz,vcf.gz.tbi"]

/** Whether the part of the file `name` in `folder` has bytes. A part may get its final name after the folder was read. */
export const partHasBytes = (folder: string, name: string) => (): boolean =>
  existsSync(folder) &&
  readdirSync(folder)
    .filter((file) => file.startsWith(`.${name}.`) && /^[0-9a-f]{8}\.part$/.test(file.slice(name.length + 2)))
    .some((file) => (statSync(join(folder, file), { throwIfNoEntry: false })?.size ?? 0) > 0)
