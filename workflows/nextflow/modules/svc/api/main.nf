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

process SVC_API {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'
    label 'svc_once'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // call: a method of svc-api and its arguments, such as ['get-person', 'LIMS-0001']; body: a file for --input, or []
    tuple val(meta), val(call), path(body)

    output:
    tuple val(meta), path("${prefix}.${suffix}"), emit: answer
    tuple val("${task.process}"), val('svc-steps'), eval('svc-api --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    if (task.attempt > 1) {
        error("${[call].flatten().join(' ')} is not called again: it may have changed something. Look what it has done before you run with -resume")
    }
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    def format = args =~ /--format[= ](\w+)/
    suffix = format ? format[0][1] : 'json'
    def words = [call].flatten().collect { argument -> word(argument) }
    def input = body ? "--input=${body}" : ''
    """
    svc-api ${words.head()} ${input} --output '${prefix}.${suffix}' ${args} ${words.tail().join(' ')}
    """

    stub:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    def format = args =~ /--format[= ](\w+)/
    suffix = format ? format[0][1] : 'json'
    """
    echo '{}' > '${prefix}.${suffix}'
    """
}
