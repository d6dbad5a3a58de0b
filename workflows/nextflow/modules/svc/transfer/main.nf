// Quotes a text, or a list joined by commas, as one word for the shell.
def word(value) {
    if (value instanceof List && value.any { part -> "${part}".contains(',') }) {
        error("${value.join(' ')}: a comma separates ids, so none may have one")
    }
    return "'${[value].flatten().join(',').replace("'", "'\\''")}'"
}

// Refuses what cannot name the outputs of a row in any shell, file system or pattern.
def checkName(meta, prefix) {
    if (!meta.id) {
        error("a row has no id: its meta is ${meta}")
    }
    if (!(prefix ==~ /[\p{L}\p{N}][\p{L}\p{M}\p{N} ._,+=@()-]*/)) {
        error("'${prefix}' cannot name files: it must begin with a letter or digit and may go on with these, blanks and any of . _ , + = @ ( ) -; ext.prefix sets another name")
    }
}

process SVC_TRANSFER {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_transfer'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // select: an analysis id, a list of them, or a map of options of svc-download, such as [analysisIds: 'A1', range: 'chr7:1-2000']
    tuple val(meta), val(select), path(bed)
    path links, stageAs: 'links.json'

    output:
    tuple val(meta), path("${prefix}/*.{bam,bai,vcf.gz,tbi}"), emit: files, optional: true
    tuple val(meta), path("${prefix}/*.bam"), path("${prefix}/*.bam.bai"), emit: bam, optional: true
    tuple val(meta), path("${prefix}/*.vcf.gz"), path("${prefix}/*.vcf.gz.tbi"), emit: vcf, optional: true
    tuple val(meta), path("${prefix}.report.json"), emit: report
    tuple val("${task.process}"), val('svc-steps'), eval('svc-download --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    def given = (select instanceof Map ? select : [analysisIds: [select].flatten()]).findAll { _name, value -> value }
    def options = given.collect { name, value -> "--${name}=${word(value)}" }
    def asked = given.subMap('analysisIds', 'filetypes').collect { name, value -> "--${name}=${word(value)}" }
    def regions = bed ? "--bed=${bed}" : ''
    // What was asked for and does not come is an error, unless ext.args3 is 'optional'.
    def required = task.ext.args3 == 'optional' ? '' : '--requireAll'
    // A folder that is kept after this task: a retry resumes where the last attempt stopped, and complete files are not fetched again.
    def store = task.ext.args2 ? word("${file(task.ext.args2)}/${prefix}") : ''
    """
    ${store ? "mkdir -p ${store}; ln -sfn ${store}" : 'mkdir -p'} '${prefix}'
    transfer() {
        svc-download --fromLinks "\$1" ${options.join(' ')} ${regions} ${required} --destination '${prefix}' --reportfile '${prefix}.report.json' ${args}
    }
    transfer links.json || {
        code=\$?
        [ \$code -eq 75 ] || exit \$code
        # The links have expired: this task fetches new ones with a session of its own and resumes where it stopped.
        svc-download ${asked.join(' ')} --writeLinks renewed.json
        transfer renewed.json
    }
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    """
    mkdir -p '${prefix}'
    touch '${prefix}/${prefix}.bam' '${prefix}/${prefix}.bam.bai' '${prefix}/${prefix}.vcf.gz.tbi'
    echo '' | gzip -n > '${prefix}/${prefix}.vcf.gz'
    echo '{"schema":"svc.report/1","exitCode":0,"files":[]}' > '${prefix}.report.json'
    """
}
