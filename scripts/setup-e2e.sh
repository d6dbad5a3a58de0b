#!/usr/bin/env bash
# Installs what `npm run e2e`, and `npm test` in CI, need besides Node: tools from Debian's packages, and into .e2e/, each
# from its own lock, an S3 server and four workflow engines, and the image that ours is based on. May be run again at any time; takes no time when everything is there.
set -euo pipefail
cd "$(dirname "$0")/.."

# command: Debian package
tools=(
  chromium:chromium pdftotext:poppler-utils nginx:nginx-light tinyproxy:tinyproxy samtools:samtools bcftools:bcftools tabix:tabix
  strace:strace openssl:openssl curl:curl wget:wget aria2c:aria2 gcc:build-essential systemd-analyze:systemd
  java:default-jre-headless mvn:maven ps:procps sbatch:slurm-wlm munged:munge
  podman:podman buildah:buildah runc:runc mmdebstrap:mmdebstrap
  go:golang-go
)

export PATH="$PATH:/usr/sbin:/sbin"
packages=()
# Of Debian's Python, the part that makes environments is a package of its own.
python3 -c 'import ensurepip, venv' 2>/dev/null || packages+=(python3-venv)
for tool in "${tools[@]}"; do
  command -v "${tool%%:*}" >/dev/null || packages+=("${tool##*:}")
done

if ((${#packages[@]} > 0)); then
  command -v apt-get >/dev/null || { echo "This needs ${packages[*]}; only Debian's apt-get is known here." >&2; exit 1; }
  as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || { echo "Please install as root: apt-get install ${packages[*]}" >&2; exit 1; }
    as_root=(sudo)
  fi
  echo "Installing ${packages[*]} ..."
  log=$(mktemp)
  # A fresh machine has no package lists, an old one stale ones. Nothing of it may start a service on this machine.
  policy=/usr/sbin/policy-rc.d
  [ -e "$policy" ] || { printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" tee "$policy" >/dev/null; "${as_root[@]}" chmod 755 "$policy"; ours=yes; }
  install() {
    "${as_root[@]}" apt-get update -qq &&
      "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 install -y -qq --no-install-recommends "${packages[@]}"
  }
  done=no
  for attempt in 1 2 3; do
    if install >"$log" 2>&1; then done=yes; break; fi
    [ "$attempt" = 3 ] || sleep 5
  done
  [ "${ours:-no}" = no ] || "${as_root[@]}" rm -f "$policy"
  [ "$done" = yes ] || { cat "$log" >&2; exit 1; }
  rm -f "$log"
fi

# The image below ours, while the rest is fetched. Engines as these tests use them need root.
below=
if [ "$(id -u)" -eq 0 ]; then
  bash test/e2e/image/base.sh &
  below=$!
else
  echo "Not root: the container image is not tested."
fi

# An S3 server, Bun and Deno: complete only when their locks were copied last.
for package in s3:s3-server runtimes:runtimes; do
  into=.e2e/${package%%:*}
  from=test/e2e/${package##*:}
  if ! cmp -s "$from/package-lock.json" "$into/.installed"; then
    echo "Installing the ${package##*:} into $into ..."
    rm -rf "$into"
    mkdir -p "$into"
    cp "$from/package.json" "$from/package-lock.json" "$into/"
    npm ci --prefix "$into" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
    cp "$from/package-lock.json" "$into/.installed"
  fi
done

# Snakemake, cwltool, miniwdl, nf-core and pysam (the newest bcftools in it) from their lock, into an environment of their own; uv, locked as well, fetches them ten times as fast as pip.
engines=test/e2e/engines
if ! cmp -s "$engines/requirements.txt" .e2e/python/.installed; then
  echo "Installing Snakemake, cwltool, miniwdl, nf-core and pysam into .e2e/python ..."
  rm -rf .e2e/python .e2e/uv
  python3 -m venv .e2e/uv
  .e2e/uv/bin/pip install --quiet --disable-pip-version-check --no-deps --require-hashes -r "$engines/installer.txt"
  python3 -m venv --without-pip .e2e/python
  # pip's index and authorities, where a machine has its own.
  [ -z "${PIP_INDEX_URL:-}" ] || export UV_DEFAULT_INDEX="${UV_DEFAULT_INDEX:-$PIP_INDEX_URL}"
  [ -z "${PIP_CERT:-}" ] || export SSL_CERT_FILE="${SSL_CERT_FILE:-$PIP_CERT}"
  .e2e/uv/bin/uv pip sync --quiet --no-cache --python .e2e/python/bin/python --require-hashes "$engines/requirements.txt"
  rm -rf .e2e/uv
  cp "$engines/requirements.txt" .e2e/python/.installed
fi

# actionlint, by the lock of its Go module.
lint=test/e2e/actionlint
if ! cmp -s "$lint/go.sum" .e2e/go/.installed; then
  echo "Building actionlint into .e2e/go ..."
  mkdir -p .e2e/go
  # Go's client gives up at the first failure of the network, where those of npm, pip, uv and apt try again.
  for attempt in 1 2 3; do
    if (cd "$lint" && go build -o ../../../.e2e/go/actionlint github.com/rhysd/actionlint/cmd/actionlint); then break; fi
    [ "$attempt" -lt 3 ] || exit 1
    sleep 5
  done
  cp "$lint/go.sum" .e2e/go/.installed
fi

# Nextflow: complete only when its list of checksums, which the jars fit, was copied last.
nextflow=test/e2e/nextflow
if ! cmp -s "$nextflow/jars.sha256" .e2e/nextflow/.installed; then
  echo "Installing Nextflow into .e2e/nextflow ..."
  rm -rf .e2e/nextflow
  mkdir -p .e2e/nextflow
  log=$(mktemp)
  for attempt in 1 2 3; do
    if mvn --batch-mode --update-snapshots -f "$nextflow/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies \
      "-DoutputDirectory=$PWD/.e2e/nextflow" >"$log" 2>&1; then break; fi
    [ "$attempt" -lt 3 ] || { cat "$log" >&2; exit 1; }
    sleep 5
  done
  rm -f "$log"
  (cd .e2e/nextflow && sha256sum --check --strict --quiet) <"$nextflow/jars.sha256"
  cp "$nextflow/jars.sha256" .e2e/nextflow/.installed
fi
# The classes of a run, as Java keeps them for the next: they are loaded a hundred times.
java=$(java -version 2>&1)
if [ "$java" != "$(cat .e2e/nextflow/.java 2>/dev/null)" ]; then
  rm -f .e2e/nextflow/classes.jsa
  place=$(mktemp -d)
  command=$PWD/$nextflow/nextflow
  (
    cd "$place"
    printf '%s\n' 'process ONE {' 'output:' 'path "one"' 'script:' '"""' 'touch one' '"""' '}' 'workflow { ONE().view() }' >main.nf
    NXF_HOME=$place JAVA_TOOL_OPTIONS="-XX:ArchiveClassesAtExit=$OLDPWD/.e2e/nextflow/classes.jsa" "$command" run main.nf
  ) >"$place/log" 2>&1 || { cat "$place/log" >&2; exit 1; }
  rm -rf "$place"
  echo "$java" >.e2e/nextflow/.java
fi
[ -z "$below" ] || wait "$below"
echo "Ready: ${tools[*]%%:*}, s3rver, htsget, snakemake, cwltool, miniwdl, nf-core, pysam, actionlint, Nextflow."
