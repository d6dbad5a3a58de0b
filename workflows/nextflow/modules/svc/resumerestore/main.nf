// From restoration files to what has come back from the archive, the rest that is still awaited, and a report.
process SVC_RESUMERESTORE {
    tag "${meta.id}"
    label 'process_long'
    label 'svc_session'

    // Not cached: the result changes while the input stays the same, so with -resume the task runs again.
    cache false

    conda "${moduleDir}/environment.yml"
    container "org/svc-steps:0.1.0"

    input:
    tuple val(meta), val(select), path(tracking, stageAs: 'requests/*'), path(beds)
    val target

    output:
    tuple val(meta), path('restored/*/*.{[bB][aA][mM],[bB][aA][iI],[vV][cC][fF].[gG][zZ],[tT][bB][iI],[cC][sS][iI]}'), emit: files, optional: true
    tuple val(meta), path("${prefix}.awaiting-restoration.json"), emit: tracking
    tuple val(meta), path("${prefix}.report.json"), emit: report
    tuple val("${task.process}"), val('svc-steps'), eval('svc-resume-restore --version'), emit: versions_svc, topic: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: meta.id
    assert prefix ==~ /[\p{L}\p{N}][\p{L}\p{M}\p{N} ._,+=@()-]*/ : "'${prefix}' cannot name files: meta.id or ext.prefix has letters, digits, blanks and . _ , + = @ ( ) -"
    assert target : "${prefix}: the second input must be the service, such as params.svc_target"
    def options = select.findAll { name, value -> value != null && !(name in ['store']) }
        .collect { name, value -> "--${name}='${[value].flatten().join(',').replace("'", "'\\''")}'" }
        .join(' ')
    def store = select.store ? "${file(select.store)}/${target.replaceAll('[^A-Za-z0-9.]+', '_')}/restored".replace("'", "'\\''") : ''
    // Works on a copy of the restoration file, since a task must not change its inputs. After 75 Nextflow would throw away what has come.
    """
    ${store ? "mkdir -p '${store}'; ln -s '${store}'" : 'mkdir'} restored
    install -m 600 ${tracking} '${prefix}.awaiting-restoration.json'
    svc-resume-restore --target='${target}' ${options} --pendingOk --restorationFile '${prefix}.awaiting-restoration.json' --reportfile '${prefix}.report.json' ${args}
    ${store ? "rm restored; cp -rs '${store}' restored" : ''}
    """

    stub:
    prefix = task.ext.prefix ?: meta.id
    """
    mkdir -p 'restored/${prefix}'
    echo '[]' > '${prefix}.awaiting-restoration.json'
    echo '{"schema":"svc.report/1","exitCode":0,"files":[]}' > '${prefix}.report.json'
    """
}
