#!/usr/bin/env nextflow
// Asks for what lies in the archive, downloads what is online meanwhile, and what has come back:
//   nextflow run restore.nf --input samples.csv --wait 12h
// What is still pending at the end stands in <outdir>/restored.awaiting-restoration.json; --tracking goes on from there.

include { SVC_DOWNLOAD as SVC_DOWNLOAD_ONLINE } from './modules/svc/download/main.nf'
include { SVC_REQUESTRESTORE } from './modules/svc/requestrestore/main.nf'
include { SVC_RESUMERESTORE } from './modules/svc/resumerestore/main.nf'
include { publish ; readJson ; readRows } from './main.nf'

/** What a selection names its analyses by. */
def ids(select) {
    return select.keySet().findAll { key -> key.endsWith('Ids') }
}

workflow {
    def target = params.svc_target ?: error('--svc_target or the variable SVC_TARGET names the service')
    def rows = params.tracking ? [] : readRows(params.input ?: error('--input names the sample sheet, or --tracking the requests of a run before'), params)
    // Rows that want the same of their analyses are one request, with one login. Analyses, samples and persons narrow each other in one call.
    def requests = rows.groupBy { _meta, select, bed -> [select.subMap('range', 'filetypes'), ids(select), bed] }.values().withIndex().collect { group, at ->
        def names = ids(group[0][1]).collectEntries { key -> [key, group.collectMany { row -> row[1][key] }.unique()] }
        [[id: "request-${at + 1}"], group[0][1].subMap('range', 'filetypes') + names, group[0][2]]
    }

    SVC_REQUESTRESTORE(channel.fromList(requests), target)
    // After the requests, so that a wrong password is tried once. What has just been asked for cannot be there yet.
    def online = SVC_REQUESTRESTORE.out.tracking.collect().flatMap { _requests -> rows.collect { meta, select, bed -> [meta, select + [requireAll: false], bed] } }
    SVC_DOWNLOAD_ONLINE(online, target)
    SVC_DOWNLOAD_ONLINE.out.files.subscribe { meta, files -> publish(meta.id, files, params) }

    // One restoration file and one waiting task for all, however many requests there were.
    def tracking = (params.tracking ? channel.of(file(params.tracking, checkIfExists: true)) : SVC_REQUESTRESTORE.out.tracking.map { _meta, path -> path })
        .collect(sort: true)
        .flatMap { files -> files.collectMany { path -> readJson(path) } ?: [] }
        .toList()
        .map { list -> groovy.json.JsonOutput.prettyPrint(groovy.json.JsonOutput.toJson(list)) }
        .collectFile(name: 'awaiting-restoration.json')
    def options = (params.wait ? [wait: params.wait, poll: params.poll] : [:]) + (params.store ? [store: params.store] : [:])
    SVC_RESUMERESTORE(tracking.map { path -> [[id: 'restored'], options, path, rows.collect { row -> row[2] }.flatten().unique()] }, target)

    // A folder for each analysis: the names of their files may be the same.
    SVC_RESUMERESTORE.out.files.subscribe { _meta, files -> [files].flatten().each { path -> publish("restored/${path.parent.name}", path, params) } }

    // By the report: the restoration file may have requests to other services.
    SVC_RESUMERESTORE.out.report.join(SVC_RESUMERESTORE.out.tracking).subscribe { _meta, report, path ->
        def pending = readJson(report).files.findAll { entry -> entry.reason in ['pending', 'archived'] }.collect { entry -> "${entry.fileName} (${entry.analysisId})" }
        if (pending) {
            log.warn("Pending: ${pending.join(', ')}. Run again later with --tracking ${params.outdir}/${path.name}")
        }
    }
}
