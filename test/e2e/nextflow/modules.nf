// Every module once, as a pipeline author includes them. Run by Modules.test.ts.
include { SVC_DOWNLOAD } from '../../../workflows/nextflow/modules/svc/download/main.nf'

workflow {
    SVC_DOWNLOAD(
        channel.of(
            [[id: 'one'], 'A1', []],
            [[id: 'two'], [sampleIds: 'S2', filetypes: 'vcf.gz,vcf.gz.tbi'], []],
        )
    )
    SVC_DOWNLOAD.out.bam.view { meta, bam, bai -> "BAM ${meta.id} ${bam.name} ${bai.name}" }
    SVC_DOWNLOAD.out.vcf.view { meta, vcf, tbi -> "VCF ${meta.id} ${vcf.name} ${tbi.name}" }
    channel.topic('versions').unique().view { tool -> "VERSION ${tool.join(' ')}" }
}
