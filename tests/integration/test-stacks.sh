#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Whatever the shell's limit of the stack is, the programs run, or say in a line why not.
# usage: test-stacks.sh LINKAGED LINKAGE MODEL
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkaged=$(realpath "$1")
linkage=$(realpath "$2")
model=$(realpath "$3")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
printf 'linkaged: 1\nmodel: %s\n' "$model" >linkaged.yaml

# under KIB COMMAND...: with a soft limit; under_hard: with one that cannot be raised
# shellcheck disable=SC3045 # dash and bash have both
under() { (ulimit -S -s "$1" && shift && exec "$@"); }
# shellcheck disable=SC3045
under_hard() { (ulimit -s "$1" && shift && exec "$@"); }
# threads that took as much as the limit says would not fit
# shellcheck disable=SC3045
narrow() { (ulimit -S -s "$1" && shift && ulimit -v 3000000 && exec "$@"); }

expect 0 'daemon, small' under 256 "$linkaged" --check --config linkaged.yaml
expect 0 'run, small' under 256 "$linkage" run "$model" -d 0.1 -w 2
expect 1 'daemon, far too small' under_hard 256 "$linkaged" --check --config linkaged.yaml
has 'daemon, far too small' 'the stack is limited to 256 KiB, expected 1024 at least (ulimit -s)' err
expect 1 'run, far too small' under_hard 256 "$linkage" run "$model" -d 0.1 -w 2
has 'run, far too small' 'the stack is limited to 256 KiB' err
# the address sanitizer needs more room than there is
if ! grep -q __asan_init "$linkage" && ! grep -q __tsan_init "$linkage" && under 4000000 true; then
    expect 0 'run, large' narrow 4000000 "$linkage" run "$model" -d 0.1 -w 2
fi

[ $failed -eq 0 ] && echo 'all as expected'
exit $failed
