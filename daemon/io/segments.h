/* SPDX-License-Identifier: Apache-2.0 */
/* The latency budget: round trips of benches, divided into segments.
 *
 *     bench      |  hold  |                                                      | hold |
 *     wire  out  ^        v  in                                             out  ^
 *     daemon    publish   received ..wait.. latched ..step.. computed ..publish..
 *
 * wait, step and publish are differences on the daemon's own clock (CLOCK_MONOTONIC). The time on
 * the wire in both directions needs no clock synchronised with the bench. It needs only the time
 * from the receipt of a sample at the bench to the answer. The bench measures this time with its
 * own clock.
 *
 *     hold = origin - reply_received            wire = received - published - hold
 *
 * The sample that a bench answers must have been published: the last publications are stored, and a
 * reply to any other sample is counted as false and not measured. Only the first answer to a
 * publication is measured. A negative or too long duration is dropped and counted.
 *
 * One-way times exist only if both clocks are wall clocks (UTC or TAI) and report that they are
 * synchronised. A time that is negative within the uncertainty of both clocks counts as zero.
 *
 * Threads that receive or publish samples write the histograms under a lock. Readers do not need
 * the lock. The cycle neither reads nor writes them. */
#ifndef LKD_IO_SEGMENTS_H
#define LKD_IO_SEGMENTS_H

#include "cycle_types.h"
#include "histogram.h"
#include "inputs.h"

#define LKD_SEGMENTS_LIMIT_NS INT64_C(10000000000) /* a longer segment is invalid */
#define LKD_SEGMENTS_KEPT     16384 /* stored publications: 16 s at 1 kHz, 0.8 s at 20 kHz */

struct lkd_segments;

/** enum lkd_segment - segments of a round trip, see LatencyBudget in linkage.proto. */
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
 * @synchronised:   according to the kernel
 * @utc_offset_ns:  UTC - CLOCK_MONOTONIC
 * @tai_offset_ns:  TAI - UTC; 0: not known
 * @uncertainty_ns: largest error, 0: not known */
struct lkd_segments_clock {
    bool synchronised;
    int64_t utc_offset_ns;
    int64_t tai_offset_ns;
    int64_t uncertainty_ns;
};

/** struct lkd_segments_view - latency budget of a bench.
 * @claim:          number of its claim
 * @bench:          name of the bench; claim 0 and name "" for samples without a token
 * @segment:        histograms; the control thread may read them at any time
 * @false_replies:  number of answers to a publication that never existed or is too old
 * @dropped:        number of negative and too long durations
 * @uncertainty_ns: largest uncertainty of the one-way times, 0: not known */
struct lkd_segments_view {
    uint32_t claim;
    char bench[LKD_BENCH_NAME_SIZE];
    const struct lkd_histogram *segment[LKD_SEGMENTS];
    uint64_t false_replies;
    uint64_t dropped;
    int64_t uncertainty_ns;
};

/** lkd_segments_new() - Create an empty object of about 1.5 MB.
 * Thread: control.
 * Return: 0, -ENOMEM. */
int lkd_segments_new(struct lkd_segments **ret_segments);
/** lkd_segments_free() - Release @segments, which may be NULL. */
void lkd_segments_free(struct lkd_segments *segments);

/** lkd_segments_begin() - Clear all measurements at the begin of a run. Answers to earlier
 * publications no longer count.
 * @now_ns: CLOCK_MONOTONIC
 * Thread: control; @segments may be NULL. */
void lkd_segments_begin(struct lkd_segments *segments, int64_t now_ns);

/** lkd_segments_clock() - Set the present state of the daemon's wall clock. One-way times are
 * measured only after the first call.
 * Thread: exchange; @segments may be NULL. */
void lkd_segments_clock(struct lkd_segments *segments, const struct lkd_segments_clock *clock);

/** lkd_segments_received() - Measure an accepted sample; a lkd_inputs_listener. @segments may be
 * NULL.
 * Thread: exchange, or control in lockstep.  RT: no (a lock held for microseconds). */
lkd_inputs_listener lkd_segments_received;

/** lkd_segments_published() - Register an OutputSample, or the sample of a stream, that was sent.
 * Input samples that it echoes for the first time are measured, and benches can answer it. If the
 * exchange thread misses the record in which an input sample first acts, the step segment extends
 * to the published record.
 * @sequence, @published_ns: values in the message
 * Thread: exchange, or control at the end of a run; @segments may be NULL.  RT: no. */
void lkd_segments_published(struct lkd_segments *segments, const struct lkd_output *output,
                            uint64_t sequence, int64_t published_ns);

/** lkd_segments_shown() - Register outputs that were sent in the reply to a StepRequest.
 * @stamps: @n_stamps stamps of the input samples that act in these outputs
 * Thread: any but the cycle. */
void lkd_segments_shown(struct lkd_segments *segments, const struct lkd_stamp *stamps, int n_stamps,
                        int64_t computed_ns, uint64_t sequence, int64_t published_ns);

/** lkd_segments_count() - Return the number of benches measured in this run.
 * lkd_segments_view() - Return the budget of bench @i.
 * Thread: control. */
int lkd_segments_count(struct lkd_segments *segments);
void lkd_segments_view(struct lkd_segments *segments, int i, struct lkd_segments_view *ret_view);

/** lkd_segment_between() - Compute @to_ns - @from_ns, two unchecked stamps of one clock.
 * Return: false if the difference is negative or beyond LKD_SEGMENTS_LIMIT_NS. */
bool lkd_segment_between(uint64_t from_ns, uint64_t to_ns, int64_t *ret_ns);

#endif
