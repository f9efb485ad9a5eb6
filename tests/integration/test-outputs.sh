#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# No command of linkage destroys a file that it reads, nor a file that it did not write.
# usage: test-outputs.sh LINKAGE MODELS FUZZ
linkage=$(realpath "$1") models=$2 fuzz=$3
. "$(dirname "$0")/checks.sh"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1

cp "$models/four-bar.yaml" model.yaml
cp "$models/four-bar.yaml" p-A.csv
cp "$fuzz/turned.urdf" robot.urdf
cp "$fuzz/text.crg" road.crg
printf 'time [s],motor\n0,1\n' >inputs.csv
printf 'study: 1\nmodel: %s/four-bar.yaml\ncases: 2\nduration: 0.01\n' "$models" >study.yaml
mkdir compared
"$linkage" run model.yaml -d 0.01 -o compared/compare.csv >/dev/null 2>&1
ln model.yaml twin.yaml
ln -s model.yaml link.yaml

# kept INPUT COMMAND...: is refused, with --force as well, and the input is as it was
kept() {
    input=$1
    shift
    before=$(cksum <"$input")
    for force in '' --force; do
        # shellcheck disable=SC2086 # no word without --force
        expect 1 "$* $force" "$linkage" "$@" $force
        has "$* $force" "this command reads the file" err
        same "$* $force: $input" "$before" "$(cksum <"$input")"
    done
}

# asked KIND MARK COMMAND...: does not replace foreign.KIND without --force, but what it wrote itself
asked() {
    kind=$1
    shift
    printf 'somebody else wrote this\n' >"foreign.$kind"
    expect 1 "$* foreign.$kind" "$linkage" "$@" "foreign.$kind"
    has "$* foreign.$kind" "--force" err
    same "foreign.$kind" "somebody else wrote this" "$(cat "foreign.$kind")"
    expect 0 "$* foreign.$kind --force" "$linkage" "$@" "foreign.$kind" --force
    expect 0 "$* foreign.$kind again" "$linkage" "$@" "foreign.$kind"
}

for name in model.yaml ./model.yaml "$folder/model.yaml" twin.yaml link.yaml; do
    kept model.yaml run model.yaml -d 0.01 -o "$name"
done
kept inputs.csv run model.yaml -d 0.01 --inputs inputs.csv -o inputs.csv
kept model.yaml view model.yaml --svg model.yaml
kept p-A.csv modes p-A.csv --pose -o p
kept model.yaml modes model.yaml --pose --mode 1 --svg model.yaml
kept model.yaml export --a2l model.yaml -o model.yaml
kept model.yaml export --dbc model.yaml -o model.yaml
kept robot.urdf import robot.urdf --root fixed -o robot.urdf
kept road.crg road road.crg -o road.crg
kept compared/compare.csv compare model.yaml --reference compared/compare.csv -d 0.01 --formulations rattle -o compared
kept study.yaml sweep study.yaml -o study.yaml

asked csv run model.yaml -d 0.01 -o
asked svg view model.yaml --svg
asked a2l export --a2l model.yaml -o
asked dbc export --dbc model.yaml -o
asked road road road.crg -o

# of a disk that is full, and of a run that is interrupted
expect 1 "a full disk" "$linkage" run model.yaml -d 0.01 -o /dev/full
# interrupted SIGNAL OPTION...: keeps the whole rows of a run
interrupted() {
    signal=$1
    shift
    rm -f long.csv
    "$linkage" run model.yaml -d 2000 -s 0.0001 -n 100 -o long.csv "$@" >out 2>err &
    await "a run" test -d "/proc/$!"
    sleep 0.5
    same "nothing before its end $*" "" "$(ls long.csv 2>/dev/null)"
    kill "-$signal" $!
    wait $!
    same "an interrupted run $*" 1 $?
    has "an interrupted run $*" "the rows until then are kept" err
    same "whole rows $*" 0 "$(awk -F, 'NR == 1 {n = NF} NF != n' long.csv | wc -l)"
    same "a whole last line $*" "$(printf '\n' | od -c)" "$(tail -c 1 long.csv | od -c)"
}
interrupted INT
interrupted TERM
if [ -x "$(dirname "$linkage")/linkage-laboratory" ]; then
    interrupted INT --formulation absolute --integrator rk4
fi
same "no files beside" "" "$(find . -name '*.csv.*' -o -name '*.svg.*')"
exit $failed
