/* SPDX-License-Identifier: Apache-2.0 */
/* Hard end stops of `rattle`: stops too stiff for the step to resolve. Stops are not rows of the
 * tree but unilateral multipliers on rows of the tree. All stops are solved at once, from the
 * compliance of the mechanism between each pair of stops (lk_complementarity_solve()).
 *
 * Positions, velocities and accelerations are three problems (O. Bruels, V. Acary, A. Cardona,
 * Simultaneous enforcement of constraints at position and velocity levels in the nonsmooth
 * generalized-alpha scheme, 2014). In the first half kick, a stop acts as its spring at q_n+1: with
 * a push p, the row is beyond the limit by p / k, so that a load comes to rest at its true depth.
 * The second half kick removes that push and replaces it by impulses. At the stops that pushed, the
 * rate obeys Newton's law of impact, rate <= -restitution times the previous rate, with a
 * unilateral impulse over the whole step (J. J. Moreau, Unilateral contact and dry friction in
 * finite freedom dynamics, 1988). While a contact lasts, this is RATTLE with one more row,
 * symmetric. When the contact begins, the step dissipates energy, and the correction of a row
 * beyond its limit adds no velocity. Accelerations and reactions are computed with the stops that
 * are at rest. */
#include "maths/vec.h"
#include "solve/complementarity.h"
#include "step/elements/elements.h"
#include "step/elements/laws.h"
#include "step/elements/loads.h"
#include "step/executor.h"
#include "step/kinematics.h"
#include "step/rattle_state.h"
#include <string.h>

#define ONSET_MIN 0.1  /* least stiffness within the onset, relative to the stiffness beyond it */
#define RIGID     1e-6 /* E of a stop treated as a rigid row, relative to the row's scale */
#define MOVABLE   1e-5 /* relative to the row's scale: smallest yield of a row that can move */

void lk_stops_layout(const struct lk_system *sys, struct lk_stops *stops, struct lk_arena *arena)
{
    size_t n = sys->n_stops < LK_HARD_STOPS_MAX ? (size_t)sys->n_stops : LK_HARD_STOPS_MAX,
           rows = (size_t)sys->n_rows + LK_ROWS_PAD;
    size_t bodies = n > 0 ? (size_t)sys->n_bodies + 1 + (size_t)sys->n_frames : 0;
    size_t iterations = n > 0 ? (size_t)sys->iterations : 0;
    struct lk_contact *contact = lk_arena_take(arena, n, sizeof(*contact));
    double *yield = lk_arena_take(arena, n * n, sizeof(double));
    double *matrix = lk_arena_take(arena, n * n, sizeof(double));
    double *scratch = lk_arena_take(arena, n * (n + 5), sizeof(double));
    double *vectors = lk_arena_take(arena, 8 * n, sizeof(double));
    double *increments = lk_arena_take(arena, iterations * n, sizeof(double));
    double *force = lk_arena_take(arena, n > 0 ? rows : 0, sizeof(double));
    double *solution = lk_arena_take(arena, n > 0 ? rows : 0, sizeof(double));
    struct lk_twist *shove = lk_arena_take(arena, bodies, sizeof(*shove));
    struct lk_twist *response = lk_arena_take(arena, bodies, sizeof(*response));

    if (arena->base)
        *stops = (struct lk_stops){.contact = contact,
                                   .yield = yield,
                                   .matrix = matrix,
                                   .scratch = scratch,
                                   .b = vectors,
                                   .lower = vectors + n,
                                   .upper = vectors + 2 * n,
                                   .push = vectors + 3 * n,
                                   .kept_push = vectors + 4 * n,
                                   .impulse = vectors + 5 * n,
                                   .bounce = vectors + 6 * n,
                                   .rate = vectors + 7 * n,
                                   .increments = increments,
                                   .force = force,
                                   .solution = solution,
                                   .shove = shove,
                                   .response = response};
}

void lk_stops_find(struct lk_system *sys)
{
    struct lk_stops *stops = &sys->elements->stops;

    stops->n = 0;
    for (int i = 0; i < sys->n_laws && sys->n_stops > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms && law->is_hard; k++)
            if (sys->term[k].kind == LK_TERM_STOP && stops->n < LK_HARD_STOPS_MAX)
                stops->contact[stops->n++] = (struct lk_contact){.law = i, .term = k};
    }
}

static int row_of(const struct lk_system *sys, const struct lk_contact *c)
{
    const struct lk_law *law = &sys->law[c->law];

    return sys->joint[law->joint].row + law->row;
}

/* return the rate of the row of a contact at @twist */
static double rate_at(const struct lk_system *sys, const struct lk_contact *c,
                      const struct lk_twist *twist)
{
    const struct lk_law *law = &sys->law[c->law];
    double rates[LK_ROWS_PAD];

    lk_evaluate_row_rates(sys, law->joint, twist, rates);
    return rates[law->row];
}

/* return the second derivative of the row of a contact; system->residual: accelerations, see
 * lk_evaluate_accelerations() */
static double acceleration_of(const struct lk_system *sys, const struct lk_contact *c)
{
    const struct lk_law *law = &sys->law[c->law];
    double gamma[LK_ROWS_MAX];

    lk_evaluate_gamma(sys, law->joint, gamma);
    return rate_at(sys, c, sys->residual) + gamma[law->row];
}

/* Compute the response to the multipliers @push of the contacts: system->correction := s W times
 * their forces, reduced by the reactions of the rows in the factor, whose multipliers are then in
 * system->solution. system->residual is preserved. */
static void respond(struct lk_system *sys, struct lk_stops *stops, const double *push,
                    bool is_refined)
{
    struct lk_twist *shove = stops->shove;

    memset(stops->force, 0, (size_t)sys->n_rows * sizeof(double));
    for (int i = 0; i < stops->n; i++)
        stops->force[row_of(sys, &stops->contact[i])] += push[i];
    lk_evaluate_transpose(sys, stops->force, shove);
    lk_evaluate_weigh(sys, sys->sW_now, shove);
    sys->executor->hold(sys, shove, is_refined);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            sys->correction[b].v[i] += shove[b].v[i];
            sys->correction[b].w[i] += shove[b].w[i];
        }
    lk_evaluate_clear_frames(sys, sys->correction);
}

/* compute stops->yield: the change of the row of each contact due to a unit push at each contact,
 * with the response of all other rows */
static void find_yields(struct lk_system *sys, struct lk_stops *stops, bool is_refined)
{
    int n = stops->n;
    double *push = stops->b;

    for (int i = 0; i < n; i++) {
        memset(push, 0, (size_t)n * sizeof(double));
        push[i] = 1;
        respond(sys, stops, push, is_refined);
        for (int k = 0; k < n; k++)
            stops->yield[i * n + k] = rate_at(sys, &stops->contact[k], sys->correction);
    }
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            stops->yield[i * n + k] = stops->yield[k * n + i] =
                0.5 * (stops->yield[i * n + k] + stops->yield[k * n + i]);
}

/* return row @i of y = yield x */
static double yield_to(const struct lk_stops *stops, int i, const double *x)
{
    double sum = 0;

    for (int k = 0; k < stops->n; k++)
        sum += stops->yield[i * stops->n + k] * x[k];
    return sum;
}

/* solve for @x from b and limits; the compliance of each contact is added to the diagonal */
static void solve(struct lk_stops *stops, double *x)
{
    int n = stops->n;

    memcpy(stops->matrix, stops->yield, (size_t)(n * n) * sizeof(double));
    for (int i = 0; i < n; i++)
        stops->matrix[i * n + i] = lk_max(stops->yield[i * n + i], 0) + stops->contact[i].own;
    lk_complementarity_solve(n, stops->matrix, stops->b, stops->lower, stops->upper, x,
                             stops->scratch);
}

/* solve for @x with rigid contacts, whose compliance only makes the solution unique; a
 * second solution removes most of its effect */
static void solve_rigid(struct lk_stops *stops, double *x)
{
    solve(stops, x);
    for (int i = 0; i < stops->n; i++)
        stops->b[i] += stops->contact[i].own * x[i];
    solve(stops, x);
}

/* ---- the start of a step ---- */

/* evaluate the stops at q_n, and subtract their forces from the multipliers of system->next */
static void start(struct lk_system *sys, const double *inputs)
{
    struct lk_stops *stops = &sys->elements->stops;
    struct lk_powers powers;

    if (stops->n == 0)
        return;
    lk_loads_powers(sys, &sys->now, lk_time(sys), inputs, &powers);
    stops->work = sys->h * (powers.input + powers.applied);
    lk_evaluate_accelerations(sys, &sys->now);
    for (int i = 0; i < stops->n; i++) {
        struct lk_contact *c = &stops->contact[i];
        const struct lk_law *law = &sys->law[c->law];

        lk_loads_law_place(sys, &sys->now, law, &c->rate);
        c->held = lk_loads_stop_force(sys, law);
        c->acceleration = acceleration_of(sys, c);
        sys->next.lambda[row_of(sys, c)] = sys->now.lambda[row_of(sys, c)] - c->held;
    }
    memset(stops->push, 0, (size_t)stops->n * sizeof(double));
}

/* ---- positions ---- */

void lk_stops_find_yields(struct lk_system *sys)
{
    struct lk_stops *stops = &sys->elements->stops;

    if (stops->n == 0)
        return;
    memcpy(stops->solution, sys->solution, (size_t)sys->n_rows * sizeof(double));
    find_yields(sys, stops, false);
    memcpy(sys->solution, stops->solution, (size_t)sys->n_rows * sizeof(double));
}

/* Linearise the spring of a stop beyond its limits about its depth at the present pose. @c:
 * receives half the compliance of the stop. Return: the shift of the limits by the onset. It
 * applies to both limits, because the other limit is far away. */
static double linearise(const struct lk_term *t, double phi, struct lk_contact *c)
{
    double depth = fmax(fmax(phi - t->upper, t->lower - phi), 0);
    double ramp = t->onset > 0 ? fmin(depth / t->onset, 1) : 1;
    double soft = fmin(depth, t->onset), slope = t->now->stiffness * fmax(ramp, ONSET_MIN);
    double force = t->now->stiffness * (0.5 * ramp * soft + (depth - soft));

    c->own = 0.5 / slope;
    return depth - force / slope;
}

/* add the response to the @change of the pushes to the increment of an iteration */
static void add_response(struct lk_system *sys, struct lk_stops *stops, const double *change)
{
    struct lk_twist *correction = sys->correction;

    memcpy(stops->solution, sys->solution, (size_t)sys->n_rows * sizeof(double));
    sys->correction = stops->response;
    respond(sys, stops, change, false);
    sys->correction = correction;
    for (int row = 0; row < sys->n_rows; row++)
        sys->solution[row] += stops->solution[row];
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            correction[b].v[i] += stops->response[b].v[i];
            correction[b].w[i] += stops->response[b].w[i];
        }
}

static bool acts_alike(double a, double b)
{
    return (a > 0) == (b > 0) && (a < 0) == (b < 0);
}

bool lk_stops_push(struct lk_system *sys, int iteration)
{
    struct lk_stops *stops = &sys->elements->stops;
    int n = stops->n;
    double *change = stops->increments + iteration * n, *push = stops->impulse;
    bool is_settled = true;

    if (n == 0)
        return true;
    for (int i = 0; i < n; i++) {
        struct lk_contact *c = &stops->contact[i];
        const struct lk_law *law = &sys->law[c->law];
        const struct lk_term *t = &sys->term[c->term];
        double phi[LK_ROWS_MAX], off;

        lk_evaluate_violation(sys, law->joint, phi);
        off = linearise(t, phi[law->row], c);
        stops->b[i] = 0.5 * phi[law->row] - rate_at(sys, c, sys->correction) -
                      rate_at(sys, c, sys->residual) + yield_to(stops, i, stops->push);
        stops->lower[i] = 0.5 * (t->lower - off);
        stops->upper[i] = 0.5 * (t->upper + off);
        push[i] = stops->push[i];
    }
    solve(stops, push);
    for (int i = 0; i < n; i++) {
        is_settled = is_settled && acts_alike(push[i], stops->push[i]);
        change[i] = push[i] - stops->push[i];
    }
    add_response(sys, stops, change);
    return is_settled;
}

void lk_stops_add(struct lk_stops *stops, int iteration, double part)
{
    const double *change = stops->increments + iteration * stops->n;

    for (int i = 0; i < stops->n; i++) {
        double push = stops->push[i] + part * change[i];

        /* stops->impulse contains the pushes of the whole increment; the factor @part must
         * not change their sign */
        stops->push[i] = part == 0 || acts_alike(push, stops->impulse[i]) ? push : 0;
    }
}

void lk_stops_blend(struct lk_stops *stops, int iteration, int before, double alpha)
{
    for (int k = 0; k < stops->n; k++)
        stops->increments[iteration * stops->n + k] +=
            alpha * stops->increments[before * stops->n + k];
}

void lk_stops_keep(struct lk_stops *stops, bool ends)
{
    for (int i = 0; i < stops->n && !ends; i++)
        stops->kept_push[i] = stops->push[i];
}

void lk_stops_take_kept(struct lk_stops *stops)
{
    for (int i = 0; i < stops->n; i++)
        stops->push[i] = stops->kept_push[i];
}

/* ---- velocities ---- */

/* remove the pushes from the second half kick */
static void return_pushes(struct lk_system *sys)
{
    const struct lk_stops *stops = &sys->elements->stops;

    for (int i = 0; i < stops->n; i++)
        sys->next.lambda[row_of(sys, &stops->contact[i])] -= stops->push[i];
}

/* Return, by Newton's law of impact, the rate at which a row must leave a stop. The rate is 0 if
 * the row arrives with at most the speed that its acceleration produces in two steps. The speed at
 * the limit, where the step ends, includes the work of the forces until then. @after: rate without
 * stops */
static double rebound(const struct lk_system *sys, int i, double after)
{
    const struct lk_element_work *work = sys->elements;
    const struct lk_stops *stops = &work->stops;
    struct lk_contact *c = &stops->contact[i];
    const struct lk_term *t = &sys->term[c->term];
    double sign = stops->push[i] > 0 ? 1 : -1, inward = sign * c->rate;
    const struct lk_law *law = &sys->law[c->law];
    double free = (after - c->rate) / sys->h, phi[LK_ROWS_MAX], square, mobility;

    lk_evaluate_violation(sys, law->joint, phi);
    square = inward * inward + 2 * free * (phi[law->row] - work->value[c->law]);
    mobility = lk_max(stops->yield[i * (stops->n + 1)], 0) / sys->s;

    c->is_impact =
        inward >
        2 * sys->h * (lk_max(fabs(c->acceleration), fabs(free)) + mobility * fabs(c->held));
    return c->is_impact
               ? lk_law_restitution(t->now->stiffness, t->loss, mobility) * sqrt(fmax(square, 0))
               : 0;
}

/* set the limits of the rates: the row of a stop that pushed must leave the stop at @part of the
 * rebound or faster; a stop has no effect on a row that other rows block */
static void limit_rates(struct lk_system *sys, struct lk_stops *stops, double part)
{
    for (int i = 0; i < stops->n; i++) {
        struct lk_contact *c = &stops->contact[i];
        double scale = sys->scale[row_of(sys, c)];

        c->own = RIGID * scale;
        c->is_blocked = stops->push[i] != 0 && stops->yield[i * (stops->n + 1)] <= MOVABLE * scale;
        stops->upper[i] =
            stops->push[i] > 0 && !c->is_blocked ? -part * c->rebound : (double)INFINITY;
        stops->lower[i] =
            stops->push[i] < 0 && !c->is_blocked ? part * c->rebound : -(double)INFINITY;
    }
}

/* return the largest fraction of the bounce, up to 1, at which the stops add no energy. The work of
 * a stop is minus the impulse times the mean of the rates before and after it */
static double passive_part(const struct lk_stops *stops)
{
    double constant = 0, linear = 0, square = 0;

    for (int i = 0; i < stops->n; i++) {
        double p = stops->impulse[i], d = stops->bounce[i];
        double by_p = yield_to(stops, i, stops->impulse), by_d = yield_to(stops, i, stops->bounce);

        constant += p * (0.5 * by_p - stops->rate[i]);
        linear += d * (by_p - stops->rate[i]);
        square += 0.5 * d * by_d;
    }
    if (constant + linear + square <= 0 || square <= 0)
        return 1;
    return constant >= 0
               ? 0
               : fmin((sqrt(linear * linear - 4 * square * constant) - linear) / (2 * square), 1);
}

/* subtract @part times system->correction from the velocities */
static void correct_velocities(struct lk_system *sys, double part)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *t = &sys->next.motion[b].v;

        for (int i = 0; i < 3; i++) {
            t->v[i] -= part * sys->correction[b].v[i];
            t->w[i] -= part * sys->correction[b].w[i];
        }
    }
    lk_evaluate_twists(sys, &sys->next);
}

/* add @part times the last response to stops->solution, as impulses: s times the multipliers of all
 * rows and of the contacts, @x */
static void add_impulses(struct lk_system *sys, struct lk_stops *stops, double part,
                         const double *x)
{
    for (int row = 0; row < sys->n_rows; row++)
        stops->solution[row] += part * sys->s * sys->solution[row];
    for (int i = 0; i < stops->n; i++)
        stops->solution[row_of(sys, &stops->contact[i])] += part * sys->s * x[i];
}

/* compute the rates at q_n+1 without stops and the rebounds. Return: whether a stop is hit */
static bool find_rebounds(struct lk_system *sys)
{
    struct lk_stops *stops = &sys->elements->stops;
    bool is_hit = false;

    for (int i = 0; i < stops->n; i++) {
        struct lk_contact *c = &stops->contact[i];

        stops->rate[i] = rate_at(sys, c, sys->twist);
        c->rebound = rebound(sys, i, stops->rate[i]);
        is_hit |= stops->push[i] != 0 && c->is_impact;
        if (stops->push[i] != 0)
            sys->law[c->law].now->stop = (struct lk_stop){.acts = 1, .is_impact = 1};
    }
    return is_hit;
}

/* compute impulses @x after which the rates are @part times the rebounds */
static void find_impulses(struct lk_system *sys, struct lk_stops *stops, double part, double *x)
{
    memcpy(stops->b, stops->rate, (size_t)stops->n * sizeof(double));
    limit_rates(sys, stops, part);
    solve_rigid(stops, x);
}

/* First solve without restitution, then add the rebounds. All rebounds are scaled down together if
 * they would add energy: at the contacts, or, because poses have changed in the step, in total.
 * With drives, whose work is not known yet, only the contacts are checked. */
static void bounce(struct lk_system *sys)
{
    struct lk_stops *stops = &sys->elements->stops;
    size_t size = (size_t)stops->n * sizeof(double);
    double part;
    bool is_hit;

    find_yields(sys, stops, true);
    is_hit = find_rebounds(sys);
    memset(stops->impulse, 0, size);
    find_impulses(sys, stops, 0, stops->impulse);
    respond(sys, stops, stops->impulse, true);
    memset(stops->solution, 0, (size_t)sys->n_rows * sizeof(double));
    add_impulses(sys, stops, 1, stops->impulse);
    correct_velocities(sys, 1);
    memcpy(stops->bounce, stops->impulse, size);
    find_impulses(sys, stops, 1, stops->bounce);
    for (int i = 0; i < stops->n; i++)
        stops->bounce[i] -= stops->impulse[i];
    respond(sys, stops, stops->bounce, true);
    part = passive_part(stops);
    if (sys->n_drives == 0)
        part = fmin(part, lk_restitution(sys, -1, &sys->next, stops->work));
    add_impulses(sys, stops, part, stops->bounce);
    correct_velocities(sys, part);
    for (int i = 0; i < stops->n; i++) {
        stops->impulse[i] += part * stops->bounce[i];
        stops->contact[i].rebound *= part;
    }
    if (!is_hit)
        return;
    lk_rattle_reset_prediction(sys);
    /* drives resist an impulse; this work is booked here, and their work against forces with the
     * forces */
    sys->next.balance->work_drive += lk_loads_drive_power(sys, stops->solution, 0);
}

/* ---- accelerations and reactions ---- */

static void rest(struct lk_system *sys)
{
    struct lk_stops *stops = &sys->elements->stops;
    double *p = stops->bounce;

    lk_evaluate_accelerations(sys, &sys->next);
    for (int i = 0; i < stops->n; i++) {
        const struct lk_contact *c = &stops->contact[i];
        bool rests = stops->impulse[i] != 0 && c->rebound == 0;

        stops->b[i] = acceleration_of(sys, c);
        stops->upper[i] = rests && stops->push[i] > 0 ? 0 : (double)INFINITY;
        stops->lower[i] = rests && stops->push[i] < 0 ? 0 : -(double)INFINITY;
        p[i] = 0;
    }
    solve_rigid(stops, p);
    respond(sys, stops, p, true);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *a = &sys->next.motion[b].a;

        for (int i = 0; i < 3; i++) {
            a->v[i] -= sys->correction[b].v[i];
            a->w[i] -= sys->correction[b].w[i];
        }
    }
    for (int row = 0; row < sys->n_rows; row++)
        sys->next.lambda[row] += sys->s * sys->solution[row];
    for (int i = 0; i < stops->n; i++)
        sys->next.lambda[row_of(sys, &stops->contact[i])] +=
            stops->contact[i].is_blocked ? stops->push[i] : sys->s * p[i];
}

/* add the impulses of the stops that pushed to the velocities of the new state */
static void kick(struct lk_system *sys)
{
    if (sys->elements->stops.n == 0)
        return;
    if (sys->executor->give)
        sys->executor->give(sys);
    bounce(sys);
    if (sys->executor->fetch)
        sys->executor->fetch(sys);
}

/* add the reactions of the stops that are at rest to accelerations and multipliers of the new state
 */
static void come_to_rest(struct lk_system *sys)
{
    if (sys->elements->stops.n == 0)
        return;
    rest(sys);
    if (sys->executor->fetch)
        sys->executor->fetch(sys);
}

static bool is_in(const struct lk_system *sys)
{
    return sys->n_stops > 0;
}

const struct lk_element_ops lk_stop_ops = {
    .is_in = is_in,
    .start = start,
    .close = return_pushes,
    .kick = kick,
    .rest = come_to_rest,
};
