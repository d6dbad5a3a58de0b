/** The modules in pipelines that are not ours: under other names, beside foreign processes, in a template of nf-core, with any id. */
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readReport } from "../../DownloadGround.ts"
import { runCommand } from "../../Executables.ts"
import { root } from "../../Root.ts"
import { folder } from "../Ground.ts"
import { pageFiles } from "../Pages.ts"
import { filesBelow, type LaunchPad, launchPad, type Run, workflows } from "./Nextflow.ts"

const output = (run: Run) => run.stdout + run.stderr
const module = (name: string) => `'${join(workflows, "modules", "svc", name, "main.nf")}'`
const include = `includeConfig '${join(workflows, "conf", "svc.config")}'`
const ended = (run: Run) => run.tasks.map(({ exit, name, status }) => `${name} ${status} ${exit}`).sort()

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
  it.live.each<readonly [string, string]>([
    ["v1", `${base}${include}\n`],
    ["v2", `${include}\n${base}`]
  ])(
    "has settings of its own, and svc.config touches no other process, beside a base.config in either order (parser %s)",
    ([parser, config]) =>
      Effect.gen(function* () {
        const world = join(yield* folder, "world.json")
        const quoted = ["bam", "bam.bai"].map((type) => ({ name: `Q"1.${type}`, copyOf: `A1/S1.${type}` }))
        writeFileSync(world, JSON.stringify({ analyses: [{ id: "Q1", files: quoted }] }))
        const pad = yield* launchPad(["--strict", "--world", world])
        const script = pad.write(
          "names.nf",
          `include { SVC_DOWNLOAD as WHOLE } from ${module("download")}
include { SVC_DOWNLOAD as REGION } from ${module("download")}

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

process COUNT {
    input:
    tuple val(meta), path(bam), path(bai)

    output:
    tuple val(meta), path("*.txt")

    script:
    "samtools view -c \${bam} chr1 > \${meta.id}.txt"
}

workflow {
    FOREIGN(channel.of(0, 1))
    def target = System.getenv('SVC_TARGET')
    WHOLE(channel.of([[id: 'one'], [analysisIds: 'A1,Q1', store: 'store'], []], [[id: 'old'], [analysisIds: 'A3', optional: true], []]), target)
    REGION(channel.of([[id: 'two'], [analysisIds: 'A2'], []]), target)
    WHOLE.out.files.map { meta, _files -> meta.id }.toSortedList().view { ids -> "WHOLE \${ids}" }
    WHOLE.out.bam.view { _meta, bam, _bai -> "BAM \${[bam].flatten()*.name.sort().join(' ')}" }
    REGION.out.bam.view { _meta, bam, _bai -> "BAM \${bam.name}" }
    COUNT(REGION.out.bam).view { meta, count -> "COUNT \${meta.id} \${count.text}" }
    WHOLE.out.missing.view { meta, report -> "MISSING \${meta.id} \${new groovy.json.JsonSlurper().parse(report).files[0].reason}" }
}
`
        )
        const own = pad.write(
          "own.config",
          `${config}
process {
    publishDir = [path: 'all', mode: 'copy']
    scratch = true
    stageOutMode = 'move'
    withName: REGION {
        ext.args   = '--range chr1:1-20000'
        publishDir = [
            [mode: 'copy', path: { "regions" }, pattern: '*.bam', saveAs: { name -> "of/\${name}" }],
            [mode: 'copy', path: { "regions/indexes" }, pattern: '*{bai,csi}', enabled: true],
        ]
    }
}
`
        )
        const env = { NXF_SYNTAX_PARSER: parser }
        const run = yield* pad.run(script, ["-c", own], env)
        // The foreign failure is ignored, as its own process wants it; nothing vanished that was not allowed to.
        assert.strictEqual(run.exitCode, 0, output(run))
        assert.notMatch(output(run), /outdir|results/)
        assert.include(run.stdout, "WHOLE [one]")
        assert.include(run.stdout, "MISSING old archived")
        assert.match(run.stdout, /^BAM Q"1\.bam S1\.bam$/m)
        assert.match(run.stdout, /^BAM S2\.ranged\.bam$/m)
        assert.notInclude(run.stdout, "S3.bam")
        const foreign = run.tasks.filter(({ name }) => name.startsWith("FOREIGN"))
        assert.deepStrictEqual(foreign.map(({ exit }) => exit).sort(), [0, 1])
        for (const task of foreign) {
          assert.strictEqual(readFileSync(join(pad.workFolder(task), ".command.out"), "utf8"), "FOREIGN 2 GB 4h 1\n")
        }
        // A store without a path begins where Nextflow was started.
        const kept = filesBelow(join(pad.folder, "store")).filter((path) => !/(^|\/)\./.test(path))
        const service = pad.sandbox.url.replace(/[^A-Za-z0-9.]+/g, "_")
        const stored = ['Q"1.bam', 'Q"1.bam.bai', "S1.bam", "S1.bam.bai"]
        assert.deepStrictEqual(
          kept.toSorted(),
          stored.map((name) => `${service}/one/${name}`)
        )
        const published = filesBelow(join(pad.folder, "all"))
        assert.includeMembers([...published], ["S1.bam", "old.report.json"])
        assert.match(run.stdout, /^COUNT two \d/m)
        // As modules.config of nf-core says it of any module.
        assert.deepStrictEqual(
          [...filesBelow(join(pad.folder, "regions"))],
          ["indexes/S2.ranged.bam.bai", "of/S2.ranged.bam"]
        )
        const left = readReport(pad.folder, "all", "old.report.json").files.filter(
          ({ reason }) => reason === "archived"
        )
        assert.deepStrictEqual(
          left.map(({ fileName }) => fileName),
          ["S3.bam"]
        )
      }),
    600_000
  )
})

describe("what was asked for and did not come", () => {
  it.live(
    "is an error: an archived file, an index that the service does not have, a file of a type that an analysis lacks; an index under the name of Picard is no loss",
    () =>
      Effect.gen(function* () {
        const world = join(yield* folder, "world.json")
        writeFileSync(
          world,
          JSON.stringify({
            analyses: [
              { id: "B1", files: [{ name: "B1.bam", copyOf: "A1/S1.bam" }] },
              {
                id: "B2",
                files: [
                  { name: "B2.bam", copyOf: "A1/S1.bam" },
                  { name: "B2.bai", copyOf: "A1/S1.bam.bai" }
                ]
              }
            ]
          })
        )
        const pad = yield* launchPad(["--strict", "--world", world])
        const script = pad.write(
          "missing.nf",
          `include { SVC_DOWNLOAD as FETCH } from ${module("download")}

workflow {
    def target = System.getenv('SVC_TARGET')
    def rows = channel.of([[id: 'archived'], [analysisIds: 'A3', filetypes: 'bam,bam.bai'], []], [[id: 'no-index'], [analysisIds: 'B1', filetypes: 'bam,bam.bai'], []], [[id: 'no-variants'], [analysisIds: ['B1'], filetypes: 'bam,vcf.gz'], []], [[id: 'picard'], [analysisIds: 'B2'], []])
    FETCH(rows, target)
    FETCH.out.bam.view { meta, _bam, indexes -> "INDEX \${meta.id} \${indexes.collect { path -> path.name }}" }
}
`
        )
        const config = pad.write("on.config", `${include}\nworkflow.failOnIgnore = true\n`)
        const run = yield* pad.run(script, ["-c", config])
        assert.notStrictEqual(run.exitCode, 0)
        const said = run.stderr.split("\n").filter((line) => / \((?:archived|no-.*)\): (?!\d+ downloaded)/.test(line))
        const expected = [
          /S3\.bam \(analysis A3\): archived, and not restored: /,
          /bam\.bai file of analysis B1: not found/
        ]
        for (const sentence of [...expected, /vcf\.gz file of analysis B1: not found/]) {
          assert.isTrue(
            said.some((line) => sentence.test(line)),
            said.join("\n")
          )
        }
        assert.deepStrictEqual(ended(run), [
          ...["archived", "no-index", "no-variants"].map((id) => `FETCH (${id}) FAILED 66`),
          "FETCH (picard) COMPLETED 0"
        ])
        assert.include(run.stdout, "INDEX picard [B2.bai]")
        // Rows that fail do so before the first byte: only the whole one was fetched.
        const fetched = Object.entries((yield* pad.stats).files)
        assert.deepStrictEqual(fetched.map(([name]) => name).sort(), ["B2/B2.bai", "B2/B2.bam"])
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
    SVC_DOWNLOAD(channel.of(${rows}), System.getenv('SVC_TARGET'))
    SVC_DOWNLOAD.out.bam.view { meta, bam, _bai -> "BAM \${meta.id} \${bam.name}" }
    SVC_FETCHANNOTATIONS(channel.of([[id: 'Größe (2), neu'], [analysisIds: [${ids}]]]).filter { _meta, select -> select.analysisIds }, System.getenv('SVC_TARGET'))
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
        const rows = ids.map(
          (id, at) => `[[id: 'Zeile ${at} ü'], [analysisIds: ${groovy(id)}], ${at === 1 ? "bed" : "[]"}]`
        )
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
        const rows = [
          ["[id: 'a'], [analysisIds: 'A1']", /^$/],
          ["[:], [analysisIds: 'A1']", /^'null' cannot name files/],
          ["[id: 'a'], 'A1'", /^a: A1 must be a map/],
          ["[id: 'a'], [analysisIds: ['A1', 'A,2']]", /no id in a list may have a comma/],
          ["[id: \"quo'te\"], [analysisIds: 'A1']", /^'quo'te' cannot name files/],
          ["[id: 'p{a,b}'], [analysisIds: 'A1']", /^'p\{a,b\}' cannot name files/],
          ["[id: '-dash'], [analysisIds: 'A1']", /^'-dash' cannot name files/],
          ["[id: '../x'], [analysisIds: 'A1']", /^'\.\.\/x' cannot name files/]
        ] as const
        // What the module does with a row before its command is there, for each of them; then one row as a task.
        const script = pad.write(
          "refused.nf",
          `include { SVC_DOWNLOAD } from ${module("download")}

def said(lines, meta, select) {
    try {
        new GroovyShell(new Binding([task: [ext: [:]], meta: meta, select: select, bed: [], target: 'lab'])).evaluate(lines)
        return ''
    }
    catch (AssertionError error) {
        return error.message.readLines()[0]
    }
}

workflow {
    def lines = file(${module("download")}).text.split('\\n    script:\\n')[1].split('"""')[0] + 'null'
${rows.map(([row]) => `    println('SAID ' + said(lines, ${row}))`).join("\n")}
    SVC_DOWNLOAD(channel.of([${rows[3][0]}, []]), System.getenv('SVC_TARGET'))
}
`
        )
        const run = yield* pad.run(script, ["-c", pad.write("refused.config", `${include}\n`)])
        assert.notStrictEqual(run.exitCode, 0)
        const said = [...run.stdout.matchAll(/^SAID (.*)$/gm)].map(([, sentence = ""]) => sentence)
        assert.lengthOf(said, rows.length, output(run))
        for (const [at, [row, sentence]] of rows.entries()) assert.match(said[at] ?? "", sentence, row)
        assert.match(output(run).replace(/^SAID .*$/gm, ""), rows[3][1])
        assert.deepStrictEqual(
          run.tasks.filter(({ exit }) => exit !== null),
          []
        )
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
            "include { SVC_DOWNLOAD as TUMOUR } from '../modules/svc/download/main'\ninclude { softwareVersionsToYAML"
          ],
          [
            "    def ch_versions = channel.empty()\n",
            "    def ch_versions = channel.empty()\n    TUMOUR(channel.of([[id: 'one'], [analysisIds: 'A1'], []], [[id: 'old'], [analysisIds: 'A3'], []]), params.svc_target ?: System.getenv('SVC_TARGET'))\n"
          ]
        )
        const sheet = pad.write("sheet.csv", "sample,fastq_1,fastq_2\n")
        const args = (outdir: string) => [template, "--input", sheet, "--outdir", join(pad.folder, outdir)] as const
        const check = (run: Run, outdir: string) => {
          assert.notStrictEqual(run.exitCode, 0)
          assert.deepStrictEqual(ended(run), [
            "LAB_PAIRS:PAIRS:TUMOUR (old) FAILED 66",
            "LAB_PAIRS:PAIRS:TUMOUR (one) COMPLETED 0"
          ])
          assert.match(run.stderr, /^LAB_PAIRS:PAIRS:TUMOUR \(old\): S3\.bam .*$/m)
          const files = filesBelow(join(pad.folder, outdir)).filter((path) => !path.startsWith("pipeline_info/"))
          assert.deepStrictEqual(files, ["tumour/S1.bam", "tumour/S1.bam.bai", "tumour/one.report.json"])
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
