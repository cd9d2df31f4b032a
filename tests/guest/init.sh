#!/bin/sh
# The first process of the guest that scripts/guest.sh boots. Sets control groups up as systemd does, runs the tests in each place where
# a process may find itself, and turns the machine off. Prints `all passed` at the end, if they did.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8
mount -t tmpfs tmpfs /tmp
mount -t cgroup2 -o nsdelegate,memory_recursiveprot cgroup2 /sys/fs/cgroup
mkdir /dev/shm && mount -t tmpfs tmpfs /dev/shm
ip link set lo up
useradd --create-home user

# GROUP: make it, with all controllers.
make_group() {
  place=/sys/fs/cgroup
  for name in $(echo "$1" | tr / ' '); do
    echo "+cpu +memory +pids" > "$place/cgroup.subtree_control"
    place=$place/$name
    mkdir -p "$place"
  done
}

# TITLE GROUP COMMAND...: run the tests in the group, by way of the command. A fall back from control groups would be a failure.
failed=no
tests() {
  echo "== $1, in /$2"
  place=/sys/fs/cgroup/$2
  shift 2
  sh -c 'echo 0 > "$0/cgroup.procs" && exec "$@"' "$place" "$@" sh -c '
    cd /repoproof
    export PYTHONPATH=src REPOPROOF_REQUIRE=all
    .venv/bin/python -c "from repoproof.sandbox.cgroup import find_hierarchy; print(find_hierarchy())"
    exec .venv/bin/python -m pytest -q --color=no -p no:cacheprovider -k "not docker and ($(cat expression))" \
      tests/sandbox/test_cgroup.py tests/sandbox/test_conformance.py tests/redteam/test_sandbox_escape.py
  ' || failed=yes
}

uname -srm
make_group init.scope
echo 1 > /sys/fs/cgroup/init.scope/cgroup.procs

service=system.slice/tests.service
make_group "$service"
tests "root in a service's group" "$service"

delegated=user.slice/user-1000.slice/user@1000.service
make_group "$delegated"
for file in . cgroup.procs cgroup.subtree_control cgroup.threads; do chown user: "/sys/fs/cgroup/$delegated/$file"; done
tests "an ordinary user in a group delegated to him" "$delegated" \
  setpriv --reuid=user --regid=user --clear-groups --reset-env

container=machine.slice/container
make_group "$container"
tests "root in a container's group, which is all that is seen there" "$container" \
  unshare --cgroup --mount sh -c 'umount /sys/fs/cgroup && mount -t cgroup2 cgroup2 /sys/fs/cgroup && exec "$@"' sh

if [ $failed = no ]; then echo "all passed"; fi
echo o > /proc/sysrq-trigger
sleep 60
