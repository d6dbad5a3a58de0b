cwlVersion: v1.2
class: Workflow
doc: Files and annotations of many analyses, one job each. What is in the archive is asked for and left out; the others are done.
requirements:
  ScatterFeatureRequirement: {}
  StepInputExpressionRequirement: {}
inputs:
  target: string?
  settings: File?
  analyses: string[]
  filetypes: {type: "string[]", default: [bam, bam.bai]}
  restore: string?
  require_all: {type: boolean, default: true}
  annotations_name: {type: string, default: annotations.tsv}
steps:
  download:
    run: download.cwl
    scatter: analysis
    in:
      target: target
      settings: settings
      analysis: analyses
      filetypes: filetypes
      restore: restore
      require_all: require_all
      pending_ok: {default: true}
      # Beside each other in one folder, the report of a failed job too.
      report_name: {valueFrom: $(inputs.analysis).report.json}
    out: [files, bams, vcfs, report, restorations]
  annotate:
    run: fetch-annotations.cwl
    in: {target: target, settings: settings, analyses: analyses, output_name: annotations_name}
    out: [annotations]
outputs:
  files: {type: {type: array, items: {type: array, items: File}}, outputSource: download/files}
  bams: {type: {type: array, items: {type: array, items: File}}, outputSource: download/bams}
  vcfs: {type: {type: array, items: {type: array, items: File}}, outputSource: download/vcfs}
  reports: {type: "File[]", outputSource: download/report}
  restorations: {type: {type: array, items: ["null", File]}, outputSource: download/restorations}
  annotations: {type: File, outputSource: annotate/annotations}
