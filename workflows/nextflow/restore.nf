#!/usr/bin/env nextflow
// Asks for what lies in the archive, downloads what is online meanwhile, and what has come back:
//   nextflow run restore.nf --input samples.csv --wait 12h
// What is still pending at the end stands in <outdir>/awaiting-restoration.json; --tracking goes on from there.

include { SVC_DOWNLOAD as SVC_DOWNLOAD_ONLINE } from './modules/svc/download/main.nf'
include { SVC_REQUESTRESTORE } from './modules/svc/requestrestore/main.nf'
include { SVC_RESUMERESTORE } from './modules/svc/resumerestore/main.nf'
include { checkParams ; readJson ; readSamplesheet } from './samplesheet.nf'

/** All rows that want the same of their analyses as one selection: one request step, one login. */
def together(rows) {
    return rows
        .groupBy { _meta, select, bed -> [select.subMap('range', 'filetypes'), bed] }
        .values()
        .withIndex()
        .collectMany { group, at ->
            // Analyses, samples and persons narrow each other when they stand in one call.
            group.groupBy { _meta, select, _bed -> select.keySet().findAll { key -> key.endsWith('Ids') } }.collect { _keys, same ->
                [at, same]
            }
        }
        .withIndex()
        .collect { entry, at ->
            def same = entry[1]
            def select = same[0][1].collectEntries { key, value ->
                [key, key.endsWith('Ids') ? same.collectMany { row -> row[1][key] }.unique() : value]
            }
            [[id: "request-${at + 1}"], select, same[0][2]]
        }
}

workflow {
    checkParams(params, file("${projectDir}/nextflow_schema.json"), [['input', 'tracking']])
    def rows = params.input ? readSamplesheet(params.input, file("${projectDir}/assets/schema_input.json"), params.filetypes) : []
    def beds = rows.collect { row -> row[2] }.flatten().unique()

    def entries
    if (params.tracking) {
        entries = channel.of(file(params.tracking, checkIfExists: true))
    }
    else {
        SVC_REQUESTRESTORE(channel.fromList(together(rows)))
        entries = SVC_REQUESTRESTORE.out.tracking.map { _meta, tracking -> tracking }

        // After the requests, so that a wrong password is tried once.
        SVC_DOWNLOAD_ONLINE(entries.collect().flatMap { _requests -> rows })
    }

    // One restoration file and one waiting task for all, however many requests there were.
    def tracking = entries
        .collect(sort: true)
        .flatMap { files -> files.collectMany { path -> readJson(path) } ?: [] }
        .toList()
        .map { list -> groovy.json.JsonOutput.prettyPrint(groovy.json.JsonOutput.toJson(list)) }
        .collectFile(name: 'awaiting-restoration.json')

    SVC_RESUMERESTORE(tracking.map { path -> [[id: 'restored'], path, beds] })

    SVC_RESUMERESTORE.out.tracking.subscribe { _meta, path ->
        def pending = readJson(path)
        if (pending) {
            log.warn("Pending: ${pending.collect { entry -> "${entry.fileName} (${entry.analysisId})" }.join(', ')}. Run again later with --tracking ${params.outdir}/${path.name}")
        }
    }
}
