/* SPDX-License-Identifier: Apache-2.0 */
/* See simulate.h. The search for a split opens the heaviest subtree again and again, shares the
 * subtrees out, heaviest first to the least loaded worker (Graham's rule of 1969: at most a third
 * longer than the best share), and keeps what takes least in all. */
#include "simulate.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* subtrees a worker up to which the search goes on: it balances to about one part in as many, and
 * every further one lengthens the crown */
#define SUBTREES_EACH 8

/** struct play - scratch of one simulation.
 * @is_crown: a descendant of the node belongs to another worker
 * @ready:    upwards, when the last child of a node has been seen by its worker
 * @done:     when a node was finished
 * @free:     when each worker is through with what it did last */
struct play {
    const struct simulate_step *step;
    const int *owner;
    bool *is_crown;
    double *ready;
    double *done;
    double free[SIMULATE_WORKERS_MAX];
    bool used[SIMULATE_WORKERS_MAX];
};

static double later(double a, double b)
{
    return a > b ? a : b;
}

/* when the worker of node @to sees that node @from is done */
static double seen(const struct play *p, int from, int to)
{
    return p->done[from] + (p->owner[from] != p->owner[to] ? p->step->meeting_ns : 0);
}

static void do_node(struct play *p, int i, double ready, double cost)
{
    double *is_free = &p->free[p->owner[i]];

    *is_free = later(*is_free, ready) + cost;
    p->done[i] = *is_free;
}

static void sweep_up(struct play *p, const double *cost)
{
    const struct simulate_step *s = p->step;

    memset(p->ready, 0, (size_t)s->n_nodes * sizeof(*p->ready));
    for (int crown = 0; crown < 2; crown++) {
        for (int i = 0; i < s->n_nodes; i++) {
            int parent = s->parent[i];

            if (p->is_crown[i] != crown)
                continue;
            do_node(p, i, p->ready[i], cost[i]);
            if (parent >= 0)
                p->ready[parent] = later(p->ready[parent], seen(p, i, parent));
        }
    }
}

static void sweep_down(struct play *p, const double *cost)
{
    const struct simulate_step *s = p->step;

    for (int crown = 1; crown >= 0; crown--)
        for (int i = s->n_nodes - 1; i >= 0; i--)
            if (p->is_crown[i] == crown)
                do_node(p, i, s->parent[i] >= 0 ? seen(p, s->parent[i], i) : 0, cost[i]);
}

static void prepare(struct play *p)
{
    const struct simulate_step *s = p->step;

    memset(p->is_crown, 0, (size_t)s->n_nodes * sizeof(*p->is_crown));
    memset(p->used, 0, sizeof(p->used));
    for (int i = 0; i < s->n_nodes; i++) {
        int parent = s->parent[i];

        p->used[p->owner[i]] = true;
        if (parent >= 0)
            p->is_crown[parent] |= p->is_crown[i] || p->owner[i] != p->owner[parent];
    }
    for (int w = 0; w < SIMULATE_WORKERS_MAX; w++)
        p->free[w] = w > 0 ? s->meeting_ns : 0; /* worker 0 sends the others off */
}

static double play(struct play *p)
{
    const struct simulate_step *s = p->step;
    double end;

    prepare(p);
    for (int k = 0; k < s->n_sweeps; k++) {
        for (int i = 0; i < s->sweeps[k].times; i++) {
            sweep_up(p, s->sweeps[k].up_ns);
            sweep_down(p, s->sweeps[k].down_ns);
        }
    }
    end = p->free[0];
    for (int w = 1; w < SIMULATE_WORKERS_MAX; w++)
        if (p->used[w])
            end = later(end, p->free[w] + s->meeting_ns);
    return s->serial_ns + end;
}

static bool is_valid(const struct simulate_step *s)
{
    if (s->n_nodes < 0 || s->n_sweeps < 0)
        return false;
    for (int i = 0; i < s->n_nodes; i++)
        if (s->parent[i] != -1 && (s->parent[i] <= i || s->parent[i] >= s->n_nodes))
            return false;
    return true;
}

/* Return: 0, -ENOMEM; on either play_fini() releases */
static int play_init(struct play *p, const struct simulate_step *s, const int *owner)
{
    size_t n = (size_t)s->n_nodes + 1;

    *p = (struct play){
        .step = s,
        .owner = owner,
        .is_crown = malloc(n * sizeof(*p->is_crown)),
        .ready = malloc(n * sizeof(*p->ready)),
        .done = malloc(n * sizeof(*p->done)),
    };
    return p->is_crown && p->ready && p->done ? 0 : -ENOMEM;
}

static void play_fini(struct play *p)
{
    free(p->is_crown);
    free(p->ready);
    free(p->done);
}

int simulate_owned(const struct simulate_step *s, const int *owner, double *ret_step_ns)
{
    struct play p;
    int r;

    if (!is_valid(s))
        return -EINVAL;
    for (int i = 0; i < s->n_nodes; i++)
        if (owner[i] < 0 || owner[i] >= SIMULATE_WORKERS_MAX)
            return -EINVAL;
    r = play_init(&p, s, owner);
    if (r == 0)
        *ret_step_ns = play(&p);
    play_fini(&p);
    return r;
}

/** struct split - the search for a split.
 * @weight:    cost of each node and all below it, in a step
 * @heaviest:  heaviest child of each node, or -1
 * @open:      the node is above the subtrees that are given away
 * @subtrees:  those, heaviest first */
struct split {
    const struct simulate_step *step;
    int n_workers;
    double *weight;
    int *heaviest;
    bool *open;
    int *owner;
    int *subtrees;
    int n_subtrees;
};

static void weigh(struct split *sp)
{
    const struct simulate_step *s = sp->step;

    for (int i = 0; i < s->n_nodes; i++) {
        sp->weight[i] = 0;
        sp->heaviest[i] = -1;
        sp->open[i] = false;
    }
    for (int i = 0; i < s->n_nodes; i++) {
        int parent = s->parent[i];

        for (int k = 0; k < s->n_sweeps; k++)
            sp->weight[i] += s->sweeps[k].times * (s->sweeps[k].up_ns[i] + s->sweeps[k].down_ns[i]);
        if (parent < 0)
            continue;
        sp->weight[parent] += sp->weight[i];
        if (sp->heaviest[parent] < 0 || sp->weight[i] > sp->weight[sp->heaviest[parent]])
            sp->heaviest[parent] = i;
    }
}

static void insert_subtree(struct split *sp, int node)
{
    int at = sp->n_subtrees++;

    for (; at > 0 && sp->weight[sp->subtrees[at - 1]] < sp->weight[node]; at--)
        sp->subtrees[at] = sp->subtrees[at - 1];
    sp->subtrees[at] = node;
}

/* Return: false when no subtree is left that has parts */
static bool open_heaviest(struct split *sp)
{
    int at = 0, node;

    while (at < sp->n_subtrees && sp->heaviest[sp->subtrees[at]] < 0)
        at++;
    if (at == sp->n_subtrees)
        return false;
    node = sp->subtrees[at];
    memmove(&sp->subtrees[at], &sp->subtrees[at + 1],
            (size_t)(--sp->n_subtrees - at) * sizeof(*sp->subtrees));
    sp->open[node] = true;
    for (int i = 0; i < node; i++)
        if (sp->step->parent[i] == node)
            insert_subtree(sp, i);
    return true;
}

/* subtrees to workers, all below them likewise, the crown after its heaviest children */
static void share_out(struct split *sp)
{
    double load[SIMULATE_WORKERS_MAX] = {0};

    for (int k = 0; k < sp->n_subtrees; k++) {
        int least = 0;

        for (int w = 1; w < sp->n_workers; w++)
            if (load[w] < load[least])
                least = w;
        sp->owner[sp->subtrees[k]] = least;
        load[least] += sp->weight[sp->subtrees[k]];
    }
    for (int i = 0; i < sp->step->n_nodes; i++)
        if (sp->open[i])
            sp->owner[i] = sp->owner[sp->heaviest[i]];
    for (int i = sp->step->n_nodes - 1; i >= 0; i--) {
        int parent = sp->step->parent[i];

        if (parent >= 0 && !sp->open[parent])
            sp->owner[i] = sp->owner[parent];
    }
}

static int count_used(const struct play *p)
{
    int n = 0;

    for (int w = 0; w < SIMULATE_WORKERS_MAX; w++)
        n += p->used[w];
    return n > 0 ? n : 1;
}

static void search(struct split *sp, struct play *p, struct simulate_result *ret)
{
    bool more = true;

    weigh(sp);
    memset(sp->owner, 0, (size_t)sp->step->n_nodes * sizeof(*sp->owner));
    *ret = (struct simulate_result){.step_ns = play(p), .n_workers = 1};
    for (int i = 0; i < sp->step->n_nodes; i++)
        if (sp->step->parent[i] < 0)
            insert_subtree(sp, i);
    while (more && sp->n_workers > 1) {
        double time;

        share_out(sp);
        time = play(p);
        if (time < ret->step_ns)
            *ret = (struct simulate_result){time, count_used(p), sp->n_subtrees};
        more = sp->n_subtrees < SUBTREES_EACH * sp->n_workers && open_heaviest(sp);
    }
}

static void split_fini(struct split *sp)
{
    free(sp->weight);
    free(sp->heaviest);
    free(sp->open);
    free(sp->owner);
    free(sp->subtrees);
}

int simulate_schedule(const struct simulate_step *s, int n_workers,
                      struct simulate_result *ret_result)
{
    size_t n = s->n_nodes > 0 ? (size_t)s->n_nodes : 1;
    struct split sp;
    struct play p;
    int r;

    if (!is_valid(s) || n_workers < 1 || n_workers > SIMULATE_WORKERS_MAX)
        return -EINVAL;
    sp = (struct split){
        .step = s,
        .n_workers = n_workers,
        .weight = malloc(n * sizeof(*sp.weight)),
        .heaviest = malloc(n * sizeof(*sp.heaviest)),
        .open = malloc(n * sizeof(*sp.open)),
        .owner = malloc(n * sizeof(*sp.owner)),
        .subtrees = malloc(n * sizeof(*sp.subtrees)),
    };
    r = play_init(&p, s, sp.owner);
    if (r == 0 && sp.weight && sp.heaviest && sp.open && sp.owner && sp.subtrees)
        search(&sp, &p, ret_result);
    else
        r = -ENOMEM;
    play_fini(&p);
    split_fini(&sp);
    return r;
}

/* ---- phases ---- */

static double sum_of_tasks(const struct simulate_phase *phase, int first, int end)
{
    double sum = 0;

    for (int t = first; t < end; t++)
        sum += phase->task_ns[t];
    return sum;
}

static bool is_shared(const struct simulate_phase *phase, int workers)
{
    return workers > 1 && phase->n_tasks > 1;
}

/* The first worker gives the order and begins at once; the others begin when they have seen it, and
 * the first sees in turn that they are done: between the two lies all of a fork and a join. */
static double phase_time(const struct simulate_shared *s, const struct simulate_phase *phase,
                         int workers)
{
    double others_ns = s->fork_ns + s->more_ns * (workers - 2) + s->hand_ns, time = 0;
    int n = phase->n_tasks;

    if (!is_shared(phase, workers))
        return sum_of_tasks(phase, 0, n);
    for (int k = 0; k < workers; k++)
        time = later(time, sum_of_tasks(phase, n * k / workers, n * (k + 1) / workers) +
                               (k > 0 ? others_ns : 0));
    return time + s->hand_ns;
}

int simulate_shared(const struct simulate_shared *s, int n_workers, double *ret_step_ns)
{
    double time = s->after_ns;

    if (n_workers < 1 || n_workers > SIMULATE_WORKERS_MAX || s->n_phases < 0)
        return -EINVAL;
    for (int i = 0; i < s->n_phases; i++)
        if (s->phases[i].n_tasks < 0)
            return -EINVAL;
    for (int i = 0; i < s->n_phases; i++)
        time += s->phases[i].before_ns + phase_time(s, &s->phases[i], n_workers);
    *ret_step_ns = time;
    return 0;
}
