/**
 * The rules of the house that a linter cannot see whole: who may import whom, what core must not touch, how modules are
 * named and how long they get. biome.json says the import rules a second time, for the editor.
 */
import { existsSync, readFileSync } from "node:fs"
import { basename, dirname } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Errors from "../core/src/Errors.ts"
import { indexSuffixes } from "../core/src/genome/formats/FileNames.ts"
import { formats } from "../core/src/genome/formats/Formats.ts"
import { root } from "./Root.ts"
import { allModules, productFolders, productModules, repositoryFiles, type SourceModule } from "./Sources.ts"

const isBuiltIn = (name: string) => name.startsWith("node:")
const isEffect = (name: string) => name === "effect" || name.startsWith("effect/")
const within = (...folders: ReadonlyArray<string>) => {
  return (path: string) => folders.some((folder) => path === folder || path.startsWith(`${folder}/`))
}

const inRooms = (...names: ReadonlyArray<string>) => within(...names.map((name) => `core/src/${name}`))

/** Which other rooms the rooms of the core may import; those that stand on no other have a rule of their own below. */
const rooms: Readonly<Record<string, (to: string) => boolean>> = {
  annotations: inRooms("client", "contract", "session", "text"),
  archive: inRooms("client", "contract", "selection", "settings", "text"),
  client: inRooms("contract", "session", "text"),
  // The room of a run: all that takes part in one meets here, and nothing but a report looks back.
  download: inRooms("archive", "client", "contract", "genome", "selection", "settings", "text", "transfer"),
  // The protocol alone: it knows files and indexes, no service and no link.
  htsget: inRooms("genome"),
  // The face of what is in files: it reads what a download would write.
  records: inRooms("contract", "download", "genome", "transfer"),
  report: inRooms("archive", "download", "selection", "text", "transfer"),
  selection: inRooms("contract", "genome", "text", "transfer/SliceRequest.ts"),
  serving: inRooms(
    "client",
    "contract",
    "download/Catalog.ts",
    "genome",
    "htsget",
    "selection",
    "session",
    "text",
    "transfer"
  ),
  session: inRooms("text"),
  settings: inRooms("genome/formats/FileNames.ts", "selection/FileName.ts", "text"),
  // A transfer knows no plan, but refuses an unsafe name whoever asks for it (docs/dev/adr/0008).
  transfer: inRooms("genome", "selection/FileName.ts", "text", "verify"),
  verify: inRooms("genome", "text")
}

/** The folders of the large rooms, from the lowest floor up; modules beside them belong to no floor. */
const floors: Readonly<Record<string, ReadonlyArray<string>>> = {
  "core/src/genome": ["bgzf", "regions", "index", "formats", "slice"],
  platform: ["http", "inflate", "inputs", "locks", "terminal", "files"]
}

const roomOf = (path: string) => /^core\/src\/([a-z-]+)\//.exec(path)?.[1]

interface Rule {
  readonly folder: string
  readonly allows: (imported: string, importer: string) => boolean
}

const rules: ReadonlyArray<Rule> = [
  { folder: "core/src/contract", allows: (to) => isEffect(to) || within("core/src/contract")(to) },
  {
    folder: "core/src/genome",
    allows: (to) => isEffect(to) || within("core/src/genome", "core/src/Errors.ts", "core/src/text")(to)
  },
  // What is counted, timed and logged: any room may.
  {
    folder: "core/src/telemetry",
    allows: (to) => isEffect(to) || within("core/src/telemetry", "core/src/Errors.ts")(to)
  },
  { folder: "core/src/text", allows: (to) => isEffect(to) || within("core/src/text")(to) },
  {
    folder: "core/src/errors",
    allows: (to) => isEffect(to) || within("core/src/errors", "core/src/text", "core/src/contract/Ids.ts")(to)
  },
  // The namespaces of the library: names that others declare.
  { folder: "core/src/library", allows: within("core/src") },
  {
    folder: "core",
    allows: (to, from) => {
      const [own, other] = [roomOf(from), roomOf(to)]
      return (
        isEffect(to) ||
        // The view of a record, for this room alone (docs/dev/adr/0002).
        (own === "records" && within("@gmod/bam", "@gmod/vcf")(to)) ||
        (within("core/src")(to) &&
          (own === undefined ||
            other === undefined ||
            other === "telemetry" ||
            own === other ||
            rooms[own]?.(to) === true))
      )
    }
  },
  {
    folder: "platform",
    allows: (to, from) =>
      isEffect(to) ||
      isBuiltIn(to) ||
      within("core/src", "platform", "@effect/platform-node")(to) ||
      (from === "platform/SupportedNode.ts" && to === "package.json")
  },
  {
    folder: "sandbox",
    allows: (to) =>
      isEffect(to) ||
      isBuiltIn(to) ||
      within(
        "core/src/contract",
        "core/src/genome",
        "core/src/text",
        "sandbox",
        "@effect/platform-node",
        "package.json"
      )(to) ||
      // No client code takes part in a sandbox; a socket that listens is none, nor is the question which Node this is.
      within("platform/http/Listener.ts", "platform/Runtime.ts")(to)
  },
  {
    folder: "gateway",
    allows: (to) =>
      isEffect(to) || isBuiltIn(to) || within("core/src", "platform", "gateway", "@effect/platform-node")(to)
  },
  {
    // Only the dispatcher's folder knows all steps and the sandbox; a step knows the shared runner there and itself.
    folder: "steps",
    allows: (to, from) =>
      isEffect(to) ||
      isBuiltIn(to) ||
      within("core/src", "platform", "@effect/platform-node", "steps/main", dirname(from), "package.json")(to) ||
      (within("steps/main")(from) && within("steps", "sandbox")(to)) ||
      // A server of its own, which the step starts.
      (within("steps/gateway")(from) && within("gateway")(to))
  }
]

/** The most special rule counts: the contract's before core's. */
const ruleOf = ({ path }: SourceModule) => rules.find(({ folder }) => within(folder)(path))

/** What a rule that looks at code finds, as `path: what`. */
const findings = (modules: ReadonlyArray<SourceModule>, pattern: RegExp) =>
  modules.flatMap(({ code, path }) => [...code.matchAll(pattern)].map(([found]) => `${path}: ${found.trim()}`))

describe("imports", () => {
  it("every module is found", () => {
    assert.include(
      productModules.map(({ path }) => path),
      "core/src/Errors.ts"
    )
    assert.isAbove(productModules.flatMap(({ imports }) => imports).length, productModules.length / 2)
  })

  it("each folder imports only what its rule allows", () => {
    const broken = productModules.flatMap((module) =>
      module.imports.filter((to) => !ruleOf(module)?.allows(to, module.path)).map((to) => `${module.path} -> ${to}`)
    )
    assert.deepStrictEqual(broken, [])
  })

  it("names the module of Effect that has what it needs: of a barrel the build would keep everything (docs/dev/adr/0004)", () => {
    const barrel = /^(?:effect|@effect\/platform-node)(?:\/[a-z-]+)?$/
    const broken = productModules.flatMap(({ imports, path }) =>
      imports.filter((to) => barrel.test(to)).map((to) => `${path} -> ${to}`)
    )
    assert.deepStrictEqual(broken, [])
  })

  it("every room of the core has its rule, and no rule is left of a room that is gone", () => {
    const there = new Set(productModules.flatMap(({ path }) => roomOf(path) ?? []))
    const ruled = [...Object.keys(rooms), ...rules.flatMap(({ folder }) => roomOf(`${folder}/`) ?? [])]
    assert.deepStrictEqual(ruled.sort(), [...there].sort())
  })

  it("the folders of a large room stand in floors: each imports only from those below it", () => {
    const broken = Object.entries(floors).flatMap(([room, names]) => {
      const floorOf = (path: string) => {
        const folder = path.startsWith(`${room}/`)
          ? path
              .slice(room.length + 1)
              .split("/")
              .slice(0, -1)[0]
          : undefined
        return folder === undefined ? undefined : names.indexOf(folder)
      }
      const own = productModules.filter(({ path }) => floorOf(path) !== undefined)
      assert.deepStrictEqual([...new Set(own.map(({ path }) => floorOf(path)))].sort(), [...names.keys()])
      return own.flatMap(({ imports, path }) =>
        imports.filter((to) => (floorOf(to) ?? -1) > (floorOf(path) ?? -1)).map((to) => `${path} -> ${to}`)
      )
    })
    assert.deepStrictEqual(broken, [])
  })

  it("errors are imported through their door", () => {
    const around = productModules.flatMap(({ imports, path }) =>
      within("core/src/errors", "core/src/Errors.ts")(path) ? [] : imports.filter(within("core/src/errors"))
    )
    assert.deepStrictEqual(around, [])
  })

  it("tests are imported by nobody but tests", () => {
    const broken = productModules.flatMap(({ imports, path }) =>
      imports
        .filter((to) => within("test", "bench", "scripts")(to) || to.endsWith(".test.ts"))
        .map((to) => `${path} -> ${to}`)
    )
    assert.deepStrictEqual(broken, [])
  })

  it("every imported package is declared", () => {
    const { dependencies, devDependencies, peerDependencies } = JSON.parse(readFileSync(`${root}package.json`, "utf8"))
    const installed = { ...dependencies, ...peerDependencies }
    const broken = allModules.flatMap(({ imports, path }) => {
      const known = path.endsWith(".test.ts") ? { ...installed, ...devDependencies } : installed
      return imports
        .filter((to) => !isBuiltIn(to) && !within(...productFolders, "test", "scripts", "package.json")(to))
        .filter((to) => !Object.keys(known).some((name) => within(name)(to)))
        .map((to) => `${path} -> ${to}`)
    })
    assert.deepStrictEqual(broken, [])
  })

  it("no module needs itself, not even by a type", () => {
    const graph = new Map(productModules.map(({ imports, path }) => [path, imports]))
    const done = new Set<string>()
    const cycles: Array<string> = []
    const visit = (path: string, trail: ReadonlyArray<string>): void => {
      if (trail.includes(path)) cycles.push([...trail.slice(trail.indexOf(path)), path].join(" -> "))
      if (trail.includes(path) || done.has(path)) return
      for (const to of graph.get(path) ?? []) visit(to, [...trail, path])
      done.add(path)
    }
    for (const path of graph.keys()) visit(path, [])
    assert.deepStrictEqual(cycles, [])
  })
})

describe("purity", () => {
  const core = productModules.filter(({ path }) => within("core")(path))

  it("core has no clock, chance, environment, console, timer or network of its own", () => {
    const ambient =
      /\bDate\.now\b|\bnew Date\(\)|\bMath\.random\b|\bperformance\.|\bprocess\.|\bconsole\.|\bset(?:Timeout|Interval|Immediate)\b|\bfetch\(|\bglobalThis\b|\bcrypto\.|\bBuffer\b/g
    assert.deepStrictEqual(findings(core, ambient), [])
  })

  it("core has no try/catch, async or await", () => {
    assert.deepStrictEqual(findings(core, /(?<!\.)\b(?:try\s*\{|async\b(?!\s*:)|await\b)/g), [])
  })

  it("only steps and the sandbox's server run effects, provide layers or exit", () => {
    const others = productModules.filter(({ path }) => !within("steps", "sandbox/CommandLine.ts")(path))
    const edge = /\bEffect\.run(?:Sync|Promise|Fork|Callback)\w*|\bEffect\.provide\(|\brunMain\b|\bprocess\.exit\w*/g
    assert.deepStrictEqual(findings(others, edge), [])
  })
})

describe("words", () => {
  /** What is no sentence of core, and why. */
  const aside: Readonly<Record<string, string>> = {
    "core/src/contract/EndpointNotes.ts": "an endpoint's own note on its command",
    "core/src/report/PageAssets.ts": "variables of CSS",
    "core/src/htsget/Ticket.ts": "the name of the gateway, in its description of itself",
    "core/src/transfer/SliceRequest.ts": "the maker of slices, by which they are known again",
    "core/src/transfer/SliceSource.ts": "the command line that a header of a slice has by its format"
  }
  // Not in front of `===`: there something is decremented.
  const ours = /(?<!-)--(?![\w.#]+ ===)[a-z]\w*|SVC_\w+|\bsvc-(?!steps\b)[a-z][\w-]*/g
  const named = (text: string) =>
    [...text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1").matchAll(ours)].map(([it]) => it)

  it("of options, variables and executables core says none: it names an advice, and steps word it", () => {
    assert.deepStrictEqual(named('"; give --overwrite (SVC_X)", `svc-download` // svc-api'), [
      "--overwrite",
      "SVC_X",
      "svc-download"
    ])
    const core = productModules.filter(({ path }) => within("core")(path) && !inRooms("settings")(path))
    const said = core.flatMap(({ path, text }) => named(text).map((name) => ({ path, name })))
    assert.deepStrictEqual(
      said.filter(({ path }) => aside[path] === undefined),
      []
    )
    assert.deepStrictEqual([...new Set(said.map(({ path }) => path))].sort(), Object.keys(aside).sort())
  })
})

describe("file types", () => {
  // `vcf.gz` also as a pattern writes it.
  const suffixes = [...formats.map(({ suffix }) => suffix), ...indexSuffixes]
  const suffix = `(?:${suffixes.map((one) => one.replace(".", "\\\\?\\.")).join("|")})`
  const literal = `["'\`](?:[^"'\`\\n]*\\.)?${suffix}["'\`]`
  const compared = new RegExp(
    [
      `(?:[!=]==?|\\bcase|\\.(?:endsWith|startsWith|includes|indexOf|replace)\\()\\s*${literal}`,
      `${literal}\\s*[!=]==?`,
      `\\$\\{[^}\\n]*\\}\\.${suffix}\``,
      `\\\\\\.\\(?[^\\s"'\`/]*${suffix}[^\\s"'\`/]*/[a-z]*[.,)]`
    ].join("|"),
    "g"
  )
  const comparisons = (text: string) => [...text.matchAll(compared)].map(([found]) => found.trim())

  it("the pattern finds comparisons with suffixes, and not defaults or examples", () => {
    const code = [
      'type === "vcf.gz"',
      '"bam" !== kind',
      'name.endsWith(".bam")',
      'case "bam.bai":',
      "unsafeName(`$" + "{name}.bai`)",
      "/(\\.bam|\\.vcf\\.gz)$/.test(name)"
    ]
    assert.deepStrictEqual(
      code.filter((line) => comparisons(line).length === 0),
      []
    )
    assert.deepStrictEqual(comparisons('default: "bam,bam.bai"; const types = ["bam", "bam.bai"]'), [])
  })

  it("their suffixes are compared in core/src/genome/formats only: other modules ask a format", () => {
    const askers = productModules.filter(
      ({ path }) => within("core", "steps", "gateway")(path) && !within("core/src/genome/formats")(path)
    )
    const broken = askers.flatMap(({ path, text }) =>
      comparisons(text.replace(/\/\*[\s\S]*?\*\/|(^|\s)\/\/.*$/gm, "$1")).map((found) => `${path}: ${found}`)
    )
    assert.deepStrictEqual(broken, [])
  })
})

describe("shape", () => {
  it("a module has at most 350 lines, tags and examples aside, or says at its top why it is long, and then at most 500", () => {
    const aside = /^ \* (?:@category|@since|```ts$(?:\n \*.*)*?\n \* ```$).*\n/gm
    const long = productModules
      .map(({ path, text }) => ({
        path,
        lines: text.replace(aside, "").split("\n").length - 1,
        explained: /^\/\*\*(?:(?!\*\/)[\s\S])*Long on purpose:/.test(text)
      }))
      .filter(({ explained, lines }) => lines > (explained ? 500 : 350))
    assert.deepStrictEqual(long, [])
  })

  it("modules are PascalCase nouns, folders kebab-case", () => {
    const named = allModules.filter(({ path }) => basename(path) !== "index.ts")
    const odd = named.filter(({ path }) => !/^(?:[a-z][a-z0-9-]*\/)+[A-Z][A-Za-z0-9]*(?:\.test)?\.ts$/.test(path))
    assert.deepStrictEqual(
      odd.map(({ path }) => path),
      []
    )
  })

  it("classes hide their state in #fields, not behind a word of TypeScript", () => {
    const words = /^\s*(?:private|protected)\s+(?:(?:static|readonly|override|async)\s+)*[\w$]+/gm
    assert.deepStrictEqual(
      allModules.flatMap(({ path, text }) => [...text.matchAll(words)].map(([found]) => `${path}: ${found.trim()}`)),
      []
    )
  })

  it("a service's key is its package, folder and class", () => {
    const service = /class (\w+) extends Context\.Service<[\s\S]*?>\(\)\(\s*"([^"]+)"/g
    const keys = productModules.flatMap(({ path, text }) =>
      [...text.matchAll(service)].map(([, name, key]) => ({
        key,
        expected: `svc-steps/${dirname(path).replace("core/src", "core")}/${name}`
      }))
    )
    assert.isAbove(keys.length, 0)
    assert.deepStrictEqual(
      keys.filter(({ expected, key }) => key !== expected),
      []
    )
  })

  it("spans are named svc.<room>.<verb>", () => {
    const named = /(?:Effect\.fn|[wW]ithSpan)\(\s*(?:[\w.()]+,\s*)?["`]([^"`]*)["`]/g
    const spans = productModules.flatMap(({ path, text }) =>
      path.startsWith("sandbox/") ? [] : [...text.matchAll(named)].map(([, name = ""]) => ({ path, name }))
    )
    assert.isAbove(spans.length, 50)
    const roomOfSpan = (path: string) => roomOf(path) ?? (path.startsWith("steps/") ? "step" : path.split("/")[0])
    assert.deepStrictEqual(
      spans.filter(({ name, path }) => {
        const [, room] = /^svc\.([a-z-]+)\.(?:[a-z][A-Za-z]*|\$\{[^}]*\})$/.exec(name) ?? []
        return room === undefined || room !== roomOfSpan(path)
      }),
      []
    )
  })

  it("a span has the name of its function, to which it may add of what: `open` is svc.transfer.openRemote", () => {
    const functions = /\b(\w+)(?:: [\w"[\]]+)?(?: =|:)\s+Effect\.fn\(\s*"svc\.[\w-]+\.(\w+)"/g
    const spans = productModules.flatMap(({ path, text }) =>
      [...text.matchAll(functions)].map(([, name = "", span = ""]) => ({ path, name, span }))
    )
    assert.isAbove(spans.length, 50)
    assert.deepStrictEqual(
      spans.filter(({ name, span }) => !span.startsWith(name)),
      []
    )
  })

  it("no module or folder is named after nothing", () => {
    const nothing = /^(?:utils?|helpers?|common|misc|types?|shared|stuff|lib)$/i
    const odd = allModules.filter(({ path }) => path.split("/").some((part) => nothing.test(part.replace(/\..*$/, ""))))
    assert.deepStrictEqual(
      odd.map(({ path }) => path),
      []
    )
  })

  it("no test mocks a module: it would do so only where no test before it, in the same process, has loaded that module", () => {
    const tests = repositoryFiles.filter((path) => path.endsWith(".test.ts") && existsSync(`${root}${path}`))
    const mock = /\bvi\.(?:mock|doMock)\(/
    assert.deepStrictEqual(
      tests.filter((path) => mock.test(readFileSync(`${root}${path}`, "utf8"))),
      []
    )
  })

  it("no tracked file names a package registry or a folder of one machine", () => {
    // Put together from parts, so that this file does not find itself.
    const registries = ["npm" + "js.org", "yarn" + "pkg.com", "python" + "hosted.org", "py" + "pi.org"]
    const folders = ["work", "root", "farm", "home", "tmp"].map((name) => `(?<![\\w.])/${name}/`)
    const forbidden = new RegExp([...registries.map((host) => host.replace(".", "\\.")), ...folders].join("|"))
    const text = repositoryFiles.filter((path) => /\.(?:[cm]?[jt]s|json|md|sh|ya?ml|toml)$|^\.|\/run$/.test(path))
    const odd = text.flatMap((path) =>
      existsSync(`${root}${path}`)
        ? readFileSync(`${root}${path}`, "utf8")
            .split("\n")
            .flatMap((line, index) => (forbidden.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : []))
        : []
    )
    assert.deepStrictEqual(odd, [])
  })
})

describe("the map", () => {
  it("in CONTRIBUTING.md names every folder of core and every folder of the product, and no other", () => {
    const [, map = ""] = /^## The map\n+```\n([\s\S]*?)```/m.exec(readFileSync(`${root}CONTRIBUTING.md`, "utf8")) ?? []
    const named = [...map.matchAll(/(?:^|; {2})([a-z][\w./-]*\/)(?:<|\s)/gm)].map(([, folder = ""]) => folder)
    const there = repositoryFiles.flatMap((path) => /^(?:core\/src\/|(?!core)\.?)[\w-]+\//.exec(path)?.[0] ?? [])
    assert.deepStrictEqual(
      named.filter((folder) => !repositoryFiles.some((path) => path.startsWith(folder))),
      []
    )
    assert.deepStrictEqual(
      [...new Set(there)].filter((folder) => !folder.startsWith(".") && !named.some((name) => name.startsWith(folder))),
      []
    )
  })

  it("no tracked text holds the marks of a merge", () => {
    const marked = repositoryFiles.filter(
      (path) =>
        /\.(?:[cm]?[jt]s|json|md|sh|ya?ml|nf|smk|cwl|wdl|html)$/.test(path) &&
        /^(?:<{7}|>{7}) /m.test(readFileSync(`${root}${path}`, "utf8"))
    )
    assert.deepStrictEqual(marked, [])
  })
})

describe("citations", () => {
  const texts = repositoryFiles
    .filter((path) => /\.(?:[cm]?[jt]s|md|sh|ya?ml|toml|nf|config|smk|cwl|wdl|py)$|\/(?:Dockerfile|run)$/.test(path))
    .map((path) => ({ path, text: readFileSync(`${root}${path}`, "utf8") }))

  it("no text cites a paper that is not in the repository", () => {
    // The SAM and VCF specifications are public: they may be cited by section.
    const papers = /(?<!\b(?:SAM|VCF|CSI|BED|tabix) )specification (?:sections? )?\d|wire[ -]facts|fault[ -]catalogue/gi
    const foreign = texts
      .filter(({ path }) => path !== "docs/dev/service.md")
      .flatMap(({ path, text }) => [...text.matchAll(papers)].map(([cited]) => `${path}: ${cited}`))
    // The first is the manual of effect, the second a licence: files of packages.
    const pages = new Set(["AGENTS.md", "LICENSE.md", ...repositoryFiles.map((path) => basename(path))])
    const unknown = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/[\w-]+\.md\b/g)].flatMap(([page]) => (pages.has(page) ? [] : [`${path}: ${page}`]))
    )
    assert.deepStrictEqual([...foreign, ...unknown], [])
  })

  it("every section of docs/dev/service.md that is cited is there", () => {
    const page = readFileSync(`${root}docs/dev/service.md`, "utf8")
    const sections = new Set([...page.matchAll(/^##+ (\d+(?:\.\d+)?)\.? /gm)].map(([, number = ""]) => number))
    const citation = /docs\/dev\/service\.md`? (\d+(?:\.\d+)?(?:(?:,| and|, and| to) \d+(?:\.\d+)?)*)/g
    const cited = texts.flatMap(({ path, text }) =>
      [...text.replace(/\s*\n[ \t]*(?:\*|\/\/|#)?[ \t]*/g, " ").matchAll(citation)].flatMap(([, numbers = ""]) =>
        numbers.split(/[^\d.]+/).map((number) => ({ path, number }))
      )
    )
    assert.isAbove(cited.length, 50)
    assert.deepStrictEqual(
      cited.filter(({ number }) => !sections.has(number)),
      []
    )
  })
})

describe("errors", () => {
  it("every exit code in the sources is a documented one", () => {
    const used = allModules.flatMap(({ path, text }) =>
      [...text.matchAll(/errorExitCode\]\s*(?::[^=]+)?=\s*(\d+)/g)].map(([, code]) => ({ path, code: Number(code) }))
    )
    assert.isAbove(used.length, 10)
    assert.deepStrictEqual(
      used.filter(({ code }) => !(code in Errors.ExitCodes)),
      []
    )
  })

  it("every failure's exit code has a rank in the order of severity", () => {
    const unranked = Object.keys(Errors.ExitCodes)
      .map(Number)
      .filter((code) => code !== 0 && code < 128 && !Errors.severityOrder.some((ranked) => ranked === code))
    assert.deepStrictEqual(unranked, [])
  })
})

/*
 * Every place where words leave the process: which of them carry sentences, and that these go through the scrubber. A new
 * writer makes this test fail until it is listed, with where its sentences are scrubbed or why it has none.
 */

/** `through`: the module that scrubs what is written here. `holds`: what is written here, when it is no sentence. */
type Writer = { readonly through: string } | { readonly holds: string }

const answers = "what the user asked for, byte by byte"
const itself = (path: string): readonly [string, Writer] => [path, { through: path }]

const writers: Readonly<Record<string, Writer>> = Object.fromEntries<Writer>([
  itself("steps/main/StandardOutput.ts"),
  itself("platform/terminal/Terminal.ts"),
  itself("platform/files/TrackingFile.ts"),
  itself("steps/main/StepMain.ts"),
  itself("steps/main/AllSteps.ts"),
  ["steps/main/NodeSetup.ts", { holds: "two versions of Node" }],
  ["platform/ChildCommand.ts", { holds: "the number of a process, to the shell that watches it" }],
  ["platform/terminal/Screen.ts", { through: "steps/main/StepMain.ts" }],
  ["platform/terminal/LogFile.ts", { through: "platform/terminal/LogOutput.ts" }],
  ["steps/main/ProcessRun.ts", { through: "steps/main/StepMain.ts" }],
  itself("steps/download/Conclusion.ts"),
  itself("gateway/Answers.ts"),
  ["gateway/PageHandlers.ts", { through: "gateway/Answers.ts" }],
  ["gateway/Metrics.ts", { holds: "ok, and numbers" }],
  itself("gateway/ServiceHandlers.ts"),
  ["gateway/ServiceSessions.ts", { holds: "pages of its own words" }],
  ["steps/main/StepRunner.ts", { holds: "help and version, before anything is read" }],
  ["steps/main/PlainWords.ts", { through: "steps/main/AllSteps.ts" }],
  ["platform/files/OutputFile.ts", { holds: answers }],
  ["steps/api/Program.ts", { holds: answers }],
  ["steps/fetch-annotations/Program.ts", { holds: answers }],
  ["platform/files/FileCalls.ts", { holds: "data of files" }],
  ["platform/files/NodePartFiles.ts", { holds: "journals: numbers and checksums" }],
  ["platform/files/AtomicFile.ts", { holds: "what the writers above and below give it" }],
  ["platform/files/SpoolFiles.ts", { holds: answers }],
  ["platform/locks/LockCard.ts", { holds: "which process this is" }],
  ["platform/files/FolderProbe.ts", { holds: "bytes that say nothing" }],
  ["platform/locks/RefusedLoginFiles.ts", { holds: "salted hashes" }],
  ["sandbox/CommandLine.ts", { holds: "the password of the sandbox, on purpose" }]
])

const writing =
  /\bprocess\.(?:stdout|stderr)\b|\b[Cc]onsole\.\w+|\b(?:writeFile|appendFile)\w*\(|\bcreateWriteStream\(|\bwriteSync\(|\.writeAll\(|\bwriteAll\((?:fd|file),|\b(?:openOutput|replaceFile|withFresh)\(/
const raw = /\b(?:file|fs|handle|descriptor|stream)\.write\w*\(/

const replying = /\bHttpServerResponse\.(?:json|text|html|raw|stream|uint8Array)\w*\(/

const found = productModules
  .filter(
    ({ code, path }) =>
      writing.test(code) ||
      (path.startsWith("platform/") && raw.test(code)) ||
      (path.startsWith("gateway/") && replying.test(code))
  )
  .map(({ path }) => path)

describe("Z5 the way out for words", () => {
  it("is every writer of the product, and no other module", () => {
    assert.deepStrictEqual(found.toSorted(), Object.keys(writers).sort())
  })

  it("is scrubbed where sentences take it", () => {
    const throughs = Object.values(writers).flatMap((writer) => ("through" in writer ? writer.through : []))
    const code = new Map(productModules.map((module) => [module.path, module.code]))
    const open = throughs.filter(
      (path) => !/\b(?:makeScrubber|Scrubber|scrubber|hideForms)\b/.test(code.get(path) ?? "")
    )
    assert.deepStrictEqual(open, [])
  })

  it("is the only way to standard output for documents", () => {
    const around = productModules.flatMap(({ code, path }) =>
      path.startsWith("steps/") && path !== "steps/main/StandardOutput.ts" && /\bprintableJson\w*\(/.test(code)
        ? [path]
        : []
    )
    assert.deepStrictEqual(around, ["steps/api/Answers.ts", "steps/download/Conclusion.ts"])
  })
})
