version 1.1

import "svc.wdl" as svc

# Files of many analyses, one task each, and their annotations. What is in the archive is asked for with `restore` = force and left
# out; the others are done.
workflow downloads {
  input {
    File settings
    Array[String]+ analyses
    Array[String] filetypes = ["bam", "bam.bai"]
    String restore = "no"
  }
  scatter (analysis in analyses) {
    call svc.download { input: settings, analyses = [analysis], filetypes, restore }
  }
  call svc.fetch_annotations { input: settings, analyses }
  output {
    Array[File] files = flatten(download.files)
    Array[File] reports = download.report
    # For restore.wdl: one for each analysis with something pending.
    Array[File] restorations = select_all(download.restorations)
    File annotations = fetch_annotations.annotations
  }
}
