/** The modules in pipelines that are not ours: under other names, beside foreign processes, in a template of nf-core, with any id. */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readReport } from "../../DownloadGround.ts"
import { runCommand } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { fault } from "../../SandboxFaults.ts"
import { folder } from "../Ground.ts"
import { pageFiles } from "../Pages.ts"
import { filesBelow, type LaunchPad, launchPad, type Run, workflows } from "./Nextflow.ts"

const output = (run: Run) => run.stdout + run.stderr
const module = (name: string) => `'${join(workflows, "modules", "svc", name, "main.nf")}'`
const include = `includeConfig '${join(workflows, "conf", "svc.config")}'`
const ended = (run: Run) => run.tasks.map(({ exit, name, status }) => `${name} ${status} ${exit}`).sort()

/** What a failed run says last. */
const listed = (run: Run) =>
  (run.stderr.split(/^Failed:\n/m)[1] ?? "").split("\n").filter((line) => /^ {2}\S/.test(line))

/** What nf-core's base.config says of all processes and of those that have one processor; its own is in the template below. */
const base = `process {
    cpus          = { 1 * task.attempt }
    memory        = { 6.GB * task.attempt }
    time          = { 4.h * task.attempt }
    errorStrategy = { task.exitStatus in ((130..145) + [104, 175]) ? 'retry' : 'finish' }
    maxRetries    = 1

    withLabel: process_single {
        cpus   = 1
        memory = { 2.GB * task.attempt }
        time   = { 4.h * task.attempt }
    }
}
`

describe("a module under other names", () => {
  it.live(
    "a call that may change something is made once, whoever tells Nextflow to repeat it",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad(["--strict"])
        yield* pad.faults([fault({ plane: "api", endpoint: "createOrUpdatePerson" }, { status: 503 })])
        const script = pad.write(
          "put.nf",
          `include { SVC_API as STORE_PERSON } from ${module("api")}

workflow {
    STORE_PERSON(channel.of([[id: 'one'], ['create-or-update-person', '--lims-id', 'L9', '--first-name', "D'Arcy"], []]))
}
`
        )
        const again = "process { withLabel: svc_session { errorStrategy = 'retry'\nmaxRetries = 2 } }\n"
        for (const [at, text] of [`${include}\n`, again].entries()) {
          const run = yield* pad.run(script, ["-c", pad.write(`once-${at}.config`, text)])
          assert.notStrictEqual(run.exitCode, 0, output(run))
          assert.strictEqual((yield* pad.stats).requests["createOrUpdatePerson"], at + 1, output(run))
        }
      }),
    600_000
  )

  it.live.each<readonly [string, string]>([
    ["v1", `${base}${include}\n`],
    ["v2", `${include}\n${base}`]
  ])(
    "has settings of its own, and svc.config touches no other process, beside a base.config in either order (parser %s)",
    ([parser, config]) =>
      Effect.gen(function* () {
        const pad = yield* launchPad(["--strict"])
        const script = pad.write(
          "names.nf",
          `include { SVC_DOWNLOAD as WHOLE } from ${module("download")}
include { SVC_DOWNLOAD as REGION } from ${module("download")}
include { SVC_LINKS as ASK } from ${module("links")}

process FOREIGN {
    label 'process_single'
    errorStrategy 'ignore'

    input:
    val code

    script:
    """
    echo 'FOREIGN \${task.memory} \${task.time} \${task.maxRetries}'
    exit \${code}
    """
}

process WITHOUT_TAG {
    label 'svc_session'

    script:
    """
    echo '[error]: it says why' >&2
    exit 66
    """
}

workflow {
    FOREIGN(channel.of(0, 1))
    WHOLE(channel.of([[id: 'one'], 'A1', []], [[id: 'old'], 'A3', []]))
    REGION(channel.of([[id: 'two'], 'A2', []]))
    ASK(channel.of([[id: 'all'], ['A1', 'A2']]))
    WHOLE.out.files.map { meta, _files -> meta.id }.toSortedList().view { ids -> "WHOLE \${ids}" }
    WHOLE.out.bam.view { _meta, bam, _bai -> "BAM \${bam.name}" }
    REGION.out.bam.view { _meta, bam, _bai -> "BAM \${bam.name}" }
    if (params.failing) {
        WITHOUT_TAG()
    }
}
`
        )
        const own = pad.write(
          "own.config",
          `params.failing = false
${config}
process {
    publishDir = [path: 'all', mode: 'copy']
    withName: WHOLE {
        ext.args2 = 'store'
        ext.args3 = 'optional'
    }
    withName: REGION { ext.args = '--range chr1:1-20000' }
}
`
        )
        const env = { NXF_SYNTAX_PARSER: parser }
        const run = yield* pad.run(script, ["-c", own], env)
        // The foreign failure is ignored, as its own process wants it; nothing vanished that was not allowed to.
        assert.strictEqual(run.exitCode, 0, output(run))
        assert.notMatch(output(run), /Failed:|outdir|results/)
        assert.include(run.stdout, "WHOLE [old, one]")
        assert.match(run.stdout, /^BAM S1\.bam$/m)
        assert.match(run.stdout, /^BAM S2\.ranged\.bam$/m)
        assert.notInclude(run.stdout, "S3.bam")
        const foreign = run.tasks.filter(({ name }) => name.startsWith("FOREIGN"))
        assert.deepStrictEqual(foreign.map(({ exit }) => exit).sort(), [0, 1])
        for (const task of foreign) {
          assert.strictEqual(readFileSync(join(pad.workFolder(task), ".command.out"), "utf8"), "FOREIGN 2 GB 4h 1\n")
        }
        // A store without a path begins where Nextflow was started.
        const kept = filesBelow(join(pad.folder, "store")).filter((path) => !/(^|\/)\./.test(path))
        assert.deepStrictEqual(kept, ["old/S3.bam.bai", "one/S1.bam", "one/S1.bam.bai"])
        const published = filesBelow(join(pad.folder, "all"))
        assert.includeMembers([...published], ["one/S1.bam", "old/S3.bam.bai", "old.report.json"])
        assert.notInclude(published.join(" "), "links.json")
        const left = readReport(pad.folder, "all", "old.report.json").files.filter(
          ({ reason }) => reason === "archived"
        )
        assert.deepStrictEqual(
          left.map(({ fileName }) => fileName),
          ["S3.bam"]
        )

        const failing = yield* pad.run(script, ["-c", own, "--failing", "true"], env)
        assert.notStrictEqual(failing.exitCode, 0)
        assert.deepStrictEqual(listed(failing), ["  WITHOUT_TAG ended with 66: it says why"])
        assert.isTrue(existsSync(join(pad.folder, "results", "failed", "WITHOUT_TAG.1", "reason.txt")))
      }),
    600_000
  )
})

describe("what was asked for and did not come", () => {
  it.live(
    "is an error: an archived file, an index that the service does not have, a file of a type that an analysis lacks; a run that ends well forgets it",
    () =>
      Effect.gen(function* () {
        const world = join(yield* folder, "world.json")
        writeFileSync(
          world,
          JSON.stringify({ analyses: [{ id: "B1", files: [{ name: "B1.bam", copyOf: "A1/S1.bam" }] }] })
        )
        const pad = yield* launchPad(["--strict", "--world", world])
        const script = pad.write(
          "missing.nf",
          `include { SVC_DOWNLOAD as FETCH } from ${module("download")}
include { SVC_LINKS } from ${module("links")}
include { SVC_TRANSFER as CARRY } from ${module("transfer")}

workflow {
    def rows = channel.of([[id: 'archived'], [analysisIds: 'A3', filetypes: 'bam,bam.bai'], []], [[id: 'no-index'], [analysisIds: 'B1', filetypes: 'bam,bam.bai'], []], [[id: 'no-variants'], [analysisIds: ['B1'], filetypes: 'bam,vcf.gz'], []])
    FETCH(rows)
    SVC_LINKS(channel.of([[id: 'all'], [analysisIds: ['A3', 'B1'], filetypes: 'bam,bam.bai,vcf.gz']]))
    CARRY(rows, SVC_LINKS.out.links.map { _meta, links -> links }.first())
}
`
        )
        const config = pad.write("on.config", `${include}\nworkflow.failOnIgnore = true\n`)
        // What a run may say less of is no less wrong.
        const quiet = { SVC_LOG_LEVEL: "error" }
        const run = yield* pad.run(script, ["-c", config])
        assert.notStrictEqual(run.exitCode, 0)
        const said = listed(run)
        const rows = ["archived", "no-index", "no-variants"]
        assert.deepStrictEqual(
          said.map((line) => line.replace(/:.*/, "")),
          ["CARRY", "FETCH"].flatMap((name) => rows.map((id) => `  ${name} (${id}) ended with 66`))
        )
        assert.match(said[0] ?? "", /S3\.bam \(analysis A3\): archived, and not restored: /)
        assert.match(said[3] ?? "", /S3\.bam \(analysis A3\): archived, and not restored: /)
        assert.match(said[4] ?? "", /bam\.bai file of analysis B1: not found/)
        assert.match(said[5] ?? "", /vcf\.gz file of analysis B1: not found/)
        assert.strictEqual(filesBelow(join(pad.folder, "results", "failed")).length, 12)

        const silent = yield* pad.run(script, ["-c", config], quiet)
        assert.include(listed(silent).join("\n"), "FETCH (archived) ended with 66")

        const optional = pad.write("optional.config", `${include}\nprocess.ext.args3 = 'optional'\n`)
        const good = yield* pad.run(script, ["-c", optional, "-resume"])
        assert.strictEqual(good.exitCode, 0, output(good))
        assert.isFalse(existsSync(join(pad.folder, "results", "failed")))
      }),
    600_000
  )
})

describe("ids and names", () => {
  /** A pipeline that downloads these rows and fetches the annotations of these ids, both written as Groovy. */
  const odd = (pad: LaunchPad, rows: string, ids = "") =>
    pad.write(
      "odd.nf",
      `include { SVC_DOWNLOAD } from ${module("download")}
include { SVC_FETCHANNOTATIONS } from ${module("fetchannotations")}

workflow {
    def bed = file("\${launchDir}/my 'targets'.bed", glob: false)
    SVC_DOWNLOAD(channel.of(${rows}))
    SVC_DOWNLOAD.out.bam.view { meta, bam, _bai -> "BAM \${meta.id} \${bam.name}" }
    SVC_FETCHANNOTATIONS(channel.of([[id: 'Größe (2), neu'], [${ids}], []]).filter { _meta, ids, _bed -> ids })
    SVC_FETCHANNOTATIONS.out.annotations.view { _meta, rows -> "ROWS \${rows.name} \${rows.countLines()}" }
}
`
    )

  it.live(
    "work with blanks, umlauts, quotes and a dash in front, wherever a shell might take them for something else",
    () =>
      Effect.gen(function* () {
        const world = join(yield* folder, "world.json")
        const ids = ["-x", "quo'te $(touch y) `touch z`", 'a "b" [c] {d} ü *']
        const files = ["bam", "bam.bai"].map((type) => ({ name: `W.${type}`, copyOf: `A1/S1.${type}` }))
        writeFileSync(world, JSON.stringify({ analyses: ids.map((id) => ({ id, files })) }))
        const pad = yield* launchPad(["--strict", "--world", world])
        pad.write("my 'targets'.bed", "chr1\t0\t20000\n")
        const groovy = (id: string) => `'${id.replaceAll("'", "\\'")}'`
        const rows = ids.map((id, at) => `[[id: 'Zeile ${at} ü'], ${groovy(id)}, ${at === 1 ? "bed" : "[]"}]`)
        const script = odd(pad, rows.join(", "), ids.map(groovy).join(", "))
        const run = yield* pad.run(script, ["-c", pad.write("odd.config", `${include}\n`)])
        assert.strictEqual(run.exitCode, 0, output(run))
        assert.deepStrictEqual(
          run.stdout
            .split("\n")
            .filter((line) => /^(?:BAM|ROWS) /.test(line))
            .sort(),
          [
            ...["BAM Zeile 0 ü W.bam", "BAM Zeile 1 ü W.ranged.bam", "BAM Zeile 2 ü W.bam"],
            "ROWS Größe (2), neu.jsonl 600"
          ]
        )
        assert.notMatch(filesBelow(pad.folder).join("\n"), /\/[yz]$/m)
      }),
    600_000
  )

  it.live(
    "are refused in one sentence before a step starts: no id, a comma in an analysis id, names that would be patterns, options or quotes",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad()
        for (const [row, sentence] of [
          ["[[:], 'A1', []]", /a row has no id: its meta is \[:\]/],
          ["[[id: 'a'], ['A1', 'A,2'], []]", /A1 A,2: a comma separates ids/],
          ["[[id: \"quo'te\"], 'A1', []]", /'quo'te' cannot name files/],
          ["[[id: 'p{a,b}'], 'A1', []]", /'p\{a,b\}' cannot name files/],
          ["[[id: '-dash'], 'A1', []]", /'-dash' cannot name files/],
          ["[[id: '../x'], 'A1', []]", /'\.\.\/x' cannot name files/]
        ] as const) {
          const run = yield* pad.run(odd(pad, row), ["-c", pad.write("refused.config", `${include}\n`)])
          assert.notStrictEqual(run.exitCode, 0, row)
          assert.match(output(run), sentence)
          assert.deepStrictEqual(
            run.tasks.filter(({ exit }) => exit !== null),
            []
          )
        }
        assert.deepStrictEqual((yield* pad.stats).requests, {})
      }),
    600_000
  )
})

describe("a template of nf-core", () => {
  it.live(
    "runs our modules from bin/ and in containers, with its own registry, shell and base.config, and with the lines of docs/nextflow.md",
    () =>
      Effect.gen(function* () {
        const pad = yield* launchPad(["--strict"])
        const template = join(pad.folder, "lab-pairs")
        for (const name of ["home", "lab-pairs"]) mkdirSync(join(pad.folder, name))
        pad.write(
          "template.yml",
          `name: pairs\ndescription: test\nauthor: me\nversion: 1.0.0dev\norg: lab\nforce: true\noutdir: ${template}
skip_features: [rocrate, nf_schema, igenomes, multiqc, fastqc, github, gpu, nf_core_configs]\n`
        )
        const made = yield* runCommand(
          join(root, ".e2e", "python", "bin", "nf-core"),
          ["pipelines", "create", "-t", "template.yml"],
          {
            cwd: pad.folder,
            env: {
              PATH: [dirname(pad.command), process.env["PATH"]].join(":"),
              HOME: join(pad.folder, "home"),
              NXF_HOME: pad.env["NXF_HOME"] ?? "",
              NXF_SYNTAX_PARSER: "v1",
              NFCORE_NO_VERSION_CHECK: "1",
              LC_ALL: "C.UTF-8",
              ...Object.fromEntries(
                ["AUTHOR", "COMMITTER"].flatMap((who) => [
                  [`GIT_${who}_NAME`, "test"],
                  [`GIT_${who}_EMAIL`, "test@example.org"]
                ])
              )
            }
          }
        )
        assert.isTrue(existsSync(join(template, "conf", "base.config")), made.stdout + made.stderr)
        cpSync(join(workflows, "modules", "svc"), join(template, "modules", "svc"), { recursive: true })
        cpSync(join(workflows, "conf", "svc.config"), join(template, "conf", "svc.config"))
        const change = (path: string, ...changes: ReadonlyArray<readonly [string, string]>) => {
          const text = readFileSync(join(template, path), "utf8")
          for (const [old] of changes) assert.include(text, old)
          writeFileSync(
            join(template, path),
            changes.reduce((text, [old, replacement]) => text.replace(old, replacement), text)
          )
        }
        change(
          "nextflow.config",
          ["!>=25.10.4", ">=25.04.0"],
          [
            "includeConfig 'conf/modules.config'",
            "includeConfig 'conf/modules.config'\nincludeConfig 'conf/svc.config'\nworkflow.failOnIgnore = true"
          ]
        )
        change(
          "workflows/pairs.nf",
          [
            "include { softwareVersionsToYAML",
            "include { SVC_DOWNLOAD as TUMOUR } from '../modules/svc/download/main'\ninclude { SVC_LINKS } from '../modules/svc/links/main'\ninclude { softwareVersionsToYAML"
          ],
          [
            "    def ch_versions = channel.empty()\n",
            "    def ch_versions = channel.empty()\n    TUMOUR(channel.of([[id: 'one'], 'A1', []], [[id: 'old'], 'A3', []]))\n    SVC_LINKS(channel.of([[id: 'all'], 'A1']))\n"
          ]
        )
        const sheet = pad.write("sheet.csv", "sample,fastq_1,fastq_2\n")
        const args = (outdir: string) => [template, "--input", sheet, "--outdir", join(pad.folder, outdir)] as const
        const check = (run: Run, outdir: string) => {
          assert.notStrictEqual(run.exitCode, 0)
          assert.deepStrictEqual(ended(run), [
            "LAB_PAIRS:PAIRS:SVC_LINKS (all) COMPLETED 0",
            "LAB_PAIRS:PAIRS:TUMOUR (old) FAILED 66",
            "LAB_PAIRS:PAIRS:TUMOUR (one) COMPLETED 0"
          ])
          assert.match(listed(run).join("\n"), /^ {2}LAB_PAIRS:PAIRS:TUMOUR \(old\) ended with 66: S3\.bam .*$/)
          const files = filesBelow(join(pad.folder, outdir)).filter((path) => !path.startsWith("pipeline_info/"))
          assert.deepStrictEqual(files, [
            "failed/TUMOUR.old/old.report.json",
            "failed/TUMOUR.old/reason.txt",
            "tumour/one.report.json",
            "tumour/one/S1.bam",
            "tumour/one/S1.bam.bai"
          ])
          const versions = readFileSync(
            join(pad.folder, outdir, "pipeline_info", "pairs_software_versions.yml"),
            "utf8"
          )
          assert.match(versions, /TUMOUR:\n\s+svc-steps: \d/)
        }

        // The commands that the modules call, in bin/ of the pipeline and nowhere else.
        mkdirSync(join(template, "bin"))
        symlinkSync(join(root, "dist", "bin", "svc-download"), join(template, "bin", "svc-download"))
        const elsewhere = { NXF_SYNTAX_PARSER: "v1", PATH: [dirname(process.execPath), process.env["PATH"]].join(":") }
        for (const name of ["user", "password"] as const) {
          const set = yield* pad.nextflow(["secrets", "set", `SVC_${name.toUpperCase()}`, pad.sandbox[name]])
          assert.strictEqual(set.exitCode, 0, set.stderr)
        }
        const page = new Map(pageFiles("docs/nextflow.md"))
        const account = pad.write(
          "account.config",
          (page.get("own/account.config") ?? "").replace("https://lab.example.org", pad.sandbox.url)
        )
        const plain = yield* pad.run(args("plain")[0], [...args("plain").slice(1), "-c", account], {
          ...elsewhere,
          ...{ SVC_TARGET: "", SVC_USER: "", SVC_PASSWORD: "" }
        })
        check(plain, "plain")

        // In containers: this engine runs the command here, with the variables that it is told to hand on and no others.
        const engine = join(pad.folder, "engine")
        mkdirSync(engine)
        pad.write(
          "engine/docker",
          `#!/bin/bash
[ "$1" = run ] || exit 0
echo "$*" >> '${join(pad.folder, "docker.log")}'
kept=(PATH="$PATH" TMPDIR="\${TMPDIR:-}")
while [ "$1" != /bin/bash ]; do
  if [ "$1" = -e ]; then case $2 in *=*) kept+=("$2") ;; *) kept+=("$2=\${!2:-}") ;; esac; fi
  shift
done
cd "$NXF_TASK_WORKDIR" && exec env -i "\${kept[@]}" "$@"
`
        )
        chmodSync(join(engine, "docker"), 0o755)
        mkdirSync(pad.env["SVC_LOCK_DIR"] ?? "", { recursive: true })
        const containers = pad.write("containers.config", page.get("own/containers.config") ?? "")
        const docker = yield* pad.run(
          args("docker")[0],
          [...args("docker").slice(1), "-profile", "docker", "-c", containers],
          { ...elsewhere, PATH: `${engine}:${elsewhere.PATH}` }
        )
        check(docker, "docker")
        const started = readFileSync(join(pad.folder, "docker.log"), "utf8")
        assert.include(started, " docker.io/org/svc-steps:")
        assert.notInclude(started, "quay.io")
        const locks = pad.env["SVC_LOCK_DIR"] ?? ""
        assert.include(started, `-v ${locks}:${locks}`)
        assert.notInclude(started, pad.sandbox.password)
        assert.strictEqual((yield* pad.stats).overlaps, 0)
      }),
    600_000
  )
})
