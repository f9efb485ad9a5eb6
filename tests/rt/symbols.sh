#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the real-time code may call. Compares the undefined symbols of its libraries with the lists
# below: whatever is new there has to be looked at, and ZeroMQ, protobuf-c, io_uring, locks, files
# and standard output never get in.
# Usage: symbols.sh REALTIME-LIBRARY STEP-LIBRARY ENGINE-LIBRARY...
set -eu

# What runs on the cycle thread. The heap is for making and freeing, which the header of each
# function says; files of a cycle under way have none, and that the others do not use it then,
# test_cycle counts.
heap='aligned_alloc calloc free'
cycle='memcpy memset strcmp __errno_location ceil fmax fmin
    clock_gettime clock_nanosleep
    lk_energy_appears lk_energy_balance lk_energy_begin lk_energy_look lk_pool_rest lk_pool_rouse lk_system_dependent_rows lk_system_extent lk_system_health lk_system_input_channels lk_system_input_size
    lk_system_output_size lk_system_outputs lk_system_poses lk_system_reset lk_system_step lk_system_step_count
    lk_system_step_size lk_system_summary lk_system_time
    lk_system_state_copy lk_system_state_set lk_system_state_size'
# What sets its threads up, before and after.
setup='malloc calloc free memcpy memset snprintf strrchr strstr __isoc99_sscanf __errno_location
    open open64 read write close getrlimit getrlimit64 setrlimit setrlimit64 getrusage gettid syscall
    mallopt mlockall prctl sched_getaffinity sched_setaffinity __sched_cpucount clock_gettime
    pthread_mutex_init pthread_mutexattr_destroy pthread_mutexattr_init
    pthread_mutexattr_setprotocol
    pthread_attr_destroy pthread_attr_init pthread_attr_setstacksize pthread_create
    pthread_self pthread_setname_np pthread_getschedparam pthread_setschedparam
    pthread_setaffinity_np pthread_tryjoin_np nanosleep sem_destroy sem_init sem_post sem_trywait
    sem_wait
    lk_pool_free lk_pool_new lk_pool_serve lk_pool_stop lk_error_set
    lk_pool_set_mark lk_system_set_pool'
# What takes the place of the clock in lockstep and as fast as possible.
release='lkd_time_in nanosleep pthread_cond_broadcast pthread_cond_destroy pthread_cond_init
    pthread_cond_signal pthread_cond_timedwait pthread_condattr_destroy pthread_condattr_init
    pthread_condattr_setclock pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock
    pthread_mutex_unlock'
# The step and its engines: mathematics, and the futex of the pool. No memory is taken, no text made.
step='memcmp memcpy memset memmove strcmp syscall __errno_location __cpu_model __cpu_indicator_init
    _GLOBAL_OFFSET_TABLE_
    atan2 cbrt cos exp fmax fmin remainder sin sincos tanh sqrt log asin acos'

# check NAME LIST OBJECTS OWN LIBRARY...: members of the libraries whose names match OBJECTS; they may
# use each other and those that match OWN.
check() {
    name=$1 list=$2 pattern=$3 known=$4
    shift 4
    for library; do
        nm -A --undefined-only "$library"
    done | grep -E "$pattern" | awk '{print $NF}' | sort -u >"$work/needed"
    for library; do
        nm -A --defined-only "$library"
    done | grep -E "$known" | awk '{print $NF}' | sort -u >"$work/defined"
    # shellcheck disable=SC2086 # a word a line
    printf '%s\n' $list | sort -u | sort -u -m - "$work/defined" >"$work/allowed"
    found=$(comm -23 "$work/needed" "$work/allowed")
    [ -s "$work/needed" ] || { echo "$name: no objects found"; exit 1; }
    [ -z "$found" ] || { echo "$name needs what is not on its list:" $found; exit 1; }
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rt=$1
shift
own='(cycle(_[a-z]+)?|grid|guard|histogram|judge|mailbox|overrun|proof|ring|snapshot|spsc|wait)\.c\.o:'
unpaced='release\.c\.o:'
check 'the cycle' "$cycle $heap" "$own" "$own|$unpaced" "$rt"
check 'a cycle under way' "$cycle" '(cycle|cycle_evidence|cycle_released|grid|histogram|judge|overrun|proof|wait)\.c\.o:' \
    "$own|$unpaced" "$rt"
check 'a cycle without a clock' "$release" "$unpaced" "$unpaced" "$rt"
check 'its set-up' "$setup" '(placement|realtime|runner)\.c\.o:' '' "$rt"
check 'the step' "$step" '' '' "$@"
nm -A "$rt" | grep -vE "$own|$unpaced|(placement|realtime|runner)\.c\.o:" | grep -q . &&
    { echo "$rt: a file that is on no list"; exit 1; }
nm -A --undefined-only "$rt" | grep -E "wait\.c\.o:" | grep -q ' clock_nanosleep' ||
    { echo "$rt: not the library expected"; exit 1; }
