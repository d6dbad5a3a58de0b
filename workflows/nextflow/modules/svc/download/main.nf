// From ids, a map of options, to their BAM and VCF files with indexes in the task's folder, and a report; all of them or an error.
process SVC_DOWNLOAD {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    tuple val(meta), val(select), path(bed)
    val target

    output:
    tuple val(meta), path("*.{[bB][aA][mM],[bB][aA][iI],[vV][cC][fF].[gG][zZ],[tT][bB][iI],[cC][sS][iI]}"), emit: files, optional: true
    tuple val(meta), path("*.[bB][aA][mM]"), path("*.{[bB][aA][iI],[bB][aA][mM].[cC][sS][iI]}", arity: '0..*'), emit: bam, optional: true
    tuple val(meta), path("*.[vV][cC][fF].[gG][zZ]"), path("*.{[tT][bB][iI],[vV][cC][fF].[gG][zZ].[cC][sS][iI]}", arity: '0..*'), emit: vcf, optional: true
    tuple val(meta), path("${prefix}.missing.json"), emit: missing, optional: true
    tuple val(meta), path("${prefix}.report.json"), emit: report
    tuple val("${task.process}"), val('svc-steps'), eval('svc-download --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    assert prefix ==~ /[\p{L}\p{N}][\p{L}\p{M}\p{N} ._,+=@()-]*/ : "'${prefix}' cannot name files: meta.id or ext.prefix has letters, digits, blanks and . _ , + = @ ( ) -"
    assert target : "${prefix}: the second input must be the service, such as params.svc_target"
    assert select instanceof Map && !select.values().findAll { value -> value instanceof List }.flatten().any { part -> "${part}".contains(',') } : "${prefix}: ${select} must be a map such as [analysisIds: ['A1', 'A2']], and no id in a list may have a comma"
    def options = ([requireAll: true] + select).findAll { name, value -> value != null && !(name in ['store', 'optional']) }
        .collect { name, value -> "--${name}='${[value].flatten().join(',').replace("'", "'\\''")}'" }
        .join(' ')
    def regions = bed ? "--bed=${bed}" : ''
    // A folder that outlives this task, one for each service, since two never share a file. The task has links to what a table of this run names.
    def store = select.store ? "${file(select.store)}/${target.replaceAll('[^A-Za-z0-9.]+', '_')}/${prefix}".replace("'", "'\\''") : '.'
    def table = select.store ? '--samplesheet files.tsv --samplesheetColumns bam=bam,bai=bai,vcf=vcf,tbi=tbi --samplesheetPartial' : ''
    def links = select.store ? "[ -e '${prefix}.missing.json' ] || tail -n +2 files.tsv | tr '\\t' '\\n' | while IFS= read -r path; do [ ! -e \"\$path\" ] || ln -s \"\$path\" .; done" : ''
    // 66: something does not come, and nothing has been fetched.
    """
    mkdir -p '${store}'
    svc-download --target='${target}' ${options} ${regions} --destination '${store}' --reportfile '${prefix}.report.json' ${table} ${args} || {
        code=\$?
        [ \$code -eq 66 ] && ${select.optional as boolean} && cp '${prefix}.report.json' '${prefix}.missing.json' || exit \$code
    }
    ${links}
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    def types = [select.filetypes ?: 'bam,bam.bai'].flatten().join(' ').replace(',', ' ')
    """
    for type in ${types}; do echo '' | gzip -n > '${prefix}'.\$type; done
    echo '{"schema":"svc.report/1","exitCode":0,"files":[]}' > '${prefix}.report.json'
    """
}
