# SPDX-License-Identifier: Apache-2.0
# Two machines and a cable, as far as network namespaces go, for the scripts that source it.
# shellcheck shell=bash

skip() { echo "left out: $*"; exit 77; }

# need PACKAGES TOOL...: root, and the tools of these packages
need() {
    local packages=$1 tool
    shift
    [ "$(id -u)" -eq 0 ] || skip "network namespaces need root; run it as root"
    for tool; do
        command -v "$tool" >/dev/null || skip "no $tool on this machine; install the packages $packages"
    done
}

# The interpreter itself: a version manager that stands before it takes longer than what is asked of it here, some
# hundred times.
if command -v python3 >/dev/null; then
    python=$(python3 -c 'import sys; print(sys.executable)')
fi

# connect ONE OTHER: makes both, with addresses 192.0.2.1 and 192.0.2.2
connect() {
    local machine
    ip netns add "$1" 2>/dev/null || skip "network namespaces are not allowed here; in a container: with CAP_NET_ADMIN and CAP_SYS_ADMIN"
    ip netns add "$2"
    # a program in a namespace gets a /sys of its own
    ip netns exec "$1" true 2>/dev/null || skip "mounts are not allowed here; in a container: with CAP_SYS_ADMIN"
    ip link add veth0 netns "$1" type veth peer name veth0 netns "$2" 2>/dev/null ||
        skip "no virtual cables on this machine; load the module veth"
    ip -n "$1" addr add 192.0.2.1/24 dev veth0
    ip -n "$2" addr add 192.0.2.2/24 dev veth0
    for machine; do
        ip -n "$machine" link set lo up
        ip -n "$machine" link set veth0 up
    done
}

# disconnect ONE OTHER: removes them, where they are
disconnect() {
    local machine
    for machine; do
        ip netns del "$machine" 2>/dev/null || true
    done
}
