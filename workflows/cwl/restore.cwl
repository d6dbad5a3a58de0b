cwlVersion: v1.2
class: Workflow
doc: Asks for all archived files of analyses at once, waits in one job, and downloads them.
inputs:
  target: string?
  settings: File?
  analyses: string[]
  filetypes: {type: "string[]", default: [bam, bam.bai]}
  wait: string?
  poll: string?
steps:
  request:
    run: request-restore.cwl
    in: {target: target, settings: settings, analyses: analyses, filetypes: filetypes}
    out: [restorations]
  resume:
    run: resume-restore.cwl
    in: {target: target, settings: settings, restorations: request/restorations, wait: wait, poll: poll}
    out: [files, bams, vcfs, report, still_pending]
outputs:
  files: {type: "File[]", outputSource: resume/files}
  bams: {type: "File[]", outputSource: resume/bams}
  vcfs: {type: "File[]", outputSource: resume/vcfs}
  report: {type: File, outputSource: resume/report}
  still_pending: {type: File, outputSource: resume/still_pending}
