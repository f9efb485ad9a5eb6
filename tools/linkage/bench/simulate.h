/* SPDX-License-Identifier: Apache-2.0 */
/* What a step would take on so many workers, on paper: phases of tasks, each with the time that it
 * takes one worker, and forks and joins between them. Pure arithmetic: no clock, no thread. */
#ifndef TOOLS_LINKAGE_SIMULATE_H
#define TOOLS_LINKAGE_SIMULATE_H

#define SIMULATE_WORKERS_MAX 64

/** struct simulate_phase - of a step that is shared out phase by phase (lk_probe in
 * linkage/linkage.h).
 * @before_ns: what one worker does before the phase, while the others wait
 * @task_ns:   of each of the @n_tasks, in the order in which they are numbered */
struct simulate_phase {
    double before_ns;
    int n_tasks;
    const double *task_ns;
};

/** struct simulate_shared - a step in phases, as core/step/batch does them.
 * @after_ns: what one worker does after the last phase
 * @fork_ns:  of a fork and a join of two workers without work between them
 * @more_ns:  what a fork and a join take longer for each worker beyond the second
 * @hand_ns:  how long who goes on with what another worker wrote waits for it: the others at the
 *            beginning of a phase, the first worker after it */
struct simulate_shared {
    int n_phases;
    const struct simulate_phase *phases;
    double after_ns;
    double fork_ns;
    double more_ns;
    double hand_ns;
};

/** simulate_shared() - predict the time of a step by @n_workers. Worker k of w does tasks n k / w
 * to n (k + 1) / w - 1 of n, fractions dropped, whether that pays or not; phases of fewer than two
 * tasks are not shared.
 * @n_workers: 1 to SIMULATE_WORKERS_MAX
 * Return: 0, -EINVAL (a count out of range). */
int simulate_shared(const struct simulate_shared *step, int n_workers, double *ret_step_ns);

#endif
