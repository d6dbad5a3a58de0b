cwlVersion: v1.2
class: CommandLineTool
doc: Asks for the archived files of analyses and ends at once.
hints:
  DockerRequirement: {dockerPull: org/svc-steps:0.1.0}
  NetworkAccess: {networkAccess: true}
baseCommand: [svc-request-restore, --destination, ., --restorationFile, awaiting-restoration.json]
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
    doc: Their ids; one session serves all of them.
    type: string[]
    inputBinding: {prefix: --analysisIds, itemSeparator: ","}
  filetypes:
    type: string[]
    default: [bam, bam.bai]
    inputBinding: {prefix: --filetypes, itemSeparator: ","}
  range: {type: string?, inputBinding: {prefix: --range}}
  bed: {type: File?, inputBinding: {prefix: --bed}}
outputs:
  restorations: {type: File, outputBinding: {glob: awaiting-restoration.json}}
