#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The real-time library needs no symbol of ZeroMQ, protobuf-c, io_uring, systemd or standard output.
# Usage: symbols.sh LIBRARY
set -eu

found=$(nm --undefined-only "$1" |
    grep -E ' (zmq_|protobuf_c_|linkage__|lk_wire_|io_uring|sd_|f?printf|fputs|puts|fwrite|syslog)' || true)
if [ -n "$found" ]; then
    echo "symbols that the real-time library must not need:"
    echo "$found"
    exit 1
fi
nm --undefined-only "$1" | grep -q ' clock_nanosleep' || { echo "$1: not the library expected"; exit 1; }
