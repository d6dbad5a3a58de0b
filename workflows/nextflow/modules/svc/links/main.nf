// Quotes a text, or a list joined by commas, as one word for the shell.
def word(value) {
    return "'${[value].flatten().join(',').replace("'", "'\\''")}'"
}

process SVC_LINKS {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // select: an analysis id, a list of them, or a map of options of svc-download, such as [sampleIds: 'S-0001', filetypes: 'vcf.gz']
    tuple val(meta), val(select)

    output:
    tuple val(meta), path("${prefix}.links.json"), emit: links
    tuple val("${task.process}"), val('svc-steps'), eval('svc-steps --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def options = (select instanceof Map ? select : [analysisIds: select])
        .findAll { _name, value -> value }
        .collect { name, value -> "--${name} ${word(value)}" }
    // An analysis that does not exist must not stop the others: only its own transfer fails.
    """
    svc-download ${options.join(' ')} --writeLinks '${prefix}.links.json' ${args} || {
        code=\$?
        [ \$code -eq 66 ] && [ -s '${prefix}.links.json' ] || exit \$code
    }
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    echo '{"schema":"svc.links/1","target":"https://lab.example.org/","filetypes":["bam"],"files":[]}' > '${prefix}.links.json'
    """
}
