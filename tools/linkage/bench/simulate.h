/* SPDX-License-Identifier: Apache-2.0 */
/* Predict the time of a step on several workers from the times of its tasks on one worker, and of
 * forks and joins. Pure arithmetic: no clock, no thread. */
#ifndef TOOLS_LINKAGE_SIMULATE_H
#define TOOLS_LINKAGE_SIMULATE_H

#define SIMULATE_WORKERS_MAX 64

/** struct simulate_phase - a phase of a step (lk_probe in linkage/linkage.h).
 * @before_ns: serial time before the phase: one worker runs, the others wait
 * @task_ns:   time of each of the @n_tasks, in order of their numbers */
struct simulate_phase {
    double before_ns;
    int n_tasks;
    const double *task_ns;
};

/** struct simulate_shared - a step in phases, as core/step/batch does them.
 * @after_ns: serial time after the last phase
 * @fork_ns:  time of a fork and a join of two workers without work between them
 * @more_ns:  additional time of a fork and a join for each worker beyond the second
 * @hand_ns:  time until data that one worker wrote reach another: paid by the other workers at the
 *            start of a phase, by the first worker after it */
struct simulate_shared {
    int n_phases;
    const struct simulate_phase *phases;
    double after_ns;
    double fork_ns;
    double more_ns;
    double hand_ns;
};

/** simulate_shared() - predict the time of a step by @n_workers. Worker k of w does tasks n k / w
 * to n (k + 1) / w - 1 of n, rounded down, whether or not that is faster; phases of fewer than
 * two tasks are not shared.
 * @n_workers: 1 to SIMULATE_WORKERS_MAX
 * Return: 0, -EINVAL (a count out of range). */
int simulate_shared(const struct simulate_shared *step, int n_workers, double *ret_step_ns);

#endif
