#!/usr/bin/env bash
# What RepoProof needs from the system: bubblewrap, git (workspaces have a history), and an interpreter that can make virtual environments.
# Installs it when root on Debian or Ubuntu; else says in one line what to install, and fails.
set -euo pipefail
python=$1
need=()
command -v bwrap >/dev/null || need+=(bubblewrap)
command -v setpriv >/dev/null || need+=(util-linux)
command -v git >/dev/null || need+=(git)
"$python" -c 'import ensurepip' 2>/dev/null || need+=(python3-venv)
[ ${#need[@]} -eq 0 ] && exit 0
if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null; then
  echo "installing ${need[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${need[@]}" >/dev/null
else
  echo "missing system packages: ${need[*]} (Debian, Ubuntu: sudo apt-get install ${need[*]})" >&2
  exit 1
fi
