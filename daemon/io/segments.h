/* SPDX-License-Identifier: Apache-2.0 */
/* The latency budget: round trips of benches, divided into segments.
 *
 *     bench      |  hold  |                                                      | hold |
 *     wire  out  ^        v  in                                             out  ^
 *     daemon    publish   received ..wait.. latched ..step.. computed ..publish..
 *
 * wait, step and publish are differences on the daemon's own clock (CLOCK_MONOTONIC). The wire,
 * there and back, needs no clock of the other end, only how long the bench held the sample that it
 * answers: both stamps of that time are on the bench's clock, whichever that is.
 *
 *     hold = origin - reply_received            wire = received - published - hold
 *
 * The sample that a bench answers must have been published: the last publications are kept, and a
 * reply to anything else is counted as false and measures nothing. Each publication is answered
 * once: further answers to it say nothing new about the wire. A negative or absurd duration is
 * dropped and counted.
 *
 * One-way times exist only where both clocks are wall clocks (UTC or TAI) that say of themselves
 * that they are synchronised. They may be negative within the uncertainty of both, and then count
 * as zero.
 *
 * Threads that receive or publish samples write histograms under a lock; they are read without it.
 * The cycle does neither. */
#ifndef LKD_IO_SEGMENTS_H
#define LKD_IO_SEGMENTS_H

#include "cycle_types.h"
#include "histogram.h"
#include "inputs.h"

#define LKD_SEGMENTS_LIMIT_NS INT64_C(10000000000) /* a longer segment is absurd */
#define LKD_SEGMENTS_KEPT     16384 /* publications: 16 s at 1 kHz, 0.8 s at 20 kHz */

struct lkd_segments;

/** enum lkd_segment - see above and LatencyBudget in linkage.proto. */
enum lkd_segment {
    LKD_SEGMENT_WIRE,
    LKD_SEGMENT_WIRE_IN,
    LKD_SEGMENT_WIRE_OUT,
    LKD_SEGMENT_WAIT,
    LKD_SEGMENT_STEP,
    LKD_SEGMENT_PUBLISH,
    LKD_SEGMENT_HOLD,
    LKD_SEGMENTS,
};

/** struct lkd_segments_clock - the daemon's wall clock.
 * @synchronised:   as the kernel says
 * @utc_offset_ns:  UTC - CLOCK_MONOTONIC
 * @tai_offset_ns:  TAI - UTC; 0: not known
 * @uncertainty_ns: largest error, 0: not known */
struct lkd_segments_clock {
    bool synchronised;
    int64_t utc_offset_ns;
    int64_t tai_offset_ns;
    int64_t uncertainty_ns;
};

/** struct lkd_segments_view - the budget of a bench.
 * @claim, @bench:   its claim; 0 and "" for samples without a token
 * @segment:             histograms, read any time by the control thread
 * @false_replies:   samples that answer what was never published to them, or too long ago
 * @dropped:         negative and absurd durations
 * @uncertainty_ns:  largest of the one-way times, 0: not known */
struct lkd_segments_view {
    uint32_t claim;
    char bench[LKD_BENCH_NAME_SIZE];
    const struct lkd_histogram *segment[LKD_SEGMENTS];
    uint64_t false_replies;
    uint64_t dropped;
    int64_t uncertainty_ns;
};

/** lkd_segments_new() - nothing measured; about 1.5 MB. Thread: control. Return: 0, -ENOMEM. */
int lkd_segments_new(struct lkd_segments **ret_segments);
/** lkd_segments_free() - release; NULL is allowed. */
void lkd_segments_free(struct lkd_segments *segments);

/** lkd_segments_begin() - a run begins: forget all that was measured. Answers to what was published
 * before count no more.
 * @now_ns: CLOCK_MONOTONIC
 * Thread: control; NULL is allowed. */
void lkd_segments_begin(struct lkd_segments *segments, int64_t now_ns);

/** lkd_segments_clock() - what is known about the daemon's wall clock now; until it is said there
 * are no one-way times. Thread: exchange; NULL is allowed. */
void lkd_segments_clock(struct lkd_segments *segments, const struct lkd_segments_clock *clock);

/** lkd_segments_received() - a sample was accepted; a lkd_inputs_listener.
 * Thread: exchange, in lockstep control; @segments NULL is allowed.  RT: no (a lock held for
 * microseconds). */
lkd_inputs_listener lkd_segments_received;

/** lkd_segments_published() - an OutputSample was handed to the socket, of any stream: what it
 * shows for the first time is measured, and it can be answered.
 * @sequence, @published_ns: as in the message
 * Where the exchange thread misses the very record in which a sample first acts, the step segment
 * goes on to the one that is published. Thread: exchange, or control at the end of a run; NULL is
 * allowed.  RT: no. */
void lkd_segments_published(struct lkd_segments *segments, const struct lkd_output *output,
                            uint64_t sequence, int64_t published_ns);

/** lkd_segments_shown() - the same for outputs that travel in the reply to a StepRequest.
 * @stamps: @n_stamps of the samples that act in them
 * Thread: any but the cycle. */
void lkd_segments_shown(struct lkd_segments *segments, const struct lkd_stamp *stamps, int n_stamps,
                        int64_t computed_ns, uint64_t sequence, int64_t published_ns);

/** lkd_segments_count() - benches heard in this run.  lkd_segments_view() - the @i th of them.
 * Thread: control. */
int lkd_segments_count(struct lkd_segments *segments);
void lkd_segments_view(struct lkd_segments *segments, int i, struct lkd_segments_view *ret_view);

/** lkd_segment_between() - @to - @from, two stamps of one clock, whatever they hold.
 * Return: false where it is negative or beyond LKD_SEGMENTS_LIMIT_NS. */
bool lkd_segment_between(uint64_t from_ns, uint64_t to_ns, int64_t *ret_ns);

#endif
