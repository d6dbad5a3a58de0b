version 1.1

import "svc.wdl" as svc

# Files of many analyses, one task each, and their annotations. What is in the archive is asked for with `restore` = force and left
# out; the others are done.
workflow downloads {
  input {
    File settings
    String? target
    Array[String]+ analyses
    Array[String] filetypes = ["bam", "bam.bai"]
    String restore = "no"
    # An analysis that fails stops no other: the run succeeds and `failures` says why, since WDL gives no outputs of a failed run.
    Boolean keep_going = false
  }
  scatter (analysis in analyses) {
    call svc.download { input: settings, target, analyses = [analysis], filetypes, restore, keep_going }
    if (defined(download.failure)) {
      String failed = analysis + ": " + read_string(select_first([download.failure]))
    }
  }
  call svc.fetch_annotations { input: settings, target, analyses, keep_going }
  output {
    Array[File] files = flatten(download.files)
    Array[Pair[File, File]] bams = flatten(download.bams)
    Array[Pair[File, File]] vcfs = flatten(download.vcfs)
    Array[File] reports = download.report
    # For restore.wdl: one for each analysis with something pending.
    Array[File] restorations = select_all(download.restorations)
    File annotations = fetch_annotations.annotations
    # Empty; with keep_going one line for each analysis that failed.
    Array[String] failures = select_all(failed)
  }
}
