cwlVersion: v1.2
class: CommandLineTool
doc: SNV annotations of analyses, as a table or as JSON Lines.
hints:
  DockerRequirement: {dockerPull: org/svc-steps:0.1.0}
  NetworkAccess: {networkAccess: true}
baseCommand: svc-fetch-annotations
temporaryFailCodes: [69]
inputs:
  target:
    doc: The service, in place of that of the settings. An engine that keeps results compares it.
    type: string?
    inputBinding: {prefix: --target}
  settings:
    doc: JSON file with target, username and password, readable by its owner only; without it the SVC_* variables of the environment are used.
    type: File?
    inputBinding: {prefix: --config}
  analyses:
    type: string[]
    inputBinding: {position: 1}
  format: {type: string, default: tsv, inputBinding: {prefix: --format}}
  output_name:
    doc: Name of the output file; `format` sets its form.
    type: string
    default: annotations.tsv
    inputBinding: {prefix: --output}
outputs:
  annotations: {type: File, outputBinding: {glob: $(inputs.output_name)}}
