#!/bin/sh
# Every night: what has come back from the archive, then all files of all analyses that are not there yet.
# It prints only what somebody must look at, which cron sends by mail. Two lines for crontab -e:
#   MAILTO=lab@example.org
#   12 1 * * * /srv/svc/nightly.sh
# Beside it lies the folder data. ~/.config/svc-steps/config.json of the user who runs it has target, username and password (chmod 600);
# a line SVC_CONFIG=FILE above those two names another file. It needs jq and flock.
set -u
# The PATH of cron has no /usr/local/bin.
PATH=/usr/local/bin:/usr/bin:/bin
cd "$(dirname "$0")" || exit 74
# By a link, as in /etc/cron.daily, what belongs to it may lie beside the file itself.
[ -d data ] || cd "$(dirname "$(readlink -f "$0")")" || exit 74
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
  "$@" --logfile nightly.log 2> last.log
  code=$?
}

# Shows why the step failed, the failures first; what comes after it may still succeed, unless the step cannot be started or somebody stops
# the night.
trouble() {
  [ "$ended" != 0 ] || ended=$code
  grep -v -e ' \[info\]: ' -e ' \[warn\]: ' last.log >&2
  grep ' \[warn\]: ' last.log >&2
  echo "$step ended with $code; nightly.log has all of it" >&2
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
rm -f report.json
run svc-download -a @ids.txt -d data -f bam,bam.bai,vcf.gz,vcf.gz.tbi --pendingOk --samplesheet samples.csv --reportfile report.json
# What failed, and what to do about it. That an analysis has no such files, as those of CNV have not, is no failure here.
failed='[.files[] | select(.action == "failed" and .reason != "missing").error | [.message, .advice // empty] | join("; ")] | unique[]'
if ! wrong=$(jq -r "$failed" report.json 2> /dev/null) || [ -n "$wrong" ]; then
  [ -z "$wrong" ] || echo "$wrong" > last.log
  [ "$code" = 0 ] || trouble
elif [ "$code" = 66 ]; then
  echo "That is no failure of this night: these analyses have no such files" >> nightly.log
elif [ "$code" != 0 ]; then
  trouble
fi
exit "$ended"
