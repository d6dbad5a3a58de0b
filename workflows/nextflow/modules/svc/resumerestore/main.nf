// Refuses what cannot name the outputs of a row in any shell, file system or pattern.
def checkName(meta, prefix) {
    if (!meta.id) {
        error("a row has no id: its meta is ${meta}")
    }
    if (!(prefix ==~ /[\p{L}\p{N}][\p{L}\p{M}\p{N} ._,+=@()-]*/)) {
        error("'${prefix}' cannot name files: it must begin with a letter or digit and may go on with these, blanks and any of . _ , + = @ ( ) -; ext.prefix sets another name")
    }
}

process SVC_RESUMERESTORE {
    tag "${meta.id}"
    label 'process_long'
    label 'svc_session'

    // Not cached: the result changes while the input stays the same, so with -resume the task runs again.
    cache false

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    // beds: the BED files that were given with the requests, or []
    tuple val(meta), path(tracking, stageAs: 'requests/*'), path(beds)

    output:
    tuple val(meta), path('restored/*/*.{bam,bai,vcf.gz,tbi}'), emit: files, optional: true
    tuple val(meta), path("${prefix}.awaiting-restoration.json"), emit: tracking
    tuple val(meta), path("${prefix}.report.json"), emit: report
    tuple val("${task.process}"), val('svc-steps'), eval('svc-resume-restore --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    // Without --pendingOk a pending restoration would end this task with 75, and a failed task loses what it has downloaded.
    def args = task.ext.args ?: '--pendingOk'
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    // A folder that outlives this task.
    def store = task.ext.args2 ? "'${file(task.ext.args2).toString().replace("'", "'\\''")}/restored'" : ''
    // Works on a copy of the restoration file, since a task must not change its inputs.
    """
    ${store ? "mkdir -p ${store}; ln -sfn ${store}" : 'mkdir -p'} restored
    install -m 600 ${tracking} '${prefix}.awaiting-restoration.json'
    svc-resume-restore --restorationFile '${prefix}.awaiting-restoration.json' --reportfile '${prefix}.report.json' ${args}
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    checkName(meta, prefix)
    """
    mkdir -p 'restored/${prefix}'
    touch 'restored/${prefix}/${prefix}.bam' 'restored/${prefix}/${prefix}.bam.bai'
    echo '[]' > '${prefix}.awaiting-restoration.json'
    echo '{"schema":"svc.report/1","exitCode":0,"files":[]}' > '${prefix}.report.json'
    """
}
