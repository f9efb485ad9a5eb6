/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/pace.h"
#include "analysis/findings.h"
#include "compile/fastest.h"
#include "linkage/state.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SETTLING 5     /* steps after a blow: the first ones are predicted from the motion before */
#define ROUNDOFF 1e-14 /* of positions, in increments; and of the way of a step */

/* ---- the motion ---- */

static int find_joint(const struct lk_system *sys, const char *name)
{
    for (int i = 0; i < sys->n_named_joints; i++)
        if (strcmp(sys->joint_name[i], name) == 0)
            return i;
    return -1;
}

static int give_rate(struct lk_system *sys, const struct lk_pace_rate *rate,
                     struct lk_error *ret_error)
{
    int i = find_joint(sys, rate->joint);
    bool has_coordinate = i >= 0 && lk_joint_traits[sys->joint[i].type].n_coordinates > 0;

    if (has_coordinate && lk_blow_to_rate(sys, i, rate->rate))
        return 0;
    lk_error_set(ret_error, "rate of '%s': %s; expected a joint with a coordinate that can move",
                 rate->joint,
                 i < 0            ? "there is no such joint"
                 : has_coordinate ? "nothing can move it"
                                  : "it has no coordinate");
    return -ENOENT;
}

/* ---- what is there ---- */

#define STILL 1e-9 /* [rad] a step */

/* the bodies that turn most, the fastest first */
static void find_turns(const struct lk_system *sys, struct lk_pace *p)
{
    for (int b = 0; b < sys->n_named_bodies; b++) {
        double turn = lk_norm(sys->now.motion[b].v.w) * sys->h;
        int at = p->n_turns;

        if (!(turn > STILL))
            continue;
        while (at > 0 && p->turn[at - 1].turn < turn)
            at--;
        if (at == LK_PACE_TURNS)
            continue;
        p->n_turns += p->n_turns < LK_PACE_TURNS;
        for (int i = p->n_turns - 1; i > at; i--)
            p->turn[i] = p->turn[i - 1];
        p->turn[at] = (struct lk_pace_turn){b, turn};
    }
}

#define SLOW 1e-6 /* [rad] a step: nothing that matters */

static void set_mode(struct lk_pace_mode *mode, double h, double rate, const char *where)
{
    mode->rate = rate * h > SLOW ? rate : 0;
    snprintf(mode->where, sizeof(mode->where), "%s", mode->rate > 0 ? where : "");
}

static void find_modes(const struct lk_model *m, struct lk_system *sys, struct lk_pace *p)
{
    int law = 0, b = 0;
    double rate;

    lk_start_renew(sys);
    if (sys->n_laws > 0) {
        rate = lk_fastest_spring(sys, &law);
        set_mode(&p->spring, sys->h, rate, lk_fastest_law_name(sys, m, law, 0));
        rate = lk_fastest_decay(sys, &law);
        set_mode(&p->damper, sys->h, rate, lk_fastest_law_name(sys, m, law, 1));
    }
    rate = lk_fastest_nutation(sys, &b);
    set_mode(&p->nutation, sys->h, rate, m->bodies[b].name);
    rate = lk_fastest_swing(sys, &b);
    set_mode(&p->swing, sys->h, rate, m->bodies[b].name);
}

/* ---- a step, with one iteration, two, ... ---- */

static void set_iterations(struct lk_system *sys, int n)
{
    sys->iterations = n;
    for (int k = 0; k < sys->n_sequences - 1; k++)
        sys->sequence[k]->iterations = n;
}

static double way_of(const struct lk_system *sys)
{
    double largest = 0;

    for (int b = 0; b < sys->n_named_bodies; b++) {
        const struct lk_motion *m = &sys->now.motion[b];

        largest = fmax(largest, fmax(lk_norm(m->v.v), lk_norm(m->v.w)));
    }
    return sys->h * largest;
}

/** struct trial - what a step from here begins with. @bytes: the state;  @inputs: initial ones */
struct trial {
    void *bytes;
    size_t size;
    double *inputs;
};

static int go_back(struct lk_system *sys, const struct trial *t)
{
    struct lk_error error;

    return lk_system_state_set(sys, t->bytes, t->size, &error);
}

/* By how much increments shrink from one to the next, down to the first at round-off. The first
 * increment is none of them: it leaves what the regularisation of rows leaves, see
 * lk_rattle_leaks(). */
static double contraction_of(const struct lk_pace *p, double floor)
{
    int first = p->n > 2 ? 1 : 0, last = first;

    while (last + 1 < p->n && p->increment[last] > floor)
        last++;
    return last > first ? pow(p->increment[last] / p->increment[first], 1.0 / (last - first)) : 0;
}

/* An increment leaves what the next ones take away, after the last one a geometric series. */
static int iterations_for(const struct lk_pace *p, double bound)
{
    double c = p->contraction, left = p->increment[p->n - 1];

    for (int k = 1; k < p->n; k++)
        if (p->increment[k] <= bound)
            return k;
    if (!(c < 1))
        return 0;
    left *= c / (1 - c);
    return p->n + (left > bound ? (int)ceil(log(bound / left) / log(c)) : 0);
}

/* Return: what the step returned with all its iterations. */
static int measure(struct lk_system *sys, const struct trial *t, struct lk_pace *p)
{
    int n = sys->iterations, r = 0;
    double floor;

    p->way = way_of(sys);
    for (int k = 1; k <= n && k <= LK_PACE_INCREMENTS; k++) {
        struct lk_health health;

        set_iterations(sys, k);
        r = lk_system_step(sys, t->inputs);
        lk_system_health(sys, &health);
        p->way = fmax(p->way, way_of(sys));
        p->increment[k - 1] = r == 0 ? health.increment : p->way; /* too few of them may fail */
        go_back(sys, t);
    }
    set_iterations(sys, n);
    floor = ROUNDOFF * fmax(1, p->way);
    p->n = r == 0 ? n : 0;
    p->contraction = contraction_of(p, floor);
    p->needed = p->n > 0 ? iterations_for(p, fmax(LK_PACE_SHARE * p->way, 10 * floor)) : 0;
    return r;
}

static void judge_failure(const struct lk_system *sys, const struct lk_pace *p,
                          struct lk_inspection *in)
{
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    if (p->status != LK_E_TURN || p->n_turns == 0) {
        lk_finding_add(in, "step-fails", "model",
                       "a step of this motion fails; expected a smaller step");
        return;
    }
    snprintf(where, sizeof(where), "body %s", sys->body_name[p->turn[0].body]);
    f = lk_finding_add(in, "step-fails", where,
                       "turns by %.3g rad a step: a step of half a turn or more fails; expected a "
                       "step of at most %.2g s",
                       p->turn[0].turn, 0.9 * M_PI * sys->h / p->turn[0].turn);
    lk_finding_number(f, "angle_a_step", "rad", p->turn[0].turn);
}

static void judge_iterations(const struct lk_system *sys, const struct lk_pace *p,
                             struct lk_inspection *in)
{
    struct lk_finding *f;

    if (p->n == 0 || (p->needed > 0 && p->needed <= sys->iterations))
        return;
    if (p->needed == 0)
        f = lk_finding_add(in, "too-few-iterations", "model",
                           "the increments of a step do not get smaller (by %.2g each): no number "
                           "of iterations is enough; expected a smaller step",
                           p->contraction);
    else
        f = lk_finding_add(in, "too-few-iterations", "model",
                           "%d iterations leave more than %g of the way of a step; expected "
                           "iterations: %d, or a smaller step",
                           sys->iterations, LK_PACE_SHARE, p->needed);
    lk_finding_number(f, "contraction", "1", p->contraction);
    lk_finding_number(f, "needed", "1", p->needed);
}

static int take_trial(const struct lk_system *sys, struct trial *t)
{
    int n;
    const struct lk_channel *inputs = lk_system_input_channels(sys, &n);

    t->size = lk_system_state_size(sys);
    t->bytes = malloc(t->size);
    t->inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));
    for (int i = 0; i < n && t->inputs; i++)
        for (int k = 0; k < inputs[i].size; k++)
            t->inputs[inputs[i].offset + k] = inputs[i].initial;
    return t->bytes && t->inputs ? 0 : -ENOMEM;
}

static int settle(struct lk_system *sys, const struct trial *t)
{
    int r = 0;

    lk_start_begin(sys);
    for (int i = 0; i < SETTLING && r == 0; i++)
        r = lk_system_step(sys, t->inputs);
    return r;
}

int lk_pace_init(const struct lk_model *model, struct lk_system *sys,
                 const struct lk_pace_rate *rates, int n, struct lk_findings *findings,
                 struct lk_pace *ret_pace, struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    struct lk_inspection in = {.model = model, .sys = sys, .found = *findings, .room = findings->n};
    struct lk_pace pace = {.h = sys->h};
    struct trial t = {0};
    int r = take_trial(sys, &t);

    for (int i = 0; i < n && r == 0; i++)
        r = give_rate(sys, &rates[i], ret_error);
    if (r == 0 && n > 0)
        pace.status = settle(sys, &t);
    if (r == 0) {
        lk_system_state_get(sys, t.bytes);
        find_turns(sys, &pace);
        find_modes(model, sys, &pace);
        go_back(sys, &t);
        if (pace.status == 0 && !sys->formulation->is_explicit)
            pace.status = measure(sys, &t, &pace);
        (pace.status == 0 ? judge_iterations : judge_failure)(sys, &pace, &in);
        r = in.result;
        *findings = in.found;
        *ret_pace = pace;
    }
    lk_system_reset(sys);
    free(t.bytes);
    free(t.inputs);
    return r;
}
