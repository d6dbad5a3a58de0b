#!/usr/bin/env bash
# Builds the image with docker, podman or buildah, whichever is there (CONTAINER_ENGINE chooses): `npm run image`. Arguments go to the
# engine, after `npm run image --`.
#
#   CONTAINER_ENGINE  docker, podman, buildah
#   IMAGE             its name; org/svc-steps
#   NPM_CACHE         with podman and buildah: a folder of npm packages to use and fill, for builds in a row
set -euo pipefail
cd "$(dirname "$0")/.."

engine=${CONTAINER_ENGINE:-}
for name in docker podman buildah; do
  [ -n "$engine" ] || ! command -v "$name" >/dev/null || engine=$name
done
[ -n "$engine" ] || { echo "This needs docker, podman or buildah." >&2; exit 1; }

# The registry and authority of this machine, if it has its own: mounted for one command, in no layer.
secrets=$(mktemp -d)
trap 'rm -rf "$secrets"' EXIT
setting() { npm config get "$1" 2>/dev/null | grep -vxE 'null|undefined|' || true; }
{
  # Scopes, proxies and credentials as they are; the rest of the file is about this machine.
  grep -hE '^(//|@|registry|proxy|https-proxy|noproxy|strict-ssl)' "${NPM_CONFIG_USERCONFIG:-$HOME/.npmrc}" 2>/dev/null || true
  echo "registry=$(setting registry)"
  [ -z "${NPM_CACHE:-}" ] || printf 'cache=/mnt\nprefer-offline=true\n'
} >"$secrets/npmrc"
ca=$(setting cafile)
ca=${ca:-${NODE_EXTRA_CA_CERTS:-}}
arguments=(--secret "id=npmrc,src=$secrets/npmrc")
if [ -n "$ca" ]; then
  echo 'cafile=/run/secrets/ca' >>"$secrets/npmrc"
  arguments+=(--secret "id=ca,src=$ca")
fi
[ -z "${NPM_CACHE:-}" ] || arguments+=(-v "$NPM_CACHE:/mnt")

"$engine" build "${arguments[@]}" -f containers/Dockerfile -t "${IMAGE:-org/svc-steps}" \
  --build-arg "VERSION=$(node -p 'require("./package.json").version')" \
  --build-arg "REVISION=$(git rev-parse HEAD 2>/dev/null || echo unknown)" \
  "$@" .
