// Every module once, as a pipeline author includes them. Run by Modules.test.ts.
include { SVC_API } from '../../../workflows/nextflow/modules/svc/api/main.nf'
include { SVC_DOWNLOAD } from '../../../workflows/nextflow/modules/svc/download/main.nf'
include { SVC_FETCHANNOTATIONS } from '../../../workflows/nextflow/modules/svc/fetchannotations/main.nf'
include { SVC_LINKS } from '../../../workflows/nextflow/modules/svc/links/main.nf'
include { SVC_REQUESTRESTORE } from '../../../workflows/nextflow/modules/svc/requestrestore/main.nf'
include { SVC_RESUMERESTORE } from '../../../workflows/nextflow/modules/svc/resumerestore/main.nf'
include { SVC_TRANSFER } from '../../../workflows/nextflow/modules/svc/transfer/main.nf'

workflow {
    def bed = file("${projectDir}/targets.bed")

    SVC_DOWNLOAD(
        channel.of(
            [[id: 'one'], 'A1', []],
            [[id: 'two'], [sampleIds: ['S2'], filetypes: 'vcf.gz,vcf.gz.tbi'], []],
            [[id: 'slice'], 'A1', bed],
        )
    )
    SVC_DOWNLOAD.out.bam.view { meta, bam, bai -> "BAM ${meta.id} ${bam.name} ${bai.name}" }
    SVC_DOWNLOAD.out.vcf.view { meta, vcf, tbi -> "VCF ${meta.id} ${vcf.name} ${tbi.name}" }

    SVC_LINKS(channel.of([[id: 'all'], [analysisIds: ['A1', 'A2'], filetypes: 'bam']]))
    SVC_TRANSFER(channel.of([[id: 'linked'], 'A2', bed]), SVC_LINKS.out.links.map { _meta, links -> links }.first())
    SVC_TRANSFER.out.bam.view { meta, bam, bai -> "BAM ${meta.id} ${bam.name} ${bai.name}" }

    SVC_REQUESTRESTORE(channel.of([[id: 'old'], [limsIds: ['LIMS-0003', 'LIMS-0002']], []]))
    SVC_RESUMERESTORE(SVC_REQUESTRESTORE.out.tracking.map { meta, tracking -> [meta, tracking, []] })
    SVC_RESUMERESTORE.out.files.view { meta, files -> "RESTORED ${meta.id} ${files.collect { path -> path.name }.join(' ')}" }
    SVC_RESUMERESTORE.out.tracking.view { meta, tracking -> "PENDING ${meta.id} ${tracking.text.trim()}" }

    SVC_FETCHANNOTATIONS(channel.of([[id: 'rows'], ['A1', 'A2'], []], [[id: 'targets'], 'A1', bed]))
    SVC_FETCHANNOTATIONS.out.annotations.view { meta, path -> "ANNOTATIONS ${meta.id} ${path.name} ${path.countLines() > 0}" }

    SVC_API(channel.of([[id: 'person'], ['get-person', 'LIMS-0001'], []]))
    SVC_API.out.answer.view { meta, path -> "API ${meta.id} ${path.name} ${new groovy.json.JsonSlurper().parse(path).personalInformation?.limsId}" }

    channel.topic('versions').unique().view { tool -> "VERSION ${tool.join(' ')}" }
}
