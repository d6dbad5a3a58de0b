/**
 * What some tests need besides Node, and what of it this machine lacks: null, or a reason, which the run says with the number of
 * tests that it skipped for it. In CI a tool that is missing is a failure, so nothing but the real files, root, or another user than root
 * is ever lacking there.
 */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"
import type { TestOptions } from "vitest"

declare module "vitest" {
  interface TaskMeta {
    lack?: string
  }
}

/** Real files of other projects. They stand beside the checkout where this is developed, and are no part of the repository. */
export const realFolder: string = fileURLToPath(new URL("../../shared/data/", import.meta.url))

export const inCi: boolean = process.env["CI"] === "true"

const toolsLack = (what: string, ...commands: ReadonlyArray<readonly [string, ...ReadonlyArray<string>]>) =>
  inCi || commands.every(([command, ...args]) => spawnSync(command, args).status === 0) ? null : what

/** What only root may try, also not everywhere in CI. */
const asRoot = (what: string, [command, ...args]: readonly [string, ...ReadonlyArray<string>]) =>
  process.getuid?.() === 0 && spawnSync(command, args).status === 0 ? null : what

export const lacks = {
  realFiles: existsSync(realFolder) ? null : "the real files of other projects, ../shared/data",
  genomeTools: toolsLack(
    "samtools, bcftools or tabix",
    ["samtools", "--version"],
    ["bcftools", "--version"],
    ["tabix", "--version"]
  ),
  compiler: toolsLack("gcc", ["gcc", "--version"]),
  terminal: toolsLack("script, of Debian's bsdutils", ["script", "--version"]),
  users: toolsLack("the right to run as other users", ["setpriv", "--reuid", "61234", "--clear-groups", "true"]),
  root: process.geteuid?.() === 0 ? null : "the rights of root",
  otherThanRoot: process.geteuid?.() === 0 ? "a user whom the rights of a folder bind, as root is none" : null,
  btrfs: asRoot("root, btrfs or a loop device", [
    "sh",
    "-c",
    "mkfs.btrfs --version && losetup -f && grep -q btrfs /proc/filesystems"
  ]),
  networks: asRoot("root, or the right to make networks", [
    "unshare",
    "-m",
    "-n",
    "-u",
    "ip",
    "link",
    "add",
    "type",
    "veth"
  ]),
  mounts: toolsLack("the right to mount a file system", ["unshare", "-Urm", "true"])
}

/** Options of a test or a suite that is skipped where one of these is lacking. */
export const unless = (...reasons: ReadonlyArray<string | null>): TestOptions => {
  const lack = reasons.find((reason) => reason !== null)
  return lack == null ? {} : { skip: true, meta: { lack } }
}
