version 1.1

import "svc.wdl" as svc

# Asks for all archived files of analyses at once, waits in one task, and downloads them.
workflow restore {
  input {
    File settings
    String? target
    Array[String]+ analyses
    Array[String] filetypes = ["bam", "bam.bai"]
    String? wait
    String poll = "5m"
  }
  call svc.request_restore { input: settings, target, analyses, filetypes }
  call svc.resume_restore { input: settings, target, restorations = request_restore.restorations, wait, poll }
  output {
    Array[File] files = resume_restore.files
    Array[Pair[File, File]] bams = resume_restore.bams
    Array[Pair[File, File]] vcfs = resume_restore.vcfs
    File report = resume_restore.report
    File still_pending = resume_restore.still_pending
    Boolean pending = resume_restore.pending
  }
}
