#!/bin/sh
# Every night: what has come back from the archive, then all files of all analyses that are not there yet.
# It prints only what somebody must look at, which cron sends by mail. Two lines for crontab -e:
#   MAILTO=lab@example.org
#   12 1 * * * /srv/svc/nightly.sh
# Beside it lies the folder data. ~/.config/svc-steps/config.json of the user who runs it has target, username and password (chmod 600);
# a line SVC_CONFIG=FILE above those two names another file. It needs jq and flock.
set -u
# As patient data wants it: the group may read.
umask 027
# The PATH of cron has no /usr/local/bin.
PATH=/usr/local/bin:/usr/bin:/bin
cd "$(dirname "$0")" || exit 74
# By a link, as in /etc/cron.daily, what belongs to it may lie beside the file itself.
[ -d data ] || cd "$(dirname "$(readlink -f "$0")")" || exit 74
for tool in jq flock svc-api svc-resume-restore svc-download; do
  command -v "$tool" > /dev/null || { echo "nightly.sh needs $tool, which is not in its PATH ($PATH): link it there, or change PATH in $0" >&2; exit 78; }
done

# Two nights at a time would do no harm, but the second would only wait for the first.
exec 9>> nightly.lock
if ! flock -n 9; then
  echo "the night before is still at work: see nightly.log" >&2
  exit 75
fi

# The exit code of the first step that failed; the log ends with it.
ended=0
trap 'last=$?; echo "$(date -u +%FT%TZ) the night ended with $last" >> nightly.log' EXIT

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
  # On a full disk nothing could be kept of what it said.
  [ "$code" != 74 ] || [ -s last.log ] || df -P . >&2
  echo "$step ended with $code; see nightly.log" >&2
  case $code in
    # It ended before it had a log.
    64 | 78 | 126 | 127) cat last.log >> nightly.log ;;
  esac
  case $code in
    126 | 127 | 129 | 130 | 143) exit "$ended" ;;
  esac
}

# Says what the first column of a file had the night before and has no more: whoever reads on would miss it.
missed() {
  [ -e "$1" ] || return 0
  gone=$(cut -d, -f1 "$1" | grep -vxF -e "$(cut -d, -f1 "$2")" | tr '\n' ' ')
  [ -n "$gone" ] || return 0
  [ "$ended" != 0 ] || ended=66
  echo "$3: $gone" >&2
}

# The first, as a refused login or a wrong setting, by which every step would end, shows here: a password that is wrong is sent once in a night.
run svc-api get-analyses --format jsonl > analyses.jsonl
case $code in
  # Such as of credentials that others may read.
  0) grep ' \[warn\]: ' last.log >&2 ;;
  64 | 77 | 78) trouble; exit "$code" ;;
  # What is back from the archive is fetched all the same.
  *) trouble; rm -f analyses.jsonl ;;
esac

# --pendingOk: what is not back yet is no failure, and the next night looks again.
if [ -e awaiting-restoration.json ]; then
  run svc-resume-restore --pendingOk
  # Also where nothing failed it may warn, such as of requests that were left behind when the service moved.
  if [ "$code" = 0 ]; then grep ' \[warn\]: ' last.log >&2; else trouble; fi
fi

[ -e analyses.jsonl ] || exit "$ended"
jq -r .id analyses.jsonl > ids.new || exit 65
missed ids.txt ids.new "analyses that the service lists no more"
mv ids.new ids.txt
[ -s ids.txt ] || exit "$ended"

# Archived files are passed over; --restoreArchived force --maxRestores 10 asks for some, which may cost money.
# The samplesheet has the analyses of which all four are there; --samplesheetPartial adds the others.
rm -f report.json samples.new.csv
run svc-download -a @ids.txt -d data -f bam,bam.bai,vcf.gz,vcf.gz.tbi --pendingOk --samplesheet samples.new.csv --reportfile report.json
# That an analysis has no such files, as those of CNV have not, is no failure here. What failed alike is one line, with what to do about it.
failed='.files[] | select(.action == "failed" and .reason != "missing")'
lines="[$failed] | group_by(.error.message)[]"' | map(.fileName // .analysisId // empty) as $names | .[0].error
  | (if .message | contains($names[0] // "") then "" else ($names[:3] | join(", ")) + ($names[3:] | if . == [] then "" else " and \(length) more" end) + ": " end)
  + ([.message, .advice // empty] | join("; "))'
if wrong=$(jq -r "$lines" report.json 2> /dev/null); then
  if [ "$code" = 66 ]; then
    # Of what is less severe than that an analysis lacks files, the code did not speak.
    code=$(jq "[$failed.error.exit] as \$codes | first((66, 69, 75) | select(IN(\$codes[]))) // 0" report.json)
    [ "$code" != 0 ] || echo "That is no failure of this night: these analyses have no such files" >> nightly.log
  fi
  [ -z "$wrong" ] || echo "$wrong" > last.log
fi
if [ "$code" = 0 ]; then
  missed samples.csv samples.new.csv "no more in samples.csv, as the service does not list their files"
else
  trouble
  # What was there stays there: a file whose answer was lost this night is on the disk all the same.
  if [ -e samples.csv ] && [ -e samples.new.csv ]; then
    awk -F, 'NR == FNR { seen[$1] } NR == FNR || !($1 in seen)' samples.new.csv samples.csv > samples.all.csv &&
      mv samples.all.csv samples.new.csv
  fi
fi
[ ! -e samples.new.csv ] || mv samples.new.csv samples.csv
exit "$ended"
