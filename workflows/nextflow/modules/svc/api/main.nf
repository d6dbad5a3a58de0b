// Quotes a text, or a list joined by commas, as one word for the shell.
def word(value) {
    return "'${[value].flatten().join(',').replace("'", "'\\''")}'"
}

process SVC_API {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // call: a method of svc-api and its arguments, such as ['get-person', 'LIMS-0001']; body: a file for --input, or []
    tuple val(meta), val(call), path(body)

    output:
    tuple val(meta), path("${prefix}.${suffix}"), emit: answer
    tuple val("${task.process}"), val('svc-steps'), eval('svc-steps --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def format = args =~ /--format[= ](\w+)/
    suffix = format ? format[0][1] : 'json'
    def words = [call].flatten().collect { argument -> word(argument) }.join(' ')
    def input = body ? "--input ${body}" : ''
    """
    svc-api ${words} ${input} --output '${prefix}.${suffix}' ${args}
    """

    stub:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def format = args =~ /--format[= ](\w+)/
    suffix = format ? format[0][1] : 'json'
    """
    echo '{}' > '${prefix}.${suffix}'
    """
}
