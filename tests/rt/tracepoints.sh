#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon carries its static tracepoints, where it was built with them.
# Usage: tracepoints.sh DAEMON yes|no
set -eu

[ "$2" = yes ] || { echo "built without sys/sdt.h (package systemtap-sdt-dev)"; exit 77; }
command -v readelf >/dev/null || { echo "readelf is missing"; exit 77; }
notes=$(readelf -n "$1")
for name in cycle_begin cycle_end overrun; do
    echo "$notes" | grep -A 1 'Provider: linkaged' | grep -q "Name: $name" ||
        { echo "no tracepoint $name in $1"; exit 1; }
done
