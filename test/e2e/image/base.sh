#!/usr/bin/env bash
# Makes the image that the Dockerfile is FROM, under the same name, out of Debian's packages: a stand-in for the one of a registry,
# which tests do not need. It holds no Node. Takes no time when it is there already.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
. "$here/engine.sh"

scratch=$ground/base
container=
clean() {
  [ -z "$container" ] || buildah rm "$container" >/dev/null
  rm -rf "$scratch"
  umount "$ground/store/overlay" 2>/dev/null || true
}
trap clean EXIT

# Without its digest, which no stand-in can have.
name=$(sed -n 's/^ARG DEBIAN_IMAGE=\([^@]*\).*/\1/p' "$root/containers/Dockerfile")
made_of=$(cat "$0" <(echo "$name") | sha256sum)
if [ "$(cat "$ground/base.stamp" 2>/dev/null)" = "$made_of" ] && buildah inspect --type image "$name" >/dev/null 2>&1; then exit 0; fi
echo "Making a stand-in for the image $name ..."

rm -rf "$scratch"
mkdir -p "$scratch"

# From the mirror that this machine uses, if it is a Debian one.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' 'Created-By: Packages' | head -n 1)
# Merged /usr from the start, or a package that merges it comes with all of Perl, 50 MB.
mmdebstrap --quiet --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include=usr-is-merged --dpkgopt=force-unsafe-io \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --aptopt='Apt::Install-Recommends=false' bookworm "$scratch/rootfs.tar" ${mirror:+"$mirror"} >"$scratch/log" 2>&1 ||
  { cat "$scratch/log" >&2; exit 1; }

container=$(buildah from scratch)
buildah add --quiet "$container" "$scratch/rootfs.tar" / >/dev/null
top=$(buildah mount "$container")
# As images of Debian have it: packages leave no copies of themselves.
cat >"$top/etc/apt/apt.conf.d/docker-clean" <<'CONF'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";
Acquire::Languages "none"; Acquire::GzipIndexes "true";
CONF
buildah umount "$container" >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd bash "$container"
buildah commit --quiet "$container" "$name" >/dev/null
echo "$made_of" >"$ground/base.stamp"
