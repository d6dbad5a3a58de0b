cwlVersion: v1.2
class: CommandLineTool
doc: The links of the files of analyses, with one login for all. The file is a secret, good for an hour or so.
hints:
  DockerRequirement: {dockerPull: org/svc-steps:0.1.0}
  NetworkAccess: {networkAccess: true}
baseCommand: [svc-download, --writeLinks, links.json]
temporaryFailCodes: [69]
# 66: an analysis does not exist. Only its own download fails.
successCodes: [0, 66]
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
    inputBinding: {prefix: --analysisIds, itemSeparator: ","}
  filetypes:
    type: string[]
    default: [bam, bam.bai]
    inputBinding: {prefix: --filetypes, itemSeparator: ","}
outputs:
  links: {type: File, outputBinding: {glob: links.json}}
