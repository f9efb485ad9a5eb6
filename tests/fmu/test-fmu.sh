#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# linkage fmu: archives, descriptions, exports, both versions against the library, the source form by a compiler
# that knows nothing of this tree, and what is refused.
# With FMI_SCHEMAS=FOLDER, which has fmi2/ and fmi3/ of the standard's XSDs, and xmllint, they judge, too.
# usage: test-fmu.sh LINKAGE TEST_FMU HERE ROAD [COMPILER...]; without a compiler no source form
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/../integration/checks.sh"

linkage=$(realpath "$1")
test_fmu=$(realpath "$2")
here=$(realpath "$3")
road=$(realpath "$4")
shift 4
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
cp "$here/swing.yaml" .

fail() {
    echo "FAIL $*"
    failed=1
}

for v in 2 3; do
    expect 0 "export $v" "$linkage" fmu swing.yaml -o "swing$v.fmu" --version "$v" --source
    has "export $v" "FMI $v.0 for co-simulation, step 2 ms, 4 inputs, 14 outputs, 1 tunable and" out
    cp "swing$v.fmu" before.fmu
    sleep 2 # the times of an archive count in these
    TZ=Asia/Tokyo expect 0 "again $v" "$linkage" fmu "$dir/swing.yaml" -o "swing$v.fmu" --version "$v" --source
    cmp before.fmu "swing$v.fmu" || fail "two exports differ"
    python3 -m zipfile -e "swing$v.fmu" "unit$v" || fail "no archive"
    cp unit$v/binaries/*/swing_2.so "unit$v/unit.so" || fail "no binary"
    "$here/check-description.py" "unit$v/modelDescription.xml" "$v" || failed=1
    if [ -n "${FMI_SCHEMAS:-}" ]; then
        xmllint --noout --schema "$FMI_SCHEMAS/fmi$v/fmi${v}ModelDescription.xsd" "unit$v/modelDescription.xml" ||
            fail "schema $v"
    fi
done
cmp unit2/unit.so unit3/unit.so || fail "one shared object for both versions"
[ -n "${FMI_SCHEMAS:-}" ] &&
    { xmllint --noout --schema "$FMI_SCHEMAS/fmi3/fmi3BuildDescription.xsd" unit3/sources/buildDescription.xml ||
        fail "schema of the build"; }

# all of the interfaces, and nothing else; no library but those of C
nm -D --defined-only unit2/unit.so | awk '$2 ~ /[TWBDR]/ {print $3}' | grep -v '^fmi[23][A-Z]' && fail "more is exported"
[ "$(nm -D --defined-only unit2/unit.so | grep -c ' fmi2')" = 34 ] || fail "functions of 2.0"
[ "$(nm -D --defined-only unit2/unit.so | grep -c ' fmi3')" = 75 ] || fail "functions of 3.0"
if [ $# -gt 0 ]; then # a sanitizer needs more
    readelf -d unit2/unit.so | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -Ev '^lib[cm]\.so\.' && fail "it needs more"
fi

expect 0 'both versions' "$test_fmu" "$dir/swing.yaml" "$dir/unit2" "$dir/unit3"
cat out

# the sources compile alone, and the unit that comes of them needs no resources
if [ $# -gt 0 ]; then
    mkdir alone objects
    cp unit3/sources/* alone/
    (cd alone && find . -name '*.c' | sed 's,^\./,,' | xargs -P 2 -I {} sh -c '"$@" -std=gnu11 -O0 -fPIC -c {} -o ../objects/{}.o ||
        exit 255' - "$@") || fail "the source form"
    "$@" -shared -Wl,--no-undefined -o alone.so objects/*.o -lm || fail "the source form does not link"
    expect 0 'source form' "$here/../fmu/compare.py" alone.so unit3/modelDescription.xml "$linkage" "$dir/swing.yaml"
fi

# a road travels with the model
cat >car.yaml <<YAML
linkage: 1
name: 7 hills
bodies: {box: {mass: 1, inertia: [1, 1, 1], position: [0, 0, 3]}}
roads: {hills: {type: grid, file: hills.road}}
outputs: {box: {type: body-pose, body: box}}
YAML
sed -i 's/7 hills/hills-7/' car.yaml
cp "$road" hills.road
expect 0 'road' "$linkage" fmu car.yaml -o car.fmu
python3 -m zipfile -e car.fmu car
[ "$(wc -c <car/resources/model.linkage)" -gt "$(wc -c <hills.road)" ] || fail "the road is left behind"
[ -e car/binaries/*/hills_7.so ] || fail "the identifier of the model"

# the unit of a model with parts needs none of their files
expect 0 'parts' "$linkage" fmu "$here/../../config/models/four-post.yaml" -o post.fmu
python3 -m zipfile -e post.fmu post
grep -q carrier_fl post/resources/model.linkage || fail "the bodies of a part are left behind"
grep -q post-corner post/resources/model.linkage && fail "the unit asks for the file of a part"

# one line, and no file
expect 1 'no model' "$linkage" fmu none.yaml -o none.fmu
has 'no model' 'none.yaml: cannot be read' err
sed 's/mass: 2/mass: -2/' swing.yaml >bad.yaml
expect 1 'bad model' "$linkage" fmu bad.yaml -o bad.fmu
has 'bad model' 'bad.yaml:8:' err
expect 1 'nowhere' "$linkage" fmu swing.yaml -o nowhere/a.fmu
expect 2 'version' "$linkage" fmu swing.yaml -o a.fmu --version 1
expect 2 'no output' "$linkage" fmu swing.yaml
[ ! -e none.fmu ] && [ ! -e bad.fmu ] && [ ! -e a.fmu ] || fail "a file is left"
echo old >kept.fmu
expect 1 'in place of another' "$linkage" fmu bad.yaml -o kept.fmu
[ "$(cat kept.fmu)" = old ] || fail "a file that was there is gone"
exit "$failed"
