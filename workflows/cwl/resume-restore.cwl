cwlVersion: v1.2
class: CommandLineTool
doc: Downloads what has come back from the archive, or waits for it.
hints:
  DockerRequirement: {dockerPull: org/svc-steps:0.1.0}
  NetworkAccess: {networkAccess: true}
requirements:
  # The step takes out of the file what it has downloaded: it gets a copy.
  InitialWorkDirRequirement:
    listing: [{entry: $(inputs.restorations), entryname: awaiting-restoration.json, writable: true}]
baseCommand: [svc-resume-restore, --restorationFile, awaiting-restoration.json]
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
  restorations: File
  wait: {doc: "How long to wait, such as 12h; without it the job looks once.", type: string?, inputBinding: {prefix: --wait}}
  poll: {type: string?, inputBinding: {prefix: --poll}}
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
  still_pending:
    doc: What is still pending.
    type: File
    outputBinding: {glob: awaiting-restoration.json}
