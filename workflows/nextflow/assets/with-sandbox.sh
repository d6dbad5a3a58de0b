# For `-profile test`: a sandbox of its own for each task. Read by the task's shell before the script; `stop_sandbox` ends it after the script.
# In a clone the steps and their Node are those of `npm run build`.
clone=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
PATH=$clone/dist/bin:$PATH
ready=$(mktemp)
svc-sandbox --strict >"$ready" &
sandbox=$!
stop_sandbox() {
  kill "$sandbox" 2>/dev/null || true
  rm -f "$ready"
}
until [ -s "$ready" ] || ! kill -0 "$sandbox" 2>/dev/null; do sleep 0.1; done
SVC_TARGET=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$ready")
export PATH SVC_TARGET SVC_USER=demo SVC_PASSWORD=not-a-secret
