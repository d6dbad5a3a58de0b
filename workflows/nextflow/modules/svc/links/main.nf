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

process SVC_LINKS {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'
    label 'svc_secret'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // select: an analysis id, a list of them, or a map of options of svc-download, such as [sampleIds: 'S-0001', filetypes: 'vcf.gz']
    tuple val(meta), val(select)

    output:
    tuple val(meta), path("${prefix}.links.json"), emit: links
    tuple val("${task.process}"), val('svc-steps'), eval('svc-download --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    def options = (select instanceof Map ? select : [analysisIds: [select].flatten()])
        .findAll { _name, value -> value }
        .collect { name, value -> "--${name}=${word(value)}" }
    // An analysis that does not exist must not stop the others: only its own transfer fails.
    """
    svc-download ${options.join(' ')} --writeLinks '${prefix}.links.json' ${args} || {
        code=\$?
        [ \$code -eq 66 ] && [ -s '${prefix}.links.json' ] || exit \$code
    }
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    """
    echo '{"schema":"svc.links/1","target":"https://lab.example.org/","filetypes":["bam"],"files":[]}' > '${prefix}.links.json'
    """
}
