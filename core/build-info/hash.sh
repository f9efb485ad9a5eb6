#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A header with a hash of the objects in these libraries, in this order.
# Usage: hash.sh LIBRARY...
set -eu
for library; do
    ar p "$library"
done | sha256sum | sed 's/^\(.\{16\}\).*/#define LK_BUILD_ID "\1"/'
