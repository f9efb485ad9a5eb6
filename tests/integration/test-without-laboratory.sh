#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What a rig runs links neither LAPACK nor anything of the laboratory's, and linkage nothing but
# LAPACK; linkage without the program of the laboratory beside it does what it can, and says in one
# line what it cannot.
# usage: test-without-laboratory.sh MODELS-DIRECTORY LINKAGE PROGRAM...
set -u
# shellcheck source=tests/integration/checks.sh
. "$(dirname "$0")/checks.sh"

models=$(realpath "$1")
linkage=$(realpath "$2")
shift 2
same "what linkage links" '' "$(ldd "$linkage" | grep -iE 'sundials|petsc|mpi|HYPRE')"
for program; do
    heavy=$(ldd "$program" | grep -iE 'blas|lapack|gfortran|sundials|petsc|mpi|HYPRE')
    same "what $program links" '' "$heavy"
done

dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cp "$linkage" "$dir/linkage"
cd "$dir" || exit 1
linkage=$dir/linkage
missing="needs the laboratory, and $dir/linkage-laboratory is not there; ./tools/quickstart build laboratory adds it"

for words in "compare $models/four-bar.yaml" 'methods' "run --formulation complement $models/four-bar.yaml" \
    "run --integrator radau $models/four-bar.yaml"; do
    # shellcheck disable=SC2086
    expect 1 "$words" "$linkage" $words
    same "$words" "linkage: ${words%% *} $missing" "$(cat err)"
done
sed 's/^solver:.*/solver: {formulation: complement}/' "$models/pendulum.yaml" >asks.yaml
grep -q 'formulation: complement' asks.yaml || printf 'solver: {formulation: complement}\n' >>asks.yaml
expect 1 'a model that asks for it' "$linkage" run -d 0.01 asks.yaml
same 'a model that asks for it' "linkage: run $missing" "$(cat err)"

expect 0 'run' "$linkage" run -d 0.1 "$models/four-bar.yaml"
has 'run' ', 0.1 s' out
for model in "$models"/*.yaml; do
    expect 0 "check $model" "$linkage" check --strict "$model"
    has "check $model" 'is a good model' out
done
expect 0 'check' "$linkage" check "$models/four-bar.yaml"
has 'check: rank' 'degrees of freedom  1, in the initial configuration' out
has 'check: pose' 'pose                regular' out
expect 0 'modes' "$linkage" modes "$models/quarter-car.yaml"
has 'modes' 'degrees of freedom, about' out

# a program of the laboratory that cannot be started
printf 'no program' >linkage-laboratory
chmod +x linkage-laboratory
expect 1 'cannot be started' "$linkage" methods
same 'cannot be started' "linkage: $dir/linkage-laboratory: Exec format error" "$(cat err)"
exit $failed
