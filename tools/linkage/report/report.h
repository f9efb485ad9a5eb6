/* SPDX-License-Identifier: Apache-2.0 */
/* linkage report: a recording as one page that can be signed. Data flow:
 *
 *     gather.c  recording      -> struct gathered: durations of each cycle, misses, events
 *     judge.c   struct gathered -> struct verdict: whether every deadline was met, and why not
 *     page.c    both           -> HTML, with pictures by plot/draw.c
 *     report.c  options, attachments, PDF by chromium */
#ifndef TOOLS_LINKAGE_REPORT_H
#define TOOLS_LINKAGE_REPORT_H

#include "recordings/recorded.h"
#include <stdbool.h>
#include <stdio.h>

#define REASONS_MAX 12
#define REASON_SIZE 160

/** enum gathered_kind - durations of a cycle from its grid point [us].
 * WAKEUP: until the thread woke up;  COMPUTATION: from there until the outputs were computed;
 * RESPONSE: both */
enum gathered_kind { GATHERED_WAKEUP, GATHERED_COMPUTATION, GATHERED_RESPONSE, GATHERED_KINDS };

/** struct missed - a cycle that ended after its period.
 * @behind: the previous cycle was still running at its grid point */
struct missed {
    struct lk_recording_cycle cycle;
    bool behind;
};

struct gathered_event {
    struct lk_recording_event event;
    uint64_t utc_ns;
};

/** struct gathered - contents of a recording.
 * @value:       durations of each cycle [us];  @time: simulated time of each cycle [s]
 * @n_degraded, @n_stale, @n_tripped, @n_injected: cycles with this flag
 * @n_missed:    cycles whose outputs were computed after the period, or after which the daemon
 *               counted an overrun; @missed has the first MISSED_MAX of them
 * @trouble:     why the daemon gave up recording; "": it did not
 * @last:        the last cycle;  @is_whole: the file is complete */
#define MISSED_MAX 1000
struct gathered {
    double period_us;
    size_t n;
    size_t room;
    double *value[GATHERED_KINDS];
    double *time;
    uint64_t n_degraded;
    uint64_t n_stale;
    uint64_t n_tripped;
    uint64_t n_injected;
    uint64_t n_fault;
    uint64_t n_missed;
    struct missed *missed;
    size_t n_events;
    struct gathered_event *event;
    uint64_t first_utc_ns;
    uint64_t last_utc_ns;
    struct lk_recording_cycle last;
    bool is_whole;
    char mode[32];
    char trouble[REASON_SIZE];
    char dropped[3][32];
};

/** gather() - Read a recording to its end. Return: false after an error message. Release in either
 * case. */
bool gather(struct recorded *file, struct gathered *ret);
void gathered_fini(struct gathered *gathered);

/** struct verdict - @is_met: every deadline was met, and the recording proves it
 * @against: reasons why not;  @reserved: reservations that a reader must know */
struct verdict {
    bool is_met;
    int n_against;
    char against[REASONS_MAX][REASON_SIZE];
    int n_reserved;
    char reserved[REASONS_MAX][REASON_SIZE];
};

void judge(const struct gathered *gathered, struct verdict *ret);

/** write_page() - Write the report.
 * @attached: @n_attached files: text, or PNG
 * Return: false after an error message. */
bool write_page(FILE *to, const struct recorded *file, const struct gathered *gathered,
                const struct verdict *verdict, const char *const *attached, int n_attached);

#endif
