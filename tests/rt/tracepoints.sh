#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon carries its static tracepoints, where it was built with them.
# Usage: tracepoints.sh DAEMON yes|no
set -eu

[ "$2" = yes ] || { echo "left out: built without sys/sdt.h; install the package systemtap-sdt-dev and configure again"; exit 77; }
command -v readelf >/dev/null || { echo "left out: no readelf; install the package binutils"; exit 77; }
notes=$(readelf -n "$1")
for name in cycle_begin cycle_end overrun; do
    echo "$notes" | grep -A 1 'Provider: linkaged' | grep -q "Name: $name" ||
        { echo "no tracepoint $name in $1"; exit 1; }
done
