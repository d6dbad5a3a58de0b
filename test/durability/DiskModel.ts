/**
 * What a disk may hold after a power cut: made of the trace of a run (`kill-point.c`), without the run.
 *
 * Certain is only what was synced: the bytes of a file up to its last `fsync`, the names in a folder up to the last `fsync`
 * of the folder. Of everything later each change may be there or not, in any combination, because file systems write in an
 * order of their own: names made, removed or moved (a rename is never half done); bytes absent, zeros, or cut in the middle.
 * More states are possible here than on most file systems, and that is the point. Folders themselves do not vanish.
 */
import { createHash } from "node:crypto"
import { linkSync, mkdirSync, utimesSync, writeFileSync } from "node:fs"
import { dirname, join, normalize } from "node:path"
import type { SeededRandom } from "../../sandbox/samples/SeededRandom.ts"
import type { Tree } from "./Scenario.ts"

export interface Operation {
  /** 0 for an opening that changes nothing. */
  readonly number: number
  readonly name: string
  readonly fd: number
  readonly offset: number
  readonly flags: number
  /** Relative to the traced folder; "" is the folder itself. */
  readonly path: string
  readonly second: string
  readonly bytes: Buffer
}

export const readTrace = (trace: Buffer, folder: string): ReadonlyArray<Operation> => {
  const operations: Array<Operation> = []
  const relative = (path = "") =>
    normalize(path)
      .slice(folder.length + 1)
      .replace(/^\.?\/?$/, "")
  for (let at = 0; at < trace.length; ) {
    const end = trace.indexOf(10, at)
    const [head = "", path, second] = trace.toString("utf8", at, end).split("\t")
    const [number, name = "", fd, offset, length, flags] = head.split(" ")
    const bytes = trace.subarray(end + 1, end + 1 + Number(length))
    at = end + 1 + bytes.length
    operations.push({
      ...{ number: Number(number), name, fd: Number(fd), offset: Number(offset), flags: Number(flags), bytes },
      path: relative(path),
      second: relative(second)
    })
  }
  return operations
}

type Change = { readonly offset: number; readonly bytes: Buffer } | { readonly size: number }

interface FileState {
  readonly id: number
  durable: Buffer
  pending: Array<Change>
  /** What became of it by fate, for the changes that are pending now. */
  readonly outcomes: Map<Fate, Buffer>
}

/** A change of names: each becomes a file, or nothing. */
type Naming = ReadonlyArray<readonly [path: string, file: FileState | null]>

/** What may become of the bytes that were not synced. */
const fates = ["lost", "whole", "zeros", "cut", "holes"] as const
type Fate = (typeof fates)[number]

const applied = (durable: Buffer, changes: ReadonlyArray<Change>, fate: Fate): Buffer => {
  if (fate === "lost" || changes.length === 0) return durable
  let content = Buffer.from(durable)
  const resized = (size: number) => {
    const next = Buffer.alloc(size)
    content.copy(next, 0, 0, Math.min(size, content.length))
    content = next
  }
  for (const [i, change] of changes.entries()) {
    if ("size" in change) {
      resized(change.size)
      continue
    }
    const last = i === changes.length - 1
    const bytes = fate === "cut" && last ? change.bytes.subarray(0, change.bytes.length >> 1) : change.bytes
    if (content.length < change.offset + bytes.length) resized(change.offset + bytes.length)
    if (fate === "zeros" || (fate === "holes" && i === 0)) content.fill(0, change.offset, change.offset + bytes.length)
    else bytes.copy(content, change.offset)
  }
  return content
}

/** The same buffer for the same fate, so that whoever looks at many disks recognises it. */
const become = (file: FileState, fate: Fate): Buffer => {
  const bytes = file.outcomes.get(fate) ?? applied(file.durable, file.pending, fate)
  file.outcomes.set(fate, bytes)
  return bytes
}

const change = (file: FileState | null, by: Change) => {
  file?.pending.push(by)
  file?.outcomes.clear()
}

/** One possible disk. */
export interface DiskState {
  readonly tree: Tree
  /** Names of one file. */
  readonly linked: ReadonlyArray<ReadonlyArray<string>>
  readonly key: string
}

/** The disk under a run, operation by operation. */
export class DiskModel {
  readonly #folders: Set<string>
  readonly #open = new Map<number, FileState | string>()
  readonly #now = new Map<string, FileState>()
  readonly #durable = new Map<string, FileState>()
  readonly #pending = new Map<string, Array<Naming>>()
  #files = 0

  constructor(before: Tree) {
    this.#folders = new Set([""])
    for (const [path, bytes] of before) {
      if (bytes === null) {
        this.#folders.add(path)
        continue
      }
      const file = this.#create(bytes)
      this.#now.set(path, file)
      this.#durable.set(path, file)
    }
  }

  #create(durable: Buffer = Buffer.alloc(0)): FileState {
    return { id: ++this.#files, durable, pending: [], outcomes: new Map() }
  }

  #rename(...naming: Naming) {
    for (const [path, file] of naming) {
      if (file === null) this.#now.delete(path)
      else this.#now.set(path, file)
    }
    const folder = folderOf(naming[0]?.[0] ?? "")
    this.#pending.set(folder, [...(this.#pending.get(folder) ?? []), naming])
  }

  #file(operation: Operation): FileState | null {
    const open = this.#open.get(operation.fd)
    return open === undefined || typeof open === "string" ? null : open
  }

  /** Takes the next operation. */
  apply(operation: Operation): void {
    const { bytes, fd, flags, name, offset, path, second } = operation
    switch (name) {
      case "open": {
        if (this.#folders.has(path)) {
          this.#open.set(fd, path)
          return
        }
        const there = this.#now.get(path)
        const file = there ?? this.#create()
        if (there === undefined) this.#rename([path, file])
        // O_TRUNC of Linux.
        else if ((flags & 0o1000) !== 0) change(file, { size: 0 })
        this.#open.set(fd, file)
        return
      }
      case "write":
        change(this.#file(operation), { offset, bytes })
        return
      case "truncate":
        change(this.#file(operation), { size: offset })
        return
      case "sync": {
        const open = this.#open.get(fd)
        if (open === undefined) return
        if (typeof open !== "string") {
          open.durable = become(open, "whole")
          open.pending = []
          open.outcomes.clear()
          return
        }
        for (const naming of this.#pending.get(open) ?? []) commit(this.#durable, naming)
        this.#pending.delete(open)
        return
      }
      case "mkdir":
        this.#folders.add(path)
        return
      case "unlink":
        this.#rename([path, null])
        return
      case "link":
      case "rename": {
        const file = this.#now.get(path)
        if (file === undefined) return
        if (name === "link" || folderOf(path) !== folderOf(second)) this.#rename([second, file])
        else this.#rename([path, null], [second, file])
        if (name === "rename" && folderOf(path) !== folderOf(second)) this.#rename([path, null])
        return
      }
    }
  }

  /** Possible disks at this moment, different ones, the poorest first; `random` chooses among what is too much to try. */
  states(random: SeededRandom): ReadonlyArray<DiskState> {
    const folders = [...this.#pending].map(([folder, pending]) => choices(folder, pending.length, random))
    const paths = [...this.#pending.keys()]
    const found = new Map<string, DiskState>()
    const add = (chosen: ReadonlyArray<ReadonlyArray<boolean>>, fateOf: (file: FileState) => Fate) => {
      const names = new Map(this.#durable)
      for (const [i, folder] of paths.entries()) {
        for (const [j, naming] of (this.#pending.get(folder) ?? []).entries()) {
          if (chosen[i]?.[j] === true) commit(names, naming)
        }
      }
      const files = [...names].map(
        ([path, file]) => [path, file, file.pending.length === 0 ? "whole" : fateOf(file)] as const
      )
      const key = files.map(([path, { id }, fate]) => `${path} ${id} ${fate}`).join("\n")
      if (!found.has(key)) found.set(key, this.#state(files, key))
    }
    const none = folders.map(([first]) => first)
    const every = folders.map(([, second]) => second)
    for (const fate of fates) {
      for (const rest of [none, every]) {
        for (const [i, all] of folders.entries()) {
          for (const one of all) add(rest.with(i, one), () => fate)
        }
        add(rest, () => fate)
      }
    }
    for (let i = 0; i < 20; i++) {
      const mixed = new Map<FileState, Fate>()
      add(
        folders.map((all) => random.pick(all)),
        (file) => {
          const fate = mixed.get(file) ?? random.pick(fates)
          mixed.set(file, fate)
          return fate
        }
      )
    }
    return [...found.values()]
  }

  #state(files: ReadonlyArray<readonly [path: string, file: FileState, fate: Fate]>, key: string): DiskState {
    const content = new Map<FileState, Buffer>()
    const byFile = Map.groupBy(files, ([, file]) => file)
    const bytesOf = (file: FileState, fate: Fate) => {
      const bytes = content.get(file) ?? become(file, fate)
      content.set(file, bytes)
      return bytes
    }
    const tree: Tree = new Map<string, Buffer | null>([
      ...[...this.#folders].filter((path) => path !== "").map((path) => [path, null] as const),
      ...files.map(([path, file, fate]) => [path, bytesOf(file, fate)] as const)
    ])
    return { tree, key, linked: [...byFile.values()].map((names) => names.map(([path]) => path)) }
  }
}

const folderOf = (path: string) => (dirname(path) === "." ? "" : dirname(path))

const commit = (names: Map<string, FileState>, naming: Naming) => {
  for (const [path, file] of naming) {
    if (file === null) names.delete(path)
    else names.set(path, file)
  }
}

type Chosen = ReadonlyArray<boolean>

/** Which of `count` changes are there: none, all, then every combination, or where those are too many a choice of them. */
const choices = (
  folder: string,
  count: number,
  random: SeededRandom
): readonly [Chosen, Chosen, ...ReadonlyArray<Chosen>] => {
  const make = (is: (index: number) => boolean) => Array.from({ length: count }, (_, index) => is(index))
  const ends = [make(() => false), make(() => true)] as const
  const someOf = Array.from({ length: 4 }, () => make(() => random.chance(0.5)))
  // What is there of the account's lock changes nothing for the files.
  if (folder === "locks") return [...ends, ...someOf.slice(0, 1)]
  if (count <= 5)
    return [...ends, ...Array.from({ length: 2 ** count }, (_, bits) => make((index) => ((bits >> index) & 1) === 1))]
  const each = Array.from({ length: count }, (_, one) => [
    make((index) => index < one),
    make((index) => index === one),
    make((index) => index !== one)
  ])
  return [...ends, ...each.flat(), ...someOf]
}

/** It takes a while until a machine is up again. */
const outage = 120_000

/** Makes a state on the disk, in a folder that is not there. */
export const materialise = ({ linked, tree }: DiskState, folder: string): void => {
  mkdirSync(folder, { recursive: true })
  for (const [path, bytes] of tree) if (bytes === null) mkdirSync(join(folder, path), { recursive: true })
  for (const [first = "", ...others] of linked) {
    writeFileSync(join(folder, first), tree.get(first) ?? "", { mode: 0o600 })
    const then = (Date.now() - outage) / 1000
    utimesSync(join(folder, first), then, then)
    for (const other of others) linkSync(join(folder, first), join(folder, other))
  }
}

const sums = new WeakMap<Buffer, Buffer>()

/** Thousands of disks share their buffers, so each is summed once. */
const sumOf = (bytes: Buffer): Buffer => {
  const sum = sums.get(bytes) ?? createHash("sha256").update(bytes).digest()
  sums.set(bytes, sum)
  return sum
}

/** A state without the names that chance gave, so that equal ones are recognised. */
export const stateKey = ({ linked, tree }: DiskState): string => {
  const hash = createHash("sha256")
  const plain = (path: string) => path.replace(/\.[0-9a-f-]+\.(wait|new|spool)(?=$|\.)/, ".$1")
  for (const [path, bytes] of [...tree].sort(([a], [b]) => (plain(a) < plain(b) ? -1 : 1))) {
    hash.update(`${plain(path)}\n`)
    if (bytes === null) continue
    if (/\.lock(?:\.|$)/.test(path)) hash.update(bytes.length === 0 ? "empty" : bytes[0] === 0 ? "zeros" : "card")
    else hash.update(sumOf(bytes))
  }
  for (const names of linked) if (names.length > 1) hash.update(names.map(plain).sort().join(" "))
  return hash.digest("hex")
}
