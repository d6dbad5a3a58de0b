#!/usr/bin/env nextflow
// One login for all analyses: one task asks for every link, then the files come in parallel and without a session:
//   nextflow run scatter.nf --input samples.csv --outdir results

include { SVC_LINKS } from './modules/svc/links/main.nf'
include { SVC_TRANSFER } from './modules/svc/transfer/main.nf'
include { checkParams ; readJson ; readSamplesheet } from './samplesheet.nf'

workflow {
    checkParams(params, file("${projectDir}/nextflow_schema.json"), [['input']])
    def rows = readSamplesheet(params.input, file("${projectDir}/assets/schema_input.json"), params.filetypes)
    def others = rows.findAll { _meta, select, _bed -> select.sampleIds || select.limsIds || !select.analysisIds }.collect { meta, _select, _bed -> meta.id }
    if (others) {
        error("${params.input}: scatter.nf takes analyses by their ids, but these rows name samples or persons: ${others.join(', ')}")
    }

    // Also for regions the links are those of the whole files; each transfer cuts out its regions.
    def wanted = ['analysisIds', 'filetypes'].collectEntries { key -> [key, rows.collectMany { row -> row[1][key] }.unique()] }
    SVC_LINKS(channel.of([[id: 'all'], wanted]))
    SVC_TRANSFER(channel.fromList(rows), SVC_LINKS.out.links.map { _meta, links -> links }.first())

    def folder = file(params.store ?: params.outdir)
    SVC_TRANSFER.out.files
        .flatMap { meta, files -> [files].flatten().collect { path -> "${meta.id},${folder}/${meta.id}/${path.name}" } }
        .collectFile(name: 'files.csv', storeDir: params.outdir, seed: 'id,file', newLine: true, sort: true)

    SVC_TRANSFER.out.report.subscribe { meta, report ->
        def archived = readJson(report).files.findAll { entry -> entry.reason == 'archived' }.collect { entry -> entry.fileName }
        if (archived) {
            log.warn("${meta.id}: in the archive, not downloaded: ${archived.join(', ')}. restore.nf asks for them.")
        }
    }

    channel.topic('versions')
        .unique()
        .map { process, tool, version -> "${process}:\n    ${tool}: ${version}" }
        .collectFile(name: 'versions.yml', storeDir: "${params.outdir}/pipeline_info", newLine: true, sort: true)
}
