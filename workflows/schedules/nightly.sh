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
# By a link, as in /etc/cron.daily, what belongs to it may lie beside the file itself.
[ -e credentials.json ] || cd "$(dirname "$(readlink -f "$0")")" || exit 74
for tool in jq flock svc-api; do
  command -v "$tool" > /dev/null || { echo "nightly.sh needs $tool, which is not in its PATH ($PATH)" >&2; exit 78; }
done

# Two nights at a time would do no harm, but the second would only wait for the first.
exec 9>> nightly.lock
if ! flock -n 9; then
  echo "the night before is still at work: see nightly.log" >&2
  exit 75
fi

# The exit code of the first step that failed.
ended=0

# Runs a step; its exit code is in $code. The log has all that it says as it says it, last.log what standard error got.
run() {
  step=$1
  "$@" --config credentials.json --logfile nightly.log 2> last.log
  code=$?
}

# Shows why the step failed; what comes after it may still succeed, unless the step cannot be started or somebody stops the night.
trouble() {
  [ "$ended" != 0 ] || ended=$code
  echo "$step ended with $code:" >&2
  grep -v ' \[info\]: ' last.log >&2
  case $code in
    126 | 127 | 129 | 130 | 143) exit "$ended" ;;
  esac
}

# The first, as a refused login or a wrong setting, by which every step would end, shows here: a password that is wrong is sent once in a night.
run svc-api get-analyses --format jsonl > analyses.jsonl
case $code in
  # Such as of credentials that others may read.
  0) grep ' \[warn\]: ' last.log >&2 ;;
  64 | 77 | 78) trouble; exit "$code" ;;
  # What is back from the archive is fetched all the same.
  *) trouble; : > analyses.jsonl ;;
esac

# --pendingOk: what is not back yet is no failure, and the next night looks again.
if [ -e awaiting-restoration.json ]; then
  run svc-resume-restore --pendingOk
  # Also where nothing failed it may warn, such as of requests that were left behind when the service moved.
  if [ "$code" = 0 ]; then grep ' \[warn\]: ' last.log >&2; else trouble; fi
fi

jq -r .id analyses.jsonl > ids.txt || exit 65
[ -s ids.txt ] || exit "$ended"

# Archived files are passed over; --restoreArchived force --maxRestores 10 asks for some, which may cost money.
# The samplesheet has the analyses of which all four are there; --samplesheetPartial adds the others.
run svc-download -a @ids.txt -d data -f bam,bam.bai,vcf.gz,vcf.gz.tbi --pendingOk --samplesheet samples.csv --reportfile report.json
case $code in
  0) ;;
  # 66: an analysis has no such files, as those of CNV have not. All else that failed somebody must look at.
  66) jq -e 'all(.files[]; .action != "failed" or .reason == "missing")' report.json > /dev/null || trouble ;;
  *) trouble ;;
esac
exit "$ended"
