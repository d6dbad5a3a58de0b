#!/usr/bin/env nextflow
// A sample sheet to files: nextflow run main.nf --input samples.csv --outdir results
// Many rows at once, on any node, with one login: svc-gateway -- nextflow run main.nf --input samples.csv (docs/nextflow.md).

include { SVC_DOWNLOAD } from './modules/svc/download/main.nf'

def readJson(file) {
    return new groovy.json.JsonSlurper().parse(file)
}

/** Puts files into a folder of the results, and gives where they are then; those in the store stay there. A hard link copies no byte. */
def publish(name, files, given) {
    def folder = file(given.outdir).resolve(name)
    return [files].flatten().collect { path ->
        if (given.store) {
            return path.toRealPath()
        }
        def place = folder.resolve(path.name)
        folder.mkdirs()
        try {
            path.mklink(place, hard: true, overwrite: true)
        }
        catch (Exception _otherFileSystem) {
            path.copyTo(place)
        }
        return place
    }
}

/** A cell of a CSV table, in quotes where it needs them. */
def cell(value) {
    def text = "${value}".toString()
    return text =~ /[",\n]/ ? "\"${text.replace('"', '""')}\"" : text
}

/** The rows of the sample sheet as [meta, selection, bed]. assets/schema_input.json says the same to nf-schema. */
def readRows(path, given) {
    def sheet = file(path, checkIfExists: true)
    def rows = sheet.splitCsv(header: true, strip: true)
    def names = [analysis: 'analysisIds', sample: 'sampleIds', lims: 'limsIds']
    def wrong = rows.findAll { row -> !(row.id ==~ /[A-Za-z0-9][A-Za-z0-9._-]*/) }.collect { row -> "the id '${row.id}' cannot name a folder" } +
        rows.findAll { row -> !names.keySet().any { column -> row[column] } }.collect { row -> "${row.id} has neither analysis nor sample nor lims" } +
        rows.countBy { row -> row.id }.findAll { _id, count -> count > 1 }.keySet().collect { id -> "the id ${id} comes twice" } +
        rows.collectMany { row -> row.keySet() - names.keySet() - ['id', 'range', 'bed', 'filetypes'] }.unique().collect { column -> "the column ${column} is unknown" }
    if (wrong || !rows) {
        error("${path}: ${wrong.join('; ') ?: 'no rows'}")
    }
    return rows.collect { row ->
        def select = names.findAll { column, _option -> row[column] }.collectEntries { column, option -> [option, row[column].tokenize(';')] }
        select = select + [filetypes: (row.filetypes ?: given.filetypes).tokenize(';,')] + (row.range ? [range: row.range] : [:]) + (given.store ? [store: given.store] : [:])
        [[id: row.id], select, row.bed ? file(sheet.parent.resolve(row.bed), checkIfExists: true) : []]
    }
}

workflow {
    def target = params.svc_target ?: error('--svc_target or the variable SVC_TARGET names the service')
    def rows = readRows(params.input ?: error('--input names the sample sheet'), params).collect { meta, select, bed -> [meta, select + [optional: params.allow_missing], bed] }
    SVC_DOWNLOAD(channel.fromList(rows), target)

    // A table of what came, as input of the next pipeline, and one of what did not.
    SVC_DOWNLOAD.out.files.flatMap { meta, files -> publish(meta.id, files, params).collect { path -> "${meta.id},${cell(path)}" } }
        .collectFile(name: 'files.csv', storeDir: params.outdir, seed: 'id,file', newLine: true, sort: true)

    def missing = SVC_DOWNLOAD.out.missing.map { meta, report -> [meta.id, readJson(report).files.findAll { entry -> entry.error }.collect { entry -> entry.error.message }.join('; ')] }
    missing.subscribe { id, reason -> log.warn("${id}: missing: ${reason}") }
    missing.map { id, reason -> "${id},\"${reason.replace('"', '""')}\"" }
        .collectFile(name: 'missing.csv', storeDir: params.outdir, seed: 'id,reason', newLine: true, sort: true)

    channel.topic('versions')
        .unique()
        .map { process, tool, version -> "${process}:\n    ${tool}: ${version}" }
        .collectFile(name: 'versions.yml', storeDir: "${params.outdir}/pipeline_info", newLine: true, sort: true)
}
