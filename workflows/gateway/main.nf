// A pipeline whose inputs are addresses of the gateway: Nextflow stages them as it does any URL, and finds its cache again with
// -resume, since they stay the same while the presigned links they stand for change.
//
//     nextflow run workflows/gateway --gateway http://127.0.0.1:8090 --analyses A1 -resume
params.gateway = 'http://127.0.0.1:8090'
params.analyses = 'A1'
params.outdir = 'results'

process COUNT {
    tag "${bam.name}"
    publishDir params.outdir

    input:
    tuple val(analysis), path(bam), path(bai)

    output:
    path "${analysis}.tsv"

    script:
    """
    samtools idxstats ${bam} > ${analysis}.tsv
    """
}

workflow {
    channel.fromList(params.analyses.tokenize(','))
        .map { analysis ->
            def name = "${params.gateway}/files/${analysis}/S${analysis.substring(1)}.bam"
            tuple(analysis, file(name), file("${name}.bai"))
        }
        | COUNT
}
