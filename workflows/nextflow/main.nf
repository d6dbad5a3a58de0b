#!/usr/bin/env nextflow
// A sample sheet to files: nextflow run main.nf --input samples.csv --outdir results

include { SVC_DOWNLOAD } from './modules/svc/download/main.nf'
include { checkParams ; readJson ; readSamplesheet } from './samplesheet.nf'

workflow {
    checkParams(params, file("${projectDir}/nextflow_schema.json"), [['input']])
    def rows = readSamplesheet(params.input, file("${projectDir}/assets/schema_input.json"), params.filetypes)

    SVC_DOWNLOAD(channel.fromList(rows))

    // A table of the downloaded files, as input of the next pipeline.
    def folder = file(params.store ?: params.outdir)
    SVC_DOWNLOAD.out.files
        .flatMap { meta, files -> [files].flatten().collect { path -> "${meta.id},${folder}/${meta.id}/${path.name}" } }
        .collectFile(name: 'files.csv', storeDir: params.outdir, seed: 'id,file', newLine: true, sort: true)

    SVC_DOWNLOAD.out.report.subscribe { meta, report ->
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
