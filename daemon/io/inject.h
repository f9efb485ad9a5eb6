/* SPDX-License-Identifier: Apache-2.0 */
/* Fault injection: samples that arrive late, changed, in the wrong order or not at all, and cycles
 * that take too long; on a schedule, with random numbers that a seed makes reproducible.
 *
 * The injector acts between decoding and the input table. Modified samples therefore pass the same
 * checks as any other sample. The lock of the table guards the injector. The memory of the injector
 * is allocated when a model is loaded. Delayed samples wait in a queue of fixed size; when the
 * queue is full, the oldest sample is lost and counted.
 *
 * An injection has one of three targets: all samples; the samples of a bench; or the samples that
 * contain a given channel. In the last case FREEZE and SPIKE change only that channel. Heartbeats
 * are delayed, dropped and reordered like samples. If several injections are active, each one
 * modifies the result of the previous one, in the order of their numbers. */
#ifndef LKD_IO_INJECT_H
#define LKD_IO_INJECT_H

#include "cycle.h"
#include "linkage.pb-c.h"
#include "linkage/error.h"
#include <stdbool.h>
#include <stdint.h>

#define LKD_INJECTIONS_MAX 16
#define LKD_DELAY_MAX_S    10.0
#define LKD_STALL_MAX_S    10.0

struct lkd_claims;
struct lkd_sample;

/** struct lkd_injection - see Injection in linkage.proto.
 * @number, @active, @count: set in reports only */
struct lkd_injection {
    uint32_t number;
    Linkage__V1__InjectionKind kind;
    char target[LK_NAME_SIZE];
    double amount;
    double share;
    double every_s;
    double after_s;
    double for_s;
    uint64_t seed;
    bool active;
    uint64_t count;
};

/** struct lkd_fault_source - an injection in progress.
 * @channel:           channel named by @what.target, or -1
 * @begin_ns, @end_ns: begin and end of the injection
 * @due_ns:            time of the next stall
 * @random:            state of the random number generator
 * @over:              the injection has ended
 * @first:             for FREEZE, stored values of all inputs
 * @frozen:            for FREEZE, one flag per channel: @first contains its values */
struct lkd_fault_source {
    struct lkd_injection what;
    int channel;
    int64_t begin_ns;
    int64_t end_ns;
    int64_t due_ns;
    uint64_t random;
    bool over;
    double *first;
    bool *frozen;
};

struct lkd_held;

/** struct lkd_injector - state of fault injection.
 * @channels, @n_channels, @n_values: channels and number of values of the model's inputs
 * @source:  @n_sources injections in the order of their numbers
 * @numbers: last number assigned to an injection
 * @held:    queue of @n_slots slots, of which @n_held are in use
 * @order:   arrival number of the next sample
 * @room:    values of the last sample passed on, followed by its slopes from index @n_values on
 * @stalled: the cycle that was requested to stall, or NULL
 * @lost:    samples lost to a full queue since the load */
struct lkd_injector {
    const struct lk_channel *channels;
    int n_channels;
    size_t n_values;
    struct lkd_fault_source source[LKD_INJECTIONS_MAX];
    int n_sources;
    uint32_t numbers;
    struct lkd_held *held;
    double *held_values;
    size_t n_slots;
    size_t n_held;
    uint64_t order;
    double *room;
    double *first;
    bool *frozen;
    struct lkd_cycle *stalled;
    uint64_t lost;
};

/** lkd_injector_init() - Initialise @injector for the inputs of a model, without injections.
 * Return: 0, -ENOMEM (@injector is unchanged). */
int lkd_injector_init(struct lkd_injector *injector, const struct lk_channel *channels,
                      int n_channels, size_t n_values);
/** lkd_injector_fini() - Release @injector, which may be zeroed. */
void lkd_injector_fini(struct lkd_injector *injector);

/** lkd_injector_add() - Add all @n injections or none.
 * @claims: the benches that a target may name
 * @clear:  remove all present injections first and pass on the samples that they delay
 * Return: RESULT_OK; RESULT_BAD_VALUE, RESULT_UNKNOWN_CHANNEL (@error: the reason). */
Linkage__V1__Result lkd_injector_add(struct lkd_injector *injector, const struct lkd_claims *claims,
                                     bool clear, const struct lkd_injection *add, size_t n,
                                     int64_t now_ns, struct lk_error *error);

/** lkd_injector_stop() - End all injections and discard the delayed samples. */
void lkd_injector_stop(struct lkd_injector *injector);

/** lkd_injector_follow() - Advance the schedules; log injections that begin and end.
 * @cycle: the cycle to stall, NULL: no run is in progress
 * Return: true if a fault is being injected now. */
bool lkd_injector_follow(struct lkd_injector *injector, struct lkd_cycle *cycle, int64_t now_ns);

/** lkd_injector_pass() - Apply the injections to a sample.
 * @place:  number of the sample's claim, 0: a sample without a token
 * @sample: modified by the faults; its values are then in @room
 * Return: false if the sample is delayed or dropped. */
bool lkd_injector_pass(struct lkd_injector *injector, const struct lkd_claims *claims, int place,
                       struct lkd_sample *sample);

/** lkd_injector_next() - Dequeue the next sample whose delay has expired.
 * @ret_sample: its values are in @room
 * Return: false if there is none. */
bool lkd_injector_next(struct lkd_injector *injector, int64_t now_ns,
                       struct lkd_sample *ret_sample);

/** lkd_injector_due_ns() - Return the time of the next scheduled event; INT64_MAX: none. */
int64_t lkd_injector_due_ns(const struct lkd_injector *injector);

#endif
