#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every test that PAINS.md names is there: `file: words`, with the words somewhere in the file.
# usage: check-pains.sh PAINS.md
folder=$(dirname "$1")
named=$(grep -o '`[a-z-]*/[A-Za-z_0-9.-]*: [^`]*`' "$1" | tr -d '`' | sort -u)
[ "$(echo "$named" | wc -l)" -gt 40 ] || { echo "hardly a test is named in $1"; exit 1; }
echo "$named" | {
    missing=0
    while IFS= read -r line; do
        grep -q -F -e "${line#*: }" "$folder/${line%%: *}" 2>/dev/null ||
            { echo "not there: $line"; missing=1; }
    done
    exit "$missing"
}
