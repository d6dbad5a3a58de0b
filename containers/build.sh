#!/usr/bin/env bash
# Makes the binary and builds the image of it, as `latest` and by its version, with the first of docker, podman and buildah that can: `npm run image`.
# Arguments go to the engine, after `npm run image --`; `--platform linux/amd64,linux/arm64` makes one image for both.
#
#   CONTAINER_ENGINE  docker, podman or buildah: this one, or none
#   IMAGE             its name; org/svc-steps. With a tag, that one alone
set -euo pipefail
cd "$(dirname "$0")/.."

# Why an engine cannot build here; nothing when it can.
obstacle() {
  command -v "$1" >/dev/null || { echo "$1 is not installed"; return; }
  case $1 in
    docker)
      docker buildx version >/dev/null 2>&1 || { echo "docker has no buildx, without which it does not know the platform of an image"; return; }
      docker info >/dev/null 2>&1 || echo "the daemon of docker does not answer (docker info)"
      ;;
    *) "$1" info >/dev/null 2>&1 || echo "$1 does not work here ($1 info)" ;;
  esac
}

engine= reasons=
for name in ${CONTAINER_ENGINE:-docker podman buildah}; do
  why=$(obstacle "$name")
  [ -n "$why" ] || { engine=$name; break; }
  reasons+="${reasons:+; }$why"
done
if [ -z "$engine" ]; then
  echo "No engine can build the image here: $reasons. Install podman, or docker with buildx." >&2
  exit 1
fi
echo "Building with $engine${reasons:+ ($reasons)}" >&2

of_package() { node -p "const it = require('./package.json'); $1"; }
version=$(of_package it.version)
image=${IMAGE:-org/svc-steps}
case ${image##*/} in
  *:*) names=("$image") ;;
  *) names=("$image:$version" "$image:latest") ;;
esac

npm run --silent binary >&2

# The time of the commit, so that the same sources make the same labels.
revision=$(git rev-parse HEAD 2>/dev/null || echo unknown)
seconds=${SOURCE_DATE_EPOCH:-$(git show -s --format=%ct HEAD 2>/dev/null || date +%s)}
labels=(
  "version=$version"
  "revision=$revision"
  "created=$(node -p "new Date($seconds * 1000).toISOString()")"
  "url=$(of_package it.homepage)"
  "source=$(of_package "it.repository.url.replace(/^git[+]|[.]git$/g, '')")"
  "documentation=$(of_package "it.repository.url.replace(/^git[+]|[.]git$/g, '') + '/blob/v' + it.version + '/docs/image.md'")"
)
arguments=()
for label in "${labels[@]}"; do arguments+=(--label "org.opencontainers.image.$label"); done

# Several platforms make a list of images, which podman and buildah name in their own way.
several=no
for argument in "$@"; do [[ $argument != *linux/*,* ]] || several=yes; done
case $engine in
  docker)
    build=(docker buildx build)
    # Into the images of this machine, unless it goes elsewhere.
    [[ " $* " =~ \ --(push|output) ]] || build+=(--load)
    for name in "${names[@]}"; do arguments+=(-t "$name"); done
    ;;
  *)
    build=("$engine" build)
    if [ "$several" = yes ]; then
      "$engine" manifest rm "${names[0]}" >/dev/null 2>&1 || "$engine" rmi "${names[0]}" >/dev/null 2>&1 || true
      arguments+=(--manifest "${names[0]}")
    else
      for name in "${names[@]}"; do arguments+=(-t "$name"); done
    fi
    ;;
esac

"${build[@]}" "${arguments[@]}" -f containers/Dockerfile --build-arg "VERSION=$version" "$@" .
if [ "$several" = yes ] && [ "$engine" != docker ]; then
  for name in "${names[@]:1}"; do "$engine" tag "${names[0]}" "$name"; done
fi
echo "Built ${names[*]} with $engine" >&2
