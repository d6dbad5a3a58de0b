cwlVersion: v1.2
class: CommandLineTool
doc: SNV annotations of analyses, as a table or as JSON Lines.
hints:
  DockerRequirement: {dockerPull: org/svc-steps:0.1.0}
  NetworkAccess: {networkAccess: true}
baseCommand: svc-fetch-annotations
temporaryFailCodes: [69]
inputs:
  settings:
    doc: JSON with target, username and password, for nobody else to read; without it the SVC_* variables of the environment count.
    type: File?
    inputBinding: {prefix: --config}
  analyses:
    type: string[]
    inputBinding: {position: 1}
  format: {type: string, default: tsv, inputBinding: {prefix: --format}}
  output_name:
    doc: Its name; it has the form that `format` says.
    type: string
    default: annotations.tsv
    inputBinding: {prefix: --output}
outputs:
  annotations: {type: File, outputBinding: {glob: $(inputs.output_name)}}
