# SPDX-License-Identifier: Apache-2.0
# What the scripts that try a program share; they source it before they go to a folder of their own.
# A check that fails says so and sets $failed.
# shellcheck shell=sh
failed=0

# expect STATUS WHAT COMMAND...: runs it, output to the files out and err
expect() {
    status=$1 what=$2
    shift 2
    "$@" >out 2>err
    got=$?
    [ $got -eq "$status" ] && return
    echo "FAIL $what: exit status $got instead of $status"
    cat err
    failed=1
}

# same WHAT EXPECTED ACTUAL
same() {
    [ "$2" = "$3" ] && return
    printf 'FAIL %s\n  expected: %s\n  got:      %s\n' "$1" "$2" "$3"
    failed=1
}

# has WHAT TEXT FILE
has() {
    grep -qF -- "$2" "$3" && return
    printf 'FAIL %s: no "%s" in\n' "$1" "$2"
    cat "$3"
    # shellcheck disable=SC2034 # the scripts end with it
    failed=1
}

# equal WHAT FILE FILE
equal() {
    cmp -s "$2" "$3" && return
    echo "FAIL $1: $2 and $3 differ"
    # shellcheck disable=SC2034 # the scripts end with it
    failed=1
}

# await WHAT COMMAND...: until it succeeds, a minute at most
await() {
    what=$1
    shift
    for pause in $(yes 0.01 | head -n 50) $(yes 0.1 | head -n 600); do
        "$@" && return 0
        sleep "$pause"
    done
    echo "FAIL $what: not within a minute"
    failed=1
    return 1
}

# child_of PID: its newest child that runs; who has died is among the children until it is waited for
child_of() {
    for pid in $(cat /proc/"$1"/task/"$1"/children 2>/dev/null); do
        grep -qs '^State:[[:space:]]*[^ZX]' /proc/"$pid"/status && echo "$pid"
    done | tail -n 1
}
