// Every module once, as a pipeline author includes them. Run by Modules.test.ts.
include { SVC_DOWNLOAD } from '../../../workflows/nextflow/modules/svc/download/main.nf'
include { SVC_FETCHANNOTATIONS } from '../../../workflows/nextflow/modules/svc/fetchannotations/main.nf'
include { SVC_REQUESTRESTORE } from '../../../workflows/nextflow/modules/svc/requestrestore/main.nf'
include { SVC_RESUMERESTORE } from '../../../workflows/nextflow/modules/svc/resumerestore/main.nf'

workflow {
    def bed = file("${projectDir}/targets.bed")
    def target = params.svc_target

    SVC_DOWNLOAD(
        channel.of(
            [[id: 'one'], [analysisIds: 'A1'], []],
            [[id: 'two'], [sampleIds: ['S2'], filetypes: 'vcf.gz,vcf.gz.tbi'], []],
            [[id: 'slice'], [analysisIds: 'A1'], bed],
        ),
        target,
    )
    SVC_DOWNLOAD.out.bam.view { meta, bam, bai -> "BAM ${meta.id} ${bam.name} ${bai.collect { path -> path.name }}" }
    SVC_DOWNLOAD.out.vcf.view { meta, vcf, tbi -> "VCF ${meta.id} ${vcf.name} ${tbi.collect { path -> path.name }}" }

    SVC_REQUESTRESTORE(channel.of([[id: 'old'], [limsIds: ['LIMS-0003', 'LIMS-0002']], []]), target)
    SVC_RESUMERESTORE(SVC_REQUESTRESTORE.out.tracking.map { meta, tracking -> [meta, [wait: '5m', poll: '1s'], tracking, []] }, target)
    SVC_RESUMERESTORE.out.files.view { meta, files -> "RESTORED ${meta.id} ${files.collect { path -> path.name }.join(' ')}" }
    SVC_RESUMERESTORE.out.tracking.view { meta, tracking -> "PENDING ${meta.id} ${tracking.text.trim()}" }

    SVC_FETCHANNOTATIONS(channel.of([[id: 'rows'], [analysisIds: ['A1', 'A2']]], [[id: 'targets'], [analysisIds: 'A1', format: 'tsv', filters: ['Chr = 17', 'Pos > 0']]]), target)
    SVC_FETCHANNOTATIONS.out.annotations.view { meta, path -> "ANNOTATIONS ${meta.id} ${path.name} ${path.countLines() > 0}" }

    channel.topic('versions').unique().view { tool -> "VERSION ${tool.join(' ')}" }
}
