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

process SVC_REQUESTRESTORE {
    tag "${meta.id}"
    label 'process_single'
    label 'svc_session'

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // select: an analysis id, a list of them, or a map of options of svc-request-restore, such as [limsIds: ['L1', 'L2'], filetypes: 'bam']
    tuple val(meta), val(select), path(bed)

    output:
    tuple val(meta), path("${prefix}.awaiting-restoration.json"), emit: tracking
    tuple val("${task.process}"), val('svc-steps'), eval('svc-request-restore --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    def options = (select instanceof Map ? select : [analysisIds: [select].flatten()])
        .findAll { _name, value -> value }
        .collect { name, value -> "--${name}=${word(value)}" }
    def regions = bed ? "--bed=${bed}" : ''
    // SVC_RESUMERESTORE will put the files into the folder `restored` of its own work folder.
    """
    mkdir -p restored
    svc-request-restore ${options.join(' ')} ${regions} --destination restored --layout analysis --restorationFile '${prefix}.awaiting-restoration.json' ${args}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    """
    echo '[]' > '${prefix}.awaiting-restoration.json'
    """
}
