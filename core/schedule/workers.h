/* SPDX-License-Identifier: Apache-2.0 */
/* How many workers a step pays for. */
#ifndef LK_SCHEDULE_WORKERS_H
#define LK_SCHEDULE_WORKERS_H

#define LK_PHASES_MAX 64

/* [ns] What a fork and a join cost a step: two hand-offs of up to half a microsecond, and the lines
 * that change cores with them (chain of 128 links, two workers: 1.1 to 2 us a phase more than half of
 * the work); and what each worker beyond the second adds, whose lane the caller has to fetch. */
#define LK_MEETING_NS      2000.0
#define LK_MEETING_MORE_NS 100.0

/** struct lk_phase_cost - a phase that workers share. @work_ns: of one worker alone;  @largest_ns:
 * largest piece of it that is not divided */
struct lk_phase_cost {
    double work_ns;
    double largest_ns;
};

/** struct lk_step_cost - a step as a crew sees it. @serial_ns: what one worker does while the
 * others wait;  @n_phases: 0 for a step that is not divided */
struct lk_step_cost {
    double serial_ns;
    int n_phases;
    struct lk_phase_cost phase[LK_PHASES_MAX];
};

/** lk_workers_time() - predicted time of a step by @n_workers [ns]. */
double lk_workers_time(const struct lk_step_cost *cost, int n_workers);

/** lk_workers_useful() - how many workers @cost pays for: the fewest that come within a twentieth
 * of the shortest time that up to @n_max reach, and 1 unless that saves a tenth.
 * Return: 1 to @n_max. */
int lk_workers_useful(const struct lk_step_cost *cost, int n_max);

#endif
