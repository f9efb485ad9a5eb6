#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The daemon's own code calls nothing of ZeroMQ, which may end its process: that is the line
# process's. What is left is a question about how ZeroMQ was built.
# Usage: no-zmq.sh DAEMON-LIBRARY LINE-LIBRARY
set -eu

calls() { nm --undefined-only "$1" | awk '{print $NF}' | grep '^zmq_' | sort -u; }

found=$(calls "$1" | grep -v '^zmq_has$') && { echo "$1 calls" $found; exit 1; }
calls "$2" | grep -q '^zmq_bind$' || { echo "$2: not the library expected"; exit 1; }
