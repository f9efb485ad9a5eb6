/* SPDX-License-Identifier: Apache-2.0 */
/* The step on more workers, on paper, twice.
 *
 * As the library does it: phases of tasks, each with the time that it was measured to take, forks
 * and joins between them.
 *
 * As the tree alone would allow: the measured time on one worker is shared out over the fronts of
 * the elimination tree by the modelled work, then simulate.h plays the sweeps. A step is iterations
 * + 2 sweeps. Two of them factor on their way up, too: the first iteration and the velocity
 * projection. A front's way up assembles (rows of its joints, elements of its bodies, factor,
 * right-hand side), its way down disassembles and moves its bodies. Work that is done once a step,
 * not once a sweep, is shared out evenly over the sweeps. */
#include "bench.h"
#include "simulate.h"

#include "linkage/analysis.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>

/* a line that the caller fetches from each worker's core, one after another */
#define MORE_NS 100.0
/* lines, one after another, that who takes over waits for before the processor finds several at a
 * time: what the order points to, what that points to, and the first of the values. Without them
 * the prediction for two workers is a fifth too short wherever phases are of a few us. */
#define HAND_LINES 3

/** struct shares - costs of every front [ns]. */
struct shares {
    int *parent;
    double *factor_up;
    double *solve_up;
    double *down;
};

static int shares_init(struct shares *s, int n)
{
    size_t size = (size_t)n + 1;

    s->parent = malloc(size * sizeof(*s->parent));
    s->factor_up = malloc(size * sizeof(*s->factor_up));
    s->solve_up = malloc(size * sizeof(*s->solve_up));
    s->down = malloc(size * sizeof(*s->down));
    return s->parent && s->factor_up && s->solve_up && s->down ? 0 : -ENOMEM;
}

static void shares_fini(struct shares *s)
{
    free(s->parent);
    free(s->factor_up);
    free(s->solve_up);
    free(s->down);
}

/* @ns: of one operation; @sweeps of the step */
static void share_out(const struct lk_tree_view *view, const struct bench_work *work, double rows,
                      double bodies, double ns, int sweeps, struct shares *ret)
{
    double of_body = bodies > 0 ? work->bodies.flops / bodies / sweeps : 0;
    double of_row = rows > 0 ? work->joints.flops / rows / sweeps : 0;
    double of_element = bodies > 0 ? work->elements.flops / bodies / 2 : 0;

    for (int i = 0; i < view->n_fronts; i++) {
        const struct lk_tree_front *f = &view->fronts[i];
        double e = f->rows_eliminated, r = f->rows_remaining;

        ret->parent[i] = f->parent;
        ret->solve_up[i] = ns * (of_row * e + bench_forward_flops(e, r));
        ret->factor_up[i] =
            ret->solve_up[i] + ns * (of_element * f->n_bodies + bench_factor_flops(e, r));
        ret->down[i] = ns * (of_body * f->n_bodies + bench_backward_flops(e, r));
    }
}

static double sum_of(const double *values, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += values[i];
    return sum;
}

static int play_all(const struct lk_tree_view *view, struct bench_result *result, double meeting_ns,
                    const struct shares *shares)
{
    int solves = result->work.iterations + 2, n = view->n_fronts, r = 0;
    const struct simulate_sweep sweeps[] = {
        {shares->factor_up, shares->down, 2},
        {shares->solve_up, shares->down, solves - 2},
    };
    double in_tree = 2 * sum_of(shares->factor_up, n) + (solves - 2) * sum_of(shares->solve_up, n) +
                     solves * sum_of(shares->down, n);
    const struct simulate_step step = {
        .n_nodes = n,
        .parent = shares->parent,
        .n_sweeps = 2,
        .sweeps = sweeps,
        .meeting_ns = meeting_ns,
        /* bodies that nothing holds, and solves that inputs ask for */
        .serial_ns = fmax(result->times[0].median_ns - in_tree, 0),
    };

    for (int w = 1; w <= BENCH_WORKERS_MAX && r == 0; w++) {
        struct simulate_result played;

        r = simulate_schedule(&step, w, &played);
        if (r == 0)
            result->tree_ns[w - 1] = played.step_ns;
    }
    return r;
}

int bench_curve(double fork_ns, double meeting_ns, struct bench_result *result)
{
    const struct bench_profile *p = &result->profile;
    const struct simulate_shared step = {
        .n_phases = p->n_phases,
        .phases = p->phases,
        .after_ns = p->after_ns,
        .fork_ns = fork_ns,
        .more_ns = MORE_NS,
        .hand_ns = HAND_LINES * meeting_ns,
    };
    int r = 0;

    for (int w = 1; w <= BENCH_WORKERS_MAX && r == 0; w++)
        r = simulate_shared(&step, w, &result->curve_ns[w - 1]);
    result->has_curve = r == 0;
    return r;
}

int bench_tree_curve(const struct lk_system *system, double meeting_ns, struct bench_result *result)
{
    const struct lk_summary *s = &result->summary;
    struct lk_tree_view view;
    struct shares shares = {0};
    int r;

    if (!result->work.is_known || result->work.total.flops <= 0)
        return 0;
    r = lk_tree_view_init(system, &view);
    if (r != 0)
        return r;
    r = shares_init(&shares, view.n_fronts);
    if (r == 0) {
        share_out(&view, &result->work, s->n_rows_rigid + s->n_rows_compliant,
                  s->n_bodies - s->n_split + s->n_parts,
                  result->times[0].median_ns / result->work.total.flops,
                  result->work.iterations + 2, &shares);
        r = play_all(&view, result, meeting_ns, &shares);
    }
    shares_fini(&shares);
    lk_tree_view_fini(&view);
    return r;
}
