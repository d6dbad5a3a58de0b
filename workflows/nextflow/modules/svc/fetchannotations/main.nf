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

process SVC_FETCHANNOTATIONS {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // analyses: an analysis id or a list of them
    tuple val(meta), val(analyses), path(bed)

    output:
    tuple val(meta), path("${prefix}.${suffix}"), emit: annotations
    tuple val("${task.process}"), val('svc-steps'), eval('svc-fetch-annotations --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    def format = args =~ /--format[= ](\w+)/
    suffix = format ? format[0][1] : 'jsonl'
    def ids = [analyses].flatten().collect { id -> word([id]) }.join(' ')
    def regions = bed ? "--bed=${bed}" : ''
    """
    svc-fetch-annotations --output '${prefix}.${suffix}' ${regions} ${args} -- ${ids}
    """

    stub:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    def format = args =~ /--format[= ](\w+)/
    suffix = format ? format[0][1] : 'jsonl'
    """
    echo '{"analysisId":"stub"}' > '${prefix}.${suffix}'
    """
}
