#!/bin/sh
# Every night: what has come back from the archive, then all files of all analyses that are not there yet.
# It prints only what somebody must look at, which cron sends by mail. Two lines for crontab -e:
#   MAILTO=lab@example.org
#   12 1 * * * /srv/svc/nightly.sh
# Beside it lie credentials.json (target, username and password; chmod 600) and the folder data. It needs jq and flock.
set -u
# The PATH of cron has no /usr/local/bin.
PATH=/usr/local/bin:/usr/bin:/bin
cd "$(dirname "$0")" || exit 74

# Two nights at a time would do no harm, but the second would only wait for the first.
exec 9>> nightly.lock
if ! flock -n 9; then
  echo "the night before is still at work: see nightly.log" >&2
  exit 75
fi

worst=0

# Runs a step; its exit code is in $code, and what it says goes to the log.
run() {
  step=$1
  "$@" --config credentials.json 2> last.log
  code=$?
  cat last.log >> nightly.log
}

# Shows why the step failed; what comes after it may still succeed.
trouble() {
  worst=$code
  echo "$step ended with $code:" >&2
  grep -v ' \[info\]: ' last.log >&2
  # Wrong usage, or a refused login: the next step would send the same password again.
  case $code in 64 | 77 | 78) exit "$code" ;; esac
}

if [ -e awaiting-restoration.json ]; then
  run svc-resume-restore
  # 75: something is not back yet, and the next night looks again.
  case $code in 0 | 75) ;; *) trouble ;; esac
fi

run svc-api get-analyses --format jsonl > analyses.jsonl
if [ "$code" != 0 ]; then
  trouble
  exit "$code"
fi
jq -r .id analyses.jsonl > ids.txt || exit 65
[ -s ids.txt ] || exit "$worst"

# Archived files are passed over; --restoreArchived force --maxRestores 10 asks for some, which may cost money.
run svc-download -a @ids.txt -d data -f bam,bam.bai,vcf.gz,vcf.gz.tbi --samplesheet samples.csv --reportfile report.json
case $code in
  0 | 75) ;;
  # 66: an analysis has no such files, as those of CNV have not. All else that failed somebody must look at.
  66) jq -e 'all(.files[]; .action != "failed" or .reason == "missing")' report.json > /dev/null || trouble ;;
  *) trouble ;;
esac
exit "$worst"
