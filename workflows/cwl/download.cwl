cwlVersion: v1.2
class: CommandLineTool
doc: Files of analyses, whole and proven.
hints:
  DockerRequirement: {dockerPull: org/svc-steps:0.1.0}
  NetworkAccess: {networkAccess: true}
baseCommand: [svc-download, --destination, .]
# 69: the service is down; 75: a restoration is pending. An engine may try again later, as it would not after 77 (login refused).
temporaryFailCodes: [69, 75]
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
    type: string[]?
    inputBinding: {prefix: --analysisIds, itemSeparator: ","}
  analysis: {doc: "One, as a scatter gives it.", type: string?, inputBinding: {prefix: --analysisIds}}
  filetypes:
    type: string[]
    default: [bam, bam.bai]
    inputBinding: {prefix: --filetypes, itemSeparator: ","}
  range: {type: string?, inputBinding: {prefix: --range}}
  bed: {type: File?, inputBinding: {prefix: --bed}}
  restore:
    doc: "What happens to archived files: no (as without it), or force to have them restored, which may cost money."
    type: string?
    inputBinding: {prefix: --restoreArchived}
  require_all:
    doc: Fail (66) when a file that was asked for does not come. What is pending counts as 75.
    type: boolean
    default: true
    inputBinding: {prefix: --requireAll}
  pending_ok:
    doc: Succeed when only restorations are pending, so that the rest of a workflow goes on.
    type: boolean?
    inputBinding: {prefix: --pendingOk}
  report_name: {type: string, default: report.json, inputBinding: {prefix: --reportfile}}
outputs:
  files:
    type: File[]
    outputBinding: {glob: ["*.[bB][aA][mM]", "*.[bB][aA][iI]", "*.[cC][sS][iI]", "*.[vV][cC][fF].[gG][zZ]", "*.[tT][bB][iI]"]}
  bams:
    doc: Each with its index, whichever of these came with it.
    type: File[]
    secondaryFiles: [".bai?", "^.bai?", ".csi?"]
    outputBinding: {glob: "*.[bB][aA][mM]"}
  vcfs:
    doc: Each with its index, whichever of these came with it.
    type: File[]
    secondaryFiles: [".tbi?", "^.tbi?", ".csi?"]
    outputBinding: {glob: "*.[vV][cC][fF].[gG][zZ]"}
  report: {type: File, outputBinding: {glob: $(inputs.report_name)}}
  restorations:
    doc: What is pending, for resume-restore.cwl.
    type: File?
    outputBinding: {glob: awaiting-restoration.json}
