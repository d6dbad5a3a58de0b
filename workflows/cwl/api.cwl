cwlVersion: v1.2
class: CommandLineTool
doc: Any method of the API that only reads, such as get-person.
hints:
  DockerRequirement: {dockerPull: org/svc-steps:0.1.0}
  NetworkAccess: {networkAccess: true}
baseCommand: svc-api
temporaryFailCodes: [69]
inputs:
  method: {type: string, inputBinding: {position: 1}}
  ids: {type: "string[]", default: [], inputBinding: {position: 2}}
  settings:
    doc: JSON file with target, username and password, readable by its owner only; without it the SVC_* variables of the environment are used.
    type: File?
    inputBinding: {position: 3, prefix: --config}
  output_name: {type: string, default: answer.json}
stdout: $(inputs.output_name)
outputs:
  answer: {type: File, outputBinding: {glob: $(inputs.output_name)}}
