/**
 * How a program becomes one self-contained file: what esbuild is told for each executable of the product, and for the
 * programs that tests start (test/Bundles.ts).
 */
import { readFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { fileURLToPath } from "node:url"
import { type BuildOptions, build, type Plugin } from "esbuild"

/** Packages that a layer we never provide would load (docs/adr/0002): they become empty modules. */
const leftOut = /^(undici|redis|ws)$/

const leaveOut: Plugin = {
  name: "leave-out",
  setup(context) {
    context.onResolve({ filter: leftOut }, ({ path }) => ({ path, namespace: "left-out" }))
    context.onLoad({ filter: /.*/, namespace: "left-out" }, () => ({ contents: "module.exports = {}", loader: "js" }))
  }
}

/**
 * The list of public suffixes (250 kB) tells a cookie jar which domains belong to one owner. Our cookies go to one host only, so
 * any domain that ends as the host does will do: its last name stands in the place of the suffix.
 */
const withoutSuffixList: Plugin = {
  name: "without-suffix-list",
  setup(context) {
    context.onResolve({ filter: /^tldts$/ }, ({ path }) => ({ path, namespace: "suffix" }))
    context.onLoad({ filter: /.*/, namespace: "suffix" }, () => ({
      contents: 'export const getDomain = (host) => host.slice(host.lastIndexOf(".") + 1)',
      loader: "js"
    }))
  }
}

/**
 * What can be read when a built-in is loaded as well as later: not `process.stdin`, which is opened when it is read. Its
 * promises are modules of their own, which whoever names them is going to use.
 */
const plainNames = (builtIn: object) =>
  Object.entries(Object.getOwnPropertyDescriptors(builtIn)).flatMap(([name, { get }]) =>
    (get === undefined || name === "promises") && /^[A-Za-z_$][\w$]*$/.test(name) && name !== "default" ? [name] : []
  )

/** Most of what it has is to be read later. */
const asWhole = /^(?:node:)?process$/

/**
 * Whether a call of `value` can wait for its first use: a function that is no class and has no properties of its own, such as
 * `realpath.native`, by which others would know it.
 */
const isPlainFunction = (name: string, value: unknown) =>
  typeof value === "function" &&
  /^[a-z]/.test(name) &&
  Reflect.ownKeys(value).every((key) => key === "length" || key === "name" || key === "prototype")

/**
 * In one file, all imports of built-ins stand at its top and are loaded at once, used or not. This loads each when one of its
 * functions is called first, so that `--help` does not load TLS, nor does a job over plain HTTP (docs/adr/0004). What is no
 * function, such as a class or the built-in itself as default import, is loaded with the module that imports it. Each name is an
 * export of its own, of which those that nobody imports are left out: as a CommonJS module, all names would be copied by each
 * that imports it.
 */
const loadBuiltInsLate: Plugin = {
  name: "load-built-ins-late",
  setup(context) {
    context.onResolve({ filter: /.*/ }, ({ kind, path }) =>
      isBuiltin(path)
        ? {
            path: path.replace(/^node:/, ""),
            namespace: kind === "require-call" || asWhole.test(path) ? "built-in-whole" : "built-in",
            sideEffects: false
          }
        : undefined
    )
    context.onLoad({ filter: /.*/, namespace: "built-in-whole" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule("node:${path}")`,
      loader: "js"
    }))
    context.onLoad({ filter: /.*/, namespace: "built-in" }, ({ path }) => {
      const builtIn: object = process.getBuiltinModule(`node:${path}`) ?? {}
      const exported = plainNames(builtIn).map((name) =>
        isPlainFunction(name, Reflect.get(builtIn, name))
          ? `export const ${name} = (...given) => load().${name}(...given)`
          : `export const ${name} = /* @__PURE__ */ (() => load().${name})()`
      )
      return {
        contents: [
          "let loaded",
          `const load = () => (loaded ??= process.getBuiltinModule("node:${path}"))`,
          "export default /* @__PURE__ */ load()",
          ...exported
        ].join("\n"),
        loader: "js"
      }
    })
  }
}

const barrelImport = /^import \{([^}]*)\} from "(effect|@effect\/platform-node)((?:\/[a-z-]+)?)"$/gm

/** What `import { Schema } from "effect"` means: the names a barrel gives to whole modules, and the modules. */
const modulesOf = (barrel: string): ReadonlyMap<string, string> => {
  const index = readFileSync(fileURLToPath(import.meta.resolve(barrel)), "utf8")
  return new Map(
    [...index.matchAll(/^export \* as (\w+) from "\.\/(\w+)\.js"/gm)].map(([, name = "", file]) => [
      name,
      `${barrel}/${file}`
    ])
  )
}

/**
 * esbuild drops unused exports of a module, but not of one that comes under a name of its own through a barrel: one
 * `Schema.String` would bring all of Schema. This lets our modules import `effect/Schema` itself (docs/adr/0004).
 */
const importModulesNotBarrels: Plugin = {
  name: "import-modules-not-barrels",
  setup(context) {
    context.onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8").replace(
        barrelImport,
        (_, list: string, name: string, folder: string) => {
          const modules = modulesOf(`${name}${folder}`)
          const specifiers = list.split(",").map((text) => text.trim())
          return specifiers
            .filter((text) => text !== "" && !text.startsWith("type "))
            .map((text) => {
              const [imported = "", local = imported] = text.split(" as ")
              const module = modules.get(imported)
              return module === undefined
                ? `import { ${text} } from "${name}${folder}"`
                : `import * as ${local} from "${module}"`
            })
            .join("\n")
        }
      )
      return { contents, loader: "ts" }
    })
  }
}

/**
 * The command-line parser of Effect makes a segmenter of graphemes when it is loaded, for help pages that we write
 * ourselves. That takes a tenth of the CPU time of a small job: so it is made when text is measured.
 */
const makeSegmenterLate: Plugin = {
  name: "make-segmenter-late",
  setup(context) {
    context.onLoad({ filter: /effect\/dist\/cli\/CliOutput\.js$/ }, ({ path }) => {
      const contents = readFileSync(path, "utf8")
      const parts = contents.split(/const graphemeSegmenter = \/\*#__PURE__\*\/(new Intl\.Segmenter\([^)]*\));/)
      const [before, segmenter, after] = parts
      if (parts.length !== 3) throw new Error(`${path} makes its segmenter in another way than expected`)
      const late = after?.replace("graphemeSegmenter.segment(", "graphemeSegmenter().segment(")
      return { contents: `${before}const graphemeSegmenter = () => ${segmenter};${late}`, loader: "js" }
    })
  }
}

/**
 * The cookie jar compiles its pattern of IPv6 addresses, 1,300 characters, to see that the name of a host is none: 3 ms of CPU.
 * Now it does so only with a colon in sight, as every such address has.
 */
const makeAddressPatternLate: Plugin = {
  name: "make-address-pattern-late",
  setup(context) {
    context.onLoad({ filter: /tough-cookie\/dist\/index\.js$/ }, ({ path }) => {
      const parts = readFileSync(path, "utf8").split(
        /(?<=var IP_V6_REGEX_OBJECT = )(new RegExp\(`\^\$\{IP_V6_REGEX\}\$`\));/
      )
      const [before, pattern, after] = parts
      if (parts.length !== 3) throw new Error(`${path} makes its pattern of addresses in another way than expected`)
      return {
        contents: `${before}{ test: (text) => text.includes(":") && ${pattern}.test(text) };${after}`,
        loader: "js"
      }
    })
  }
}

/** `package.json` is the only place of the version; the rest of it stays out of the executables. */
const onlyVersion: Plugin = {
  name: "only-version",
  setup(context) {
    context.onLoad({ filter: /package\.json$/ }, ({ path }) => {
      const { version } = JSON.parse(readFileSync(path, "utf8"))
      return { contents: JSON.stringify({ version }), loader: "json" }
    })
  }
}

/** An executable is one file: it has the program of its threads as text (platform/threads/ThreadProgram.ts). */
const embedThreadProgram: Plugin = {
  name: "embed-thread-program",
  setup(context) {
    context.onLoad({ filter: /platform\/threads\/ThreadProgram\.ts$/ }, async ({ path }) => {
      const { outputFiles } = await build({
        ...plain,
        plugins: [loadBuiltInsLate, importModulesNotBarrels],
        entryPoints: [path.replace("ThreadProgram", "GenomeThread")],
        format: "iife",
        write: false
      })
      return { contents: `export const program = { text: ${JSON.stringify(outputFiles[0]?.text)} }`, loader: "js" }
    })
  }
}

const plain = {
  absWorkingDir: fileURLToPath(new URL("..", import.meta.url)),
  bundle: true,
  platform: "node",
  define: { "import.meta.env": "undefined", "import.meta.url": '"file:///svc-steps"' },
  target: "node22.19",
  // Short names save two fifths of the size and 7 % of the CPU of a small job. What they stand for, in a profile or a defect,
  // says the same build with `sourcemap: "inline"` in `bundling` below.
  minify: true,
  legalComments: "none",
  // V8 keeps and reads a text with one other character at twice the size.
  charset: "ascii",
  logLevel: "warning",
  // Such as a name of a built-in that is not plain.
  logOverride: { "import-is-undefined": "error" }
} as const satisfies BuildOptions

export const bundling = {
  ...plain,
  plugins: [
    leaveOut,
    withoutSuffixList,
    loadBuiltInsLate,
    embedThreadProgram,
    importModulesNotBarrels,
    makeSegmenterLate,
    makeAddressPatternLate,
    onlyVersion
  ]
} as const satisfies BuildOptions
