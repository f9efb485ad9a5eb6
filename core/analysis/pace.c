/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/pace.h"
#include "analysis/findings.h"
#include "compile/fastest.h"
#include "compile/fill.h"
#include "linkage/energy.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/one/evaluate.h"
#include "step/scripts/step.h"
#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* steps after a blow in which the prediction still depends on the motion before the blow */
#define SETTLING 5
/* round-off of increments, relative to positions and to the displacement in a step */
#define ROUNDOFF 1e-14

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

/* ---- rotations and modes ---- */

#define STILL 1e-9 /* largest rotation in a step that is ignored [rad] */

/* Find the bodies that turn most, the fastest first. */
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

#define SLOW 1e-6 /* phase of a mode in a step that is negligible [rad] */

static void set_mode(struct lk_pace_mode *mode, double h, double rate, const char *where)
{
    mode->rate = rate * h > SLOW ? rate : 0;
    snprintf(mode->where, sizeof(mode->where), "%s", mode->rate > 0 ? where : "");
}

/* Find the fastest modes. Return: 0 or -ENOMEM */
static int find_modes(const struct lk_model *m, struct lk_system *sys, struct lk_pace *p)
{
    int law = 0, b = 0, r;
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
    r = lk_fastest_swing(sys, &rate, &b);
    if (r == 0)
        set_mode(&p->swing, sys->h, rate, m->bodies[b].name);
    return r;
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

/** struct trial - start of a trial step. @block: state;  @inputs: inputs of the step */
struct trial {
    double *block;
    double *inputs;
};

static void keep_state(const struct lk_system *sys, struct trial *t)
{
    memcpy(t->block, sys->now.block, sys->state_size * sizeof(double));
}

/* Restore the start of a trial. lk_system_state_set() would refuse a state with another number
 * of iterations. */
static void go_back(struct lk_system *sys, const struct trial *t)
{
    memcpy(sys->now.block, t->block, sys->state_size * sizeof(double));
    lk_start_resume(sys);
}

/* Return the mean ratio of successive increments, down to the first increment at round-off. The
 * first increment is excluded because it contains the error of the regularisation, see
 * lk_rattle_leaks(). */
static double contraction_of(const struct lk_pace *p, double floor)
{
    int first = p->n > 2 ? 1 : 0, last = first;

    while (last + 1 < p->n && p->increment[last] > floor)
        last++;
    return last > first ? pow(p->increment[last] / p->increment[first], 1.0 / (last - first)) : 0;
}

/* Return the number of iterations with an error of at most @bound. The error after an increment is
 * the sum of all later increments; after the last increment, the sum of a geometric series. */
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

/* Measure the increments of a step. Return: result of the step with all its iterations. */
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
        p->increment[k - 1] = r == 0 ? health.increment : p->way; /* a step with too few iterations
                                                                   * may fail */
        go_back(sys, t);
    }
    set_iterations(sys, n);
    floor = ROUNDOFF * fmax(1, p->way);
    p->n = r == 0 ? n : 0;
    p->contraction = contraction_of(p, floor);
    p->needed = p->n > 0 ? iterations_for(p, fmax(LK_PACE_SHARE * p->way, 10 * floor)) : 0;
    return r;
}

/* ---- steps ahead, with random inputs ---- */

#define STRETCH 8 /* steps in which each input moves in one direction */
/* the first steps are measured: a drive responds to its input one step later */
#define MEASURED 2

/* Move each scalar of the inputs with limits towards one of the limits, as fast as its rate allows.
 * @chance: random bits that choose the limit, the same in each run. */
static void throw_inputs(const struct lk_system *sys, uint32_t chance, double *inputs)
{
    int n;
    const struct lk_channel *c = lk_system_input_channels(sys, &n);

    for (int i = 0; i < n; i++)
        for (int k = 0; k < c[i].size && isfinite(c[i].low) && isfinite(c[i].high); k++) {
            double *value = &inputs[c[i].offset + k], most = c[i].rate * sys->h;
            double goal = chance >> ((c[i].offset + k) % 32) & 1 ? c[i].high : c[i].low;

            *value += fmax(-most, fmin(most, goal - *value));
        }
}

/* Return the next pseudo-random bits (G. Marsaglia, Xorshift RNGs, 2003). */
static uint32_t next_chance(uint32_t chance)
{
    chance ^= chance << 13;
    chance ^= chance >> 17;
    return chance ^ chance << 5;
}

#define SHRINKS 0.2

/* Add to @left[k] the error of the step @p after k + 1 iterations. Steps whose increments hardly
 * shrink are not counted, because more iterations do not help. They occur at change points and
 * at the onset of friction. */
static void add_left(const struct lk_pace *p, double left[LK_PACE_INCREMENTS])
{
    double c = p->contraction, rest = p->increment[p->n - 1] * c / (1 - c);

    if (c > SHRINKS)
        return;
    for (int k = p->n; k < LK_PACE_INCREMENTS; k++)
        left[k] += rest * pow(c, k + 1 - p->n);
    for (int k = p->n - 1; k >= 0; k--) {
        left[k] += rest;
        rest += p->increment[k];
    }
}

/* Write @p->needed_ahead. A failing step ends the examination. The policy of the daemon handles
 * failures due to inputs. Return: 0 or -ENOMEM. */
static int look_ahead(struct lk_system *sys, const struct trial *start, struct lk_pace *p)
{
    struct trial t = *start;
    double left[LK_PACE_INCREMENTS] = {0};
    uint32_t chance = 1;
    double way = 0;
    int r = 0;

    t.block = malloc(sys->state_size * sizeof(double));
    if (!t.block)
        return -ENOMEM;
    for (int i = 0; i < LK_PACE_AHEAD && r == 0; i++) {
        struct lk_pace one = {0};

        if (i % STRETCH == 0)
            chance = next_chance(chance);
        throw_inputs(sys, chance, t.inputs);
        if (i % STRETCH < MEASURED) {
            keep_state(sys, &t);
            r = measure(sys, &t, &one);
            if (one.n > 0)
                add_left(&one, left);
            way += one.way;
        }
        r = r == 0 ? lk_system_step(sys, t.inputs) : r;
    }
    free(t.block);
    for (int k = 0; k < LK_PACE_INCREMENTS && p->needed_ahead == 0; k++)
        p->needed_ahead = left[k] <= LK_PACE_LEFT_AHEAD * way ? k + 1 : 0;
    return 0;
}

/* ---- energy ---- */

static void say_energy_appears(const struct lk_system *sys, const struct lk_energy_watch *watch,
                               int steps, struct lk_inspection *in)
{
    double appeared = lk_energy_appears(watch) ? watch->appeared : watch->jumped;
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    snprintf(where, sizeof(where), "body %s", sys->body_name[watch->body]);
    f = lk_finding_add(
        in, "energy-appears", where,
        "swings most where %.3g J appear within %d steps that nothing puts in, where "
        "%.3g J move: the motion is wrong; expected a smaller step%s",
        appeared, steps, watch->moved, lk_energy_known_source(sys));
    lk_finding_number(f, "appeared", "J", appeared);
    lk_finding_number(f, "moved", "J", watch->moved);
}

static bool turns_unbalanced(const struct lk_system *sys, const struct lk_pace *p)
{
    for (int i = 0; i < p->n_turns; i++)
        if (lk_fill_is_unbalanced(sys, &sys->now, p->turn[i].body))
            return true;
    return false;
}

/* Examine the energy in the next steps with the initial inputs: write @p->energy_swing,
 * @p->calm_step, and add a finding if energy appears. A failing step ends the examination. */
static void look_at_energy(struct lk_system *sys, const struct trial *t, struct lk_pace *p,
                           struct lk_inspection *in)
{
    bool swings =
        lk_steps_by(sys, &lk_formulation_rattle) && sys->order <= 2 && turns_unbalanced(sys, p);
    double least = INFINITY, most = 0;
    struct lk_energy_watch watch;
    struct lk_health health;

    lk_energy_begin(&watch, sys);
    for (int i = 0; i < LK_PACE_AHEAD && lk_system_step(sys, t->inputs) == 0; i++) {
        lk_system_health(sys, &health);
        lk_energy_look(&watch, sys, &health);
        least = fmin(least, watch.beside);
        most = fmax(most, watch.beside);
        if (lk_energy_appears(&watch) || lk_energy_explodes(&watch)) {
            say_energy_appears(sys, &watch, i + 1, in);
            return;
        }
    }
    if (!(swings && most > least && watch.kinetic > 0))
        return;
    p->energy_swing = (most - least) / watch.kinetic;
    p->calm_step = sys->h * sqrt(LK_PACE_SWING / p->energy_swing);
}

static void judge_failure(const struct lk_system *sys, const struct lk_pace *p,
                          struct lk_inspection *in)
{
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    /* if all bodies turn slowly before the step, the one that turned too far is unknown */
    if (p->status != LK_E_TURN || p->n_turns == 0 || p->turn[0].turn < LK_TURN_MAX) {
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

/* write "iterations: 7, or ", if @needed is an allowed number of iterations, else "" */
static void say_enough(int needed, char ret[40])
{
    ret[0] = '\0';
    if (needed > 0 && needed <= LK_ITERATIONS_MAX)
        snprintf(ret, 40, "iterations: %d, or ", needed);
}

static void judge_ahead(const struct lk_system *sys, const struct lk_pace *p,
                        struct lk_inspection *in)
{
    struct lk_finding *f;
    char enough[40];

    if (p->needed_ahead > 0 && p->needed_ahead <= sys->iterations)
        return;
    if (sys->n_contacts > 0) /* what opens and closes does not converge by a ratio: its error is an
                                output */
        return;
    say_enough(p->needed_ahead, enough);
    f = lk_finding_add(in, "too-few-iterations", "model",
                       "%d iterations are enough as it starts, but in the next %d steps, inputs "
                       "thrown about between their limits, they leave more than %g of the way; "
                       "expected %sa smaller step",
                       sys->iterations, LK_PACE_AHEAD, LK_PACE_LEFT_AHEAD, enough);
    lk_finding_number(f, "needed", "1", p->needed_ahead);
}

static void judge_iterations(const struct lk_system *sys, const struct lk_pace *p,
                             struct lk_inspection *in)
{
    struct lk_finding *f;
    char enough[40];

    if (p->n == 0)
        return;
    say_enough(p->needed, enough);
    if (p->needed > 0 && p->needed <= sys->iterations) {
        judge_ahead(sys, p, in);
        return;
    }
    if (p->needed == 0)
        f = lk_finding_add(in, "too-few-iterations", "model",
                           "the increments of a step do not get smaller (by %.2g each): no number "
                           "of iterations is enough; expected %sa smaller step",
                           p->contraction,
                           sys->is_redundant ? "joints whose redundant rows fit exactly (an axis "
                                               "that is off by a tolerance is worse the shorter "
                                               "the step), redundancy: soft, or "
                                             : "");
    else
        f = lk_finding_add(in, "too-few-iterations", "model",
                           "%d iterations leave more than %g of the way of a step; expected "
                           "%sa smaller step",
                           sys->iterations, LK_PACE_SHARE, enough);
    lk_finding_number(f, "contraction", "1", p->contraction);
    lk_finding_number(f, "needed", "1", p->needed);
}

static int take_trial(const struct lk_system *sys, struct trial *t)
{
    int n;
    const struct lk_channel *inputs = lk_system_input_channels(sys, &n);

    t->block = malloc(sys->state_size * sizeof(double));
    t->inputs = calloc((size_t)lk_system_input_size(sys) + 1, sizeof(double));
    for (int i = 0; i < n && t->inputs; i++)
        for (int k = 0; k < inputs[i].size; k++)
            t->inputs[inputs[i].offset + k] = inputs[i].initial;
    return t->block && t->inputs ? 0 : -ENOMEM;
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
        keep_state(sys, &t);
        find_turns(sys, &pace);
        r = find_modes(model, sys, &pace);
        go_back(sys, &t);
        if (pace.status == 0 && !sys->formulation->is_explicit)
            pace.status = measure(sys, &t, &pace);
        if (pace.n > 0)
            look_at_energy(sys, &t, &pace, &in);
        go_back(sys, &t);
        if (pace.n > 0 && look_ahead(sys, &t, &pace) != 0)
            r = -ENOMEM;
        (pace.status == 0 ? judge_iterations : judge_failure)(sys, &pace, &in);
        r = r == 0 ? in.result : r;
        *findings = in.found;
        *ret_pace = pace;
    }
    lk_system_reset(sys);
    free(t.block);
    free(t.inputs);
    return r;
}
