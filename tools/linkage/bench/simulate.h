/* SPDX-License-Identifier: Apache-2.0 */
/* What a step would take on so many workers: the static split of subtrees, played through on paper.
 *
 * A step is a number of sweeps over a tree, up (children before parents) and down again. Subtrees
 * belong to workers; the nodes above them, the crown, to the worker of their heaviest child. Each
 * worker goes through its own subtrees and then through its crown nodes as they become ready. Where
 * a node waits for a node of another worker, and where worker 0 sends the others off and waits for
 * them at the end of the step, a meeting is paid. Pure arithmetic: no clock, no thread. */
#ifndef TOOLS_LINKAGE_SIMULATE_H
#define TOOLS_LINKAGE_SIMULATE_H

#define SIMULATE_WORKERS_MAX 64

/** struct simulate_sweep - one kind of sweep. @up_ns, @down_ns: cost of every node [ns], >= 0;
 * @times: sweeps of this kind in a step */
struct simulate_sweep {
    const double *up_ns;
    const double *down_ns;
    int times;
};

/** struct simulate_step - all that the time of a step depends on but the workers.
 * @parent:     of every node, above its own index; -1 for a root
 * @sweeps:     in the order in which they are made
 * @meeting_ns: from a write on one worker until another has seen it
 * @serial_ns:  work of a step that only one worker can do */
struct simulate_step {
    int n_nodes;
    const int *parent;
    int n_sweeps;
    const struct simulate_sweep *sweeps;
    double meeting_ns;
    double serial_ns;
};

/** struct simulate_result - the best split that was found. @n_workers: that have work in it, which
 * may be fewer than there are;  @n_subtrees: that were given away as a whole */
struct simulate_result {
    double step_ns;
    int n_workers;
    int n_subtrees;
};

/** simulate_schedule() - split for at most @n_workers workers and predict the time of a step. All
 * on one worker is among the splits that are tried, so more workers never take longer than one.
 * @n_workers: 1 to SIMULATE_WORKERS_MAX
 * Return: 0, -EINVAL (a parent that is not above its node, a count out of range), -ENOMEM. */
int simulate_schedule(const struct simulate_step *step, int n_workers,
                      struct simulate_result *ret_result);

/** simulate_owned() - predict the time of a step for a split that is given.
 * @owner: worker of every node, 0 to SIMULATE_WORKERS_MAX - 1
 * Return: as simulate_schedule(). */
int simulate_owned(const struct simulate_step *step, const int *owner, double *ret_step_ns);

/** struct simulate_phase - of a step that is shared out phase by phase (lk_probe in
 * linkage/linkage.h).
 * @before_ns: what one worker does before the phase, while the others wait
 * @task_ns:   of each of the @n_tasks, in the order in which they are numbered */
struct simulate_phase {
    double before_ns;
    int n_tasks;
    const double *task_ns;
};

/** struct simulate_shared - a step in phases, as core/batch does them.
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
