#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is named as a file and is none: every program says so at once, and waits for nobody.
# usage: test-irregular.sh LINKAGED LINKAGECTL LINKAGE LINKAGE-LATENCY MODEL
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

linkaged=$(realpath "$1")
linkagectl=$(realpath "$2")
linkage=$(realpath "$3")
latency=$(realpath "$4")
model=$(realpath "$5")
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1

mkfifo pipe
mkdir folder
ln -s /dev/zero endless
cp "$model" model.yaml
"$linkagectl" keygen server server.key >out
"$linkagectl" keygen client ops --role control . | tail -n 1 >clients
echo 'linkaged: 1' >head.yaml

# refuse WORDS COMMAND...: status 1 and WORDS in the last line, without anybody who writes to a pipe
refuse() {
    words=$1
    shift
    expect 1 "$*" timeout 60 "$@"
    tail -n 1 err >last
    has "$*" "$words" last
}

for thing in pipe endless folder; do
    words='no file but a pipe, a socket or a device'
    [ $thing != folder ] || words='Is a directory'
    refuse "$words" "$linkaged" --config $thing
    refuse "$words" "$linkaged" --check --config $thing
    { cat head.yaml; echo "model: $thing"; } >with-model.yaml
    refuse "$words" "$linkaged" --check --config with-model.yaml
    { cat head.yaml; echo "security: {secret_key: $thing, clients: clients}"; } >with-key.yaml
    refuse "$words" "$linkaged" --check --config with-key.yaml
    { cat head.yaml; echo "security: {secret_key: server.key, clients: $thing}"; } >with-list.yaml
    refuse "$words" "$linkaged" --check --config with-list.yaml
    refuse "$words" "$linkagectl" -e ipc://"$dir"/nobody load $thing
    refuse "$words" "$linkagectl" -e ipc://"$dir"/nobody --key $thing --server-key server.key.pub status
    refuse "$words" "$linkagectl" -e ipc://"$dir"/nobody --key ops.key --server-key $thing status
    refuse "$words" "$linkage" check $thing
    refuse "$words" "$linkage" run $thing
    refuse "$words" "$linkage" compare model.yaml --reference $thing
    for command in info replay export; do
        refuse "$words" "$linkage" $command $thing
    done
    refuse "$words" "$latency" --model $thing --daemon "$linkaged" --load none
done

[ $failed -eq 0 ] && echo 'all as expected'
exit $failed
