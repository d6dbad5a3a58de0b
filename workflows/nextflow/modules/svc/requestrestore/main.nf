// From ids, a map of options, to a restoration file: what is in the archive is asked for, and nothing downloaded.
process SVC_REQUESTRESTORE {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    tuple val(meta), val(select), path(bed)
    val target

    output:
    tuple val(meta), path("${prefix}.awaiting-restoration.json"), emit: tracking
    tuple val("${task.process}"), val('svc-steps'), eval('svc-request-restore --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    assert prefix ==~ /[\p{L}\p{N}][\p{L}\p{M}\p{N} ._,+=@()-]*/ : "'${prefix}' cannot name files: meta.id or ext.prefix has letters, digits, blanks and . _ , + = @ ( ) -"
    assert target : "${prefix}: the second input must be the service, such as params.svc_target"
    assert select instanceof Map && !select.values().findAll { value -> value instanceof List }.flatten().any { part -> "${part}".contains(',') } : "${prefix}: ${select} must be a map such as [analysisIds: ['A1', 'A2']], and no id in a list may have a comma"
    def options = select.findAll { _name, value -> value != null }
        .collect { name, value -> "--${name}='${[value].flatten().join(',').replace("'", "'\\''")}'" }
        .join(' ')
    def regions = bed ? "--bed=${bed}" : ''
    // SVC_RESUMERESTORE will put the files into the folder `restored` of its own work folder.
    """
    mkdir -p restored
    svc-request-restore --target='${target}' ${options} ${regions} --destination restored --layout analysis --restorationFile '${prefix}.awaiting-restoration.json' ${args}
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    echo '[]' > '${prefix}.awaiting-restoration.json'
    """
}
