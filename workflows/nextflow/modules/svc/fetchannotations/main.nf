// From ids, a map of options, to one file with all their annotations.
process SVC_FETCHANNOTATIONS {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    tuple val(meta), val(select)
    val target

    output:
    tuple val(meta), path("${prefix}.${suffix}"), emit: annotations
    tuple val("${task.process}"), val('svc-steps'), eval('svc-fetch-annotations --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    suffix = select.format ?: 'jsonl'
    assert prefix ==~ /[\p{L}\p{N}][\p{L}\p{M}\p{N} ._,+=@()-]*/ : "'${prefix}' cannot name files: meta.id or ext.prefix has letters, digits, blanks and . _ , + = @ ( ) -"
    assert target : "${prefix}: the second input must be the service, such as params.svc_target"
    assert select instanceof Map && !select.findAll { name, value -> name != 'filters' && value instanceof List }.values().flatten().any { part -> "${part}".contains(',') } : "${prefix}: ${select} must be a map such as [analysisIds: ['A1', 'A2']], and no id in a list may have a comma"
    def options = select.findAll { _name, value -> value != null }
        .collectMany { name, value -> [value].flatten().collect { item -> "--${name}='${"${item}".replace("'", "'\\''")}'" } }
        .join(' ')
    """
    svc-fetch-annotations --target='${target}' ${options} --output '${prefix}.${suffix}' ${args}
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    suffix = select.format ?: 'jsonl'
    """
    echo '{"analysisId":"stub"}' > '${prefix}.${suffix}'
    """
}
