# To be sourced: where podman and buildah keep everything they make for the tests of the image, below .e2e/image, and how they run here.
# Nothing of the machine's own images, networks or settings is used or changed.
ground=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)/.e2e/image
mkdir -p "$ground"/{store,run,tmp}
export CONTAINERS_STORAGE_CONF=$ground/storage.conf CONTAINERS_CONF=$ground/containers.conf TMPDIR=$ground/tmp
cat >"$CONTAINERS_STORAGE_CONF" <<CONF
[storage]
driver = "overlay"
graphroot = "$ground/store"
runroot = "$ground/run"
CONF
# Limits are named because those of the engine may be above what this machine allows; without a network of its own, no bridge is made.
cat >"$CONTAINERS_CONF" <<CONF
[containers]
default_ulimits = ["nofile=20000:20000", "nproc=4096:4096"]
cgroups = "enabled"
netns = "none"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "runc"
tmp_dir = "$ground/tmp"
CONF
