#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Every option that a program documents exists, and each says its version with the commit.
# usage: test-options.sh PROGRAM...
set -u
failed=0

fail() { echo "FAIL $*"; failed=1; }

# options_of HELP...: long options that a text documents at the beginning of its lines
options_of() { "$@" | grep -oE '^ {1,10}(-[A-Za-z], )?--[a-z-]+' | grep -oE -- '--[a-z-]+' | sort -u; }

# exist PROGRAM [SUBCOMMAND]: the one that is none ends the reading before anything is done
exist() {
    local option said n=0
    for option in $(options_of "$@" --help); do
        [[ $option != --help && $option != --version ]] || [ $# -gt 1 ] || continue
        said=$("$@" "$option=" --no-such-option 2>&1 </dev/null)
        [[ $said != *"unrecognized option '$option"* && $said != *"no option $option"* ]] || fail "${*##*/}: $option is documented, but there is none"
        n=$((n + 1))
    done
    echo "${*##*/}: $n options"
}

for program in "$@"; do
    name=${program##*/}
    version=$("$program" --version) || fail "$name --version"
    [[ $version =~ ^$name\ [0-9]+\.[0-9]+\.[0-9]+(\ \(commit\ [0-9a-f]+\+?\))?$ ]] || fail "$name --version: $version"
    if [ "$name" = linkage ]; then
        for command in $("$program" --help | sed -nE 's/^(usage:|      ) linkage ([a-z]+) .*/\2/p' | sort -u); do
            [[ $("$program" "$command" --help) == "usage: linkage $command"* ]] || fail "linkage $command --help"
            exist "$program" "$command"
        done
    else
        exist "$program"
    fi
done
exit $failed
