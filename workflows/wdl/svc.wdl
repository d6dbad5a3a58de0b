version 1.1

# The steps as tasks (docs/cwl-wdl.md). `settings` is a JSON file with target, username and password, readable by its owner only: WDL
# has no secrets, and variables of the environment would be written into the folder of the run. `target` is the service in place of that of the
# settings: call caching compares it. Ids come by a file, so that no shell reads them.

task download {
  input {
    File settings
    String? target
    # Several analyses are downloaded in one session.
    Array[String]+ analyses
    Array[String] filetypes = ["bam", "bam.bai"]
    # What happens to archived files: no, or force to have them restored, which may cost money.
    String restore = "no"
    String? range
    File? bed
    # When an analysis does not exist or a file of it does not come (66), when it is damaged (65) or its file name is taken (73), the task succeeds and `failure` says why.
    Boolean keep_going = false
    String container = "org/svc-steps:0.1.0"
  }
  command <<<
    code=0
    svc-download --config '~{settings}' ~{"--target '" + target + "'"} --analysisIds="$(paste -sd , '~{write_lines(analyses)}')" \
      --filetypes '~{sep(",", filetypes)}' --requireAll --restoreArchived '~{restore}' --pendingOk --destination . --reportfile report.json \
      --samplesheet files.tsv --samplesheetColumns bam=bam,bai=bai,vcf=vcf,tbi=tbi --samplesheetPartial ~{"--range '" + range + "'"} ~{"--bed '" + bed + "'"} 2> said || code=$?
    cat said >&2
    case "$code ~{keep_going}" in
      0*) ;;
      "65 true" | "66 true" | "73 true") { grep -m 1 -e '\[error\]' said || tail -n 1 said; } > failure ;;
      *) exit $code ;;
    esac
    # Names of what came with its index, a file for each column; without folders, since engines move that of a task.
    touch bam bai vcf tbi
    tail -n +2 files.tsv | sed 's,[^\t]*/,,g' | awk -F '\t' '$1 != "" && $2 != "" { print $1 > "bam"; print $2 > "bai" } $3 != "" && $4 != "" { print $3 > "vcf"; print $4 > "tbi" }'
  >>>
  output {
    File? failure = "failure"
    Array[File] files = flatten([glob("*.[bB][aA][mM]"), glob("*.[bB][aA][iI]"), glob("*.[cC][sS][iI]"), glob("*.[vV][cC][fF].[gG][zZ]"), glob("*.[tT][bB][iI]")])
    # Each with its index, in one folder.
    Array[Pair[File, File]] bams = zip(read_lines("bam"), read_lines("bai"))
    Array[Pair[File, File]] vcfs = zip(read_lines("vcf"), read_lines("tbi"))
    File report = "report.json"
    # Exists when restorations are pending; the input of resume_restore.
    File? restorations = "awaiting-restoration.json"
  }
  runtime {
    container: container
    # No retries: they would send a wrong password again, and the steps retry by themselves what is worth it.
    maxRetries: 0
  }
}

task request_restore {
  input {
    File settings
    String? target
    Array[String]+ analyses
    Array[String] filetypes = ["bam", "bam.bai"]
    String container = "org/svc-steps:0.1.0"
  }
  command <<<
    svc-request-restore --config '~{settings}' ~{"--target '" + target + "'"} --analysisIds="$(paste -sd , '~{write_lines(analyses)}')" --filetypes '~{sep(",", filetypes)}' \
      --destination . --restorationFile awaiting-restoration.json
  >>>
  output {
    File restorations = "awaiting-restoration.json"
  }
  runtime {
    container: container
    maxRetries: 0
  }
}

task resume_restore {
  input {
    File settings
    String? target
    File restorations
    # How long to wait, such as 12h, and how often to look.
    String? wait
    String poll = "5m"
    String container = "org/svc-steps:0.1.0"
  }
  # The step takes out of the file what it has downloaded, and inputs are read-only. What else is in the file, as requests to another target, is not pending.
  command <<<
    cp '~{restorations}' awaiting-restoration.json
    resume() {
      svc-resume-restore --config '~{settings}' ~{"--target '" + target + "'"} --restorationFile awaiting-restoration.json \
        --samplesheetColumns bam=bam,bai=bai,vcf=vcf,tbi=tbi "$@"
    }
    resume --samplesheet files.tsv --reportfile report.json --pendingOk ~{"--poll '" + poll + "' --wait '" + wait + "'"} || exit
    # Another look, whose exit code says whether something is left.
    resume --samplesheet more.tsv && echo false > pending || { code=$?; [ $code -eq 75 ] && echo true > pending || exit $code; }
    touch files.tsv more.tsv bam bai vcf tbi
    tail -qn +2 files.tsv more.tsv | sed 's,[^\t]*/,,g' | awk -F '\t' '$1 != "" && $2 != "" { print $1 > "bam"; print $2 > "bai" } $3 != "" && $4 != "" { print $3 > "vcf"; print $4 > "tbi" }'
  >>>
  output {
    Array[File] files = flatten([glob("*.[bB][aA][mM]"), glob("*.[bB][aA][iI]"), glob("*.[cC][sS][iI]"), glob("*.[vV][cC][fF].[gG][zZ]"), glob("*.[tT][bB][iI]")])
    Array[Pair[File, File]] bams = zip(read_lines("bam"), read_lines("bai"))
    Array[Pair[File, File]] vcfs = zip(read_lines("vcf"), read_lines("tbi"))
    File report = "report.json"
    File still_pending = "awaiting-restoration.json"
    Boolean pending = read_boolean("pending")
  }
  runtime {
    container: container
    maxRetries: 0
  }
}

task fetch_annotations {
  input {
    File settings
    String? target
    Array[String]+ analyses
    # tsv or jsonl.
    String format = "tsv"
    # Leaves out the analyses that do not exist (66).
    Boolean keep_going = false
    String container = "org/svc-steps:0.1.0"
  }
  command <<<
    code=0
    mapfile -t ids < '~{write_lines(analyses)}'
    svc-fetch-annotations --config '~{settings}' ~{"--target '" + target + "'"} --format '~{format}' --output 'annotations.~{format}' -- "${ids[@]}" || code=$?
    case "$code ~{keep_going}" in
      0* | "66 true") ;;
      *) exit $code ;;
    esac
  >>>
  output {
    File annotations = "annotations.~{format}"
  }
  runtime {
    container: container
    maxRetries: 0
  }
}
