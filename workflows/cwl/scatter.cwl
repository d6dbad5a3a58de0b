cwlVersion: v1.2
class: Workflow
doc: Files of many analyses, with one login for all; each is a job of its own, which needs no session and may run on any node.
requirements:
  ScatterFeatureRequirement: {}
  StepInputExpressionRequirement: {}
inputs:
  target: string?
  settings: File?
  analyses: string[]
  filetypes: {type: "string[]", default: [bam, bam.bai]}
  require_all: {type: boolean, default: true}
steps:
  ask:
    run: links.cwl
    in: {target: target, settings: settings, analyses: analyses, filetypes: filetypes}
    out: [links]
  download:
    run: download.cwl
    scatter: analysis
    in:
      links: ask/links
      analysis: analyses
      filetypes: filetypes
      require_all: require_all
      report_name: {valueFrom: $(inputs.analysis).report.json}
    out: [files, report]
outputs:
  files: {type: {type: array, items: {type: array, items: File}}, outputSource: download/files}
  reports: {type: "File[]", outputSource: download/report}
