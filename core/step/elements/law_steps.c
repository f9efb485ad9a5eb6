/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of compliant rows over a step of two half kicks. A compliant row has the same multiplier in
 * both half kicks: the value of its law over the step. Only the matrix of the iterations contains
 * these rows.
 *
 * Stiff dampers in the second half kick: if a damper stops a motion within a step (a = h c / 2 J W
 * J^T > 1), the symmetric velocity v = 2 u / h - v_n oscillates with the factor (1 - a) / (1 + a)
 * per step, although the positions are correct. If the system has closes_dampers, the rows of these
 * dampers are in the factor of q_n+1 with E = h / 2 c. Their violations in the projections of
 * velocities and accelerations are
 *
 *     J (v - v'),   J (a - a')
 *
 * with v' and a' from differences of positions, see lk_rattle_differences(). Thus v becomes (v + a
 * v') / (1 + a) along each row, with J W J^T projected on the rigid rows. This keeps order 2 and
 * removes the oscillation. The transition is smooth: the weight of c grows from 0 to 1 above a =
 * LK_RINGS_FROM, see lk_law_closing(). */

#include "step/elements/law_steps.h"
#include "step/elements/air.h"
#include "step/elements/bearing.h"
#include "step/elements/contacts.h"
#include "step/elements/creep.h"
#include "step/elements/elements.h"
#include "step/elements/laws.h"
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"

/* set the axes of drag @i to the mean of the axes at both ends of the step; @last: Jacobian of the
 * drag at the present pose */
static void follow_air(const struct lk_system *sys, int i, struct lk_jacobian last,
                       const double *rates)
{
    double axes[3][3];

    for (int r = 0; r < 3; r++) {
        double first[6], now[6];

        lk_jacobian_row(sys->jacobian[i], 1, r, first);
        lk_jacobian_row(last, 1, r, now);
        for (int k = 0; k < 3; k++)
            axes[r][k] = 0.5 * (first[k] + now[k]);
    }
    lk_air_follow(sys, &sys->joint[i], axes, rates);
}

/* follow the normal force of the iterate, with the mean of the spins at both ends of the step */
static void follow_creep(const struct lk_system *sys, const struct lk_joint *j, const double *rates)
{
    const struct lk_twist *now[2], *before[2];

    if (!lk_creep_follows(sys, j))
        return;
    for (int s = 0; s < 2; s++) {
        now[s] = &sys->twist[j->body[s]];
        before[s] = j->body[s] < sys->n_bodies ? &sys->now.motion[j->body[s]].v : now[s];
    }
    lk_creep_follow(sys, j, sys->next.lambda, rates,
                    0.5 * (lk_creep_spin(sys, j, before[0], before[1]) +
                           lk_creep_spin(sys, j, now[0], now[1])));
}

void lk_slip_rates(const struct lk_system *sys, int i, double *ret)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD] = {0};
    struct lk_jacobian jacobian = {values, sys->jacobian[i].pad, 0};

    lk_joint_jacobian(j, pose, jacobian);
    for (int row = 0; row < j->n_rows; row++)
        ret[row] = 0;
    for (int s = 0; s < j->n_sides; s++) {
        const struct lk_twist *t = &sys->twist[j->body[s]], *old = t;
        double first[6], last[6];

        if (j->body[s] < sys->n_bodies)
            old = &sys->now.motion[j->body[s]].v;
        for (int row = 0; row < j->n_rows; row++) {
            lk_jacobian_row(sys->jacobian[i], s, row, first);
            lk_jacobian_row(jacobian, s, row, last);
            for (int k = 0; k < 3; k++) {
                ret[row] += 0.25 * (first[k] + last[k]) * (t->v[k] + old->v[k]);
                ret[row] += 0.25 * (first[3 + k] + last[3 + k]) * (t->w[k] + old->w[k]);
            }
        }
    }
    if (j->type == LK_JOINT_AIR)
        follow_air(sys, i, jacobian, ret);
    else
        follow_creep(sys, j, ret);
}

/* compute (f - lambda) E of the rows of a tyre */
static void tyre_rows(struct lk_system *sys, int i, bool is_first)
{
    const struct lk_joint *j = &sys->joint[i];
    double force[LK_TYRE_ROWS];

    lk_tyres_iterate(sys, j->tyre, is_first, force, sys->regular + j->row);
    for (int row = 0; row < LK_TYRE_ROWS; row++)
        sys->solution[j->row + row] =
            (force[row] - sys->next.lambda[j->row + row]) * sys->regular[j->row + row];
}

void lk_law_steps_follow(struct lk_system *sys, int i, bool is_first)
{
    const double *value = sys->elements->value;
    const struct lk_joint *j = &sys->joint[i];
    bool slips = j->type == LK_JOINT_CREEP || j->type == LK_JOINT_AIR;
    double phi[LK_ROWS_MAX], slip[LK_ROWS_MAX], way[LK_ROWS_MAX];

    if (j->type == LK_JOINT_TYRE) {
        tyre_rows(sys, i, is_first);
        return;
    }
    if (j->type == LK_JOINT_CONTACT) {
        lk_contacts_follow(sys, i);
        return;
    }
    lk_evaluate_violation(sys, i, phi);
    lk_joint_way(j, value + j->law, phi, way);
    if (slips)
        lk_slip_rates(sys, i, slip);
    for (int row = 0; row < j->n_rows; row++) {
        const struct lk_law *law = &sys->law[j->law + row];
        double before = value[j->law + row], *regular = &sys->regular[j->row + row];
        double rate = slips ? slip[row] : way[row] / sys->h;
        struct lk_law_value f;

        lk_law_step(law, sys->term, before, phi[row], rate, &f);
        if (is_first)
            *regular = lk_law_regular(&f, sys->h);
        sys->solution[j->row + row] =
            (f.elastic + f.dissipative - sys->next.lambda[j->row + row]) * *regular;
    }
}

/* Convert the multipliers of a bushing whose rotation passes half a turn within the step: from rows
 * with the rotation vector continued from the start of the step to rows with the one at the end. */
static void turn(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints && sys->n_laws > 0; i++) {
        const struct lk_joint *j = &sys->joint[i];
        const double *before = sys->elements->value + j->law;
        double phi[LK_ROWS_MAX];

        /* a rotation below a quarter turn cannot reach half a turn in one step */
        if (j->type != LK_JOINT_BUSHING || lk_dot(before + 3, before + 3) < 0.25 * M_PI * M_PI)
            continue;
        lk_evaluate_violation(sys, i, phi);
        lk_bushing_turn(before, phi, sys->next.lambda + j->row);
    }
}

void lk_law_steps_release(struct lk_system *sys, int i)
{
    const double *value = sys->elements->value;
    const struct lk_joint *j = &sys->joint[i];
    bool slips = j->type == LK_JOINT_CREEP || j->type == LK_JOINT_AIR;
    double phi[LK_ROWS_MAX], way[LK_ROWS_MAX], rates[LK_ROWS_PAD];

    if (j->type == LK_JOINT_CONTACT)
        lk_contacts_release(sys, i);
    if (sys->closes_dampers && j->type != LK_JOINT_TYRE) {
        lk_evaluate_violation(sys, i, phi);
        lk_joint_way(j, value + j->law, phi, way);
    }
    if (sys->closes_dampers && slips)
        lk_evaluate_row_rates(sys, i, sys->twist, rates);
    for (int row = 0; row < j->n_rows; row++) {
        const struct lk_law *law = &sys->law[j->law + row];
        double E = LK_DECOUPLED;

        if (sys->closes_dampers && law->n_terms > 0) {
            double before = value[j->law + row];
            double rate = slips ? rates[row] : way[row] / sys->h;
            double c = lk_law_drag(law, sys->term, 0.5 * (before + phi[row]), rate);

            E = lk_law_closing(law, c, sys->h);
        }
        sys->next.tangent[j->law + row] = E;
    }
}

static void settle(struct lk_system *sys, const struct lk_state *state)
{
    lk_loads_law_multipliers(sys, state, 0, sys->next.lambda);
}

/* return true if the row of @law has a stop that is soft enough for the step to resolve */
static bool is_soft(const struct lk_system *sys, const struct lk_law *law)
{
    return sys->joint[law->joint].kind == LK_ROWS_UNILATERAL && !law->is_hard;
}

/* Return true if the dissipation of @law is the mean force of the step times its
 * displacement, instead of the mean of the powers at both ends of the step. */
static bool is_booked(const struct lk_system *sys, const struct lk_law *law)
{
    const struct lk_joint *j = &sys->joint[law->joint];
    bool slips = j->type == LK_JOINT_CREEP || j->type == LK_JOINT_AIR || law->now->carry != 0;

    return is_soft(sys, law) || (sys->closes_dampers && law->n_terms > 0 && !slips);
}

static double dissipated_power(const struct lk_system *sys, const struct lk_state *state,
                               const struct lk_law *law, struct lk_law_places *places,
                               double *ret_x)
{
    struct lk_law_value f;
    double rate;

    *ret_x = lk_loads_next_place(sys, state, law, places, &rate);
    lk_law_evaluate(law, sys->term, *ret_x, rate, 1, &f);
    return f.dissipative * rate;
}

static bool books_laws(const struct lk_system *sys)
{
    return sys->n_stops > 0 || sys->closes_dampers;
}

/* store the values of the rows at q_n, and the powers that book() replaces; initialise multipliers
 * with those of system->now */
static void start(struct lk_system *sys, const double *inputs)
{
    struct lk_law_places places = {.joint = -1};
    double x, rate;

    (void)inputs;
    sys->elements->power = 0;
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];

        sys->next.lambda[sys->joint[law->joint].row + law->row] =
            sys->now.lambda[sys->joint[law->joint].row + law->row];
        if (law->n_terms > 0)
            sys->elements->value[i] = lk_loads_next_place(sys, &sys->now, law, &places, &rate);
        if (!books_laws(sys))
            continue;
        law->now->stop = (struct lk_stop){0};
        if (is_booked(sys, law))
            sys->elements->power += dissipated_power(sys, &sys->now, law, &places, &x);
    }
}

void lk_law_steps_keep_rates(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints && sys->closes_dampers; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        if (!lk_is_compliant(j))
            continue;
        lk_evaluate_row_rates(sys, i, sys->twist, rates);
        for (int row = 0; row < j->n_rows; row++)
            sys->elements->rate[j->law + row] = rates[row];
    }
}

/* Return the change of the row of @law over the step, which ends at @x [m, rad]. */
static double way_of(const struct lk_system *sys, const struct lk_law *law, double x)
{
    const double *value = sys->elements->value;
    const struct lk_joint *j = &sys->joint[law->joint];
    double phi[LK_ROWS_MAX], way[LK_ROWS_MAX];

    if (!lk_joint_types[j->type]->way)
        return x - value[law - sys->law];
    lk_evaluate_violation(sys, law->joint, phi);
    lk_joint_way(j, value + j->law, phi, way);
    return way[law->row];
}

/* Book the work of dampers that act in a part of the step only: dampers of stops while a contact
 * begins or ends, and stiff dampers that end a motion. Their work is the mean force times the
 * displacement, not the mean of the powers at both ends of the step. */
static void book(struct lk_system *sys)
{
    double work = -0.5 * sys->h * sys->elements->power;
    struct lk_law_places places = {.joint = -1};

    for (int i = 0; i < sys->n_laws && books_laws(sys); i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_law_value f;
        double x, way;

        if (!is_booked(sys, law))
            continue;
        work -= 0.5 * sys->h * dissipated_power(sys, &sys->next, law, &places, &x);
        way = way_of(sys, law, x);
        lk_law_step(law, sys->term, sys->elements->value[i], x, way / sys->h, &f);
        work += f.dissipative * way;
    }
    sys->next.balance->dissipated += work;
}

/* Return true if @law contains an impedance. Its work is booked as work of inputs, without the
 * impulses of dampers in the projection of velocities. */
static bool is_of_inputs(const struct lk_system *sys, const struct lk_law *law)
{
    bool found = false;

    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        found |= sys->term[i].kind == LK_TERM_IMPEDANCE;
    return found;
}

/* Book the work of the impulses of dampers in the projection of velocities: s sigma, the solution
 * of the projection of velocities, times the mean of the rates before and after the projection. The
 * work counts as dissipated; for impedances it counts as removed by the step itself,
 * balance->taken. */
static void book_damping(struct lk_system *sys)
{
    struct lk_balance *balance = sys->next.balance;
    const double *sigma = sys->solution;

    for (int i = 0; i < sys->n_joints && sys->closes_dampers; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        if (!lk_is_compliant(j) || j->type == LK_JOINT_CONTACT)
            continue;
        lk_evaluate_row_rates(sys, i, sys->twist, rates);
        for (int row = 0; row < j->n_rows; row++) {
            double mean = 0.5 * (sys->elements->rate[j->law + row] + rates[row]);
            bool is_taken = is_of_inputs(sys, &sys->law[j->law + row]);

            *(is_taken ? &balance->taken : &balance->dissipated) +=
                sys->s * sigma[j->row + row] * mean;
        }
    }
}

/* ---- over a step of `ali3` ---- */

/* compute E of a row with a nonlinear law, from the tangent at the predicted pose */
LK_INLINE void renew_tangent(struct lk_system *sys, const struct lk_law *law, double x, double v,
                             double *regular)
{
    struct lk_law_value f;

    lk_law_tangent(law, sys->term, x, v, &f);
    *regular = lk_law_regular(&f, sys->h);
    sys->next.tangent[law - sys->law] = *regular;
}

/* compute the rates of the rows of @j by @jacobian and the present twists */
static void rates_by(const struct lk_system *sys, const struct lk_joint *j,
                     struct lk_jacobian jacobian, double *ret)
{
    for (int r = 0; r < j->n_rows; r++) {
        ret[r] = 0;
        for (int s = 0; s < j->n_sides; s++) {
            const struct lk_twist *t = &sys->twist[j->body[s]];
            double row[6];

            lk_jacobian_row(jacobian, s, r, row);
            ret[r] += lk_dot(row, t->v) + lk_dot(row + 3, t->w);
        }
    }
}

void lk_law_steps_slide(struct lk_system *sys, int i, struct lk_jacobian jacobian)
{
    const struct lk_joint *j = &sys->joint[i];
    double rates[LK_ROWS_MAX];

    rates_by(sys, j, jacobian, rates);
    for (int r = j->n_rows - lk_slip_rows(j); r < j->n_rows; r++)
        sys->solution[j->row + r] = 0.5 * sys->h * rates[r];
}

void lk_law_steps_follow_pose(struct lk_system *sys, int i, struct lk_jacobian jacobian,
                              bool is_first)
{
    const struct lk_joint *j = &sys->joint[i];
    double phi[LK_ROWS_MAX], rates[LK_ROWS_MAX];

    lk_evaluate_violation(sys, i, phi);
    rates_by(sys, j, jacobian, rates);
    lk_air_follow_pose(sys, j, rates);
    lk_creep_follow_pose(sys, j, sys->next.lambda, rates);
    if (!is_first)
        lk_bearing_follow(sys, j, sys->next.lambda);
    for (int r = 0; r < j->n_rows; r++) {
        const struct lk_law *law = &sys->law[j->law + r];
        double *regular = &sys->regular[j->row + r];
        struct lk_law_value f;

        if (law->is_nonlinear && is_first)
            renew_tangent(sys, law, phi[r], rates[r], regular);
        lk_law_evaluate(law, sys->term, phi[r], rates[r], law->now->stop.counts, &f);
        sys->solution[j->row + r] =
            (f.elastic + f.dissipative - sys->next.lambda[j->row + r]) * *regular;
    }
}

void lk_law_steps_change(struct lk_system *sys, const struct lk_state *state, struct lk_twist *sum)
{
    for (int i = 0; i < sys->n_joints && sys->n_by_load > 0; i++) {
        const struct lk_joint *j = &sys->joint[i];
        const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
        struct lk_twist *const to[LK_SIDES_MAX] = LK_SIDES(sum, j);
        double change[LK_ROWS_MAX];

        if (!lk_creep_follows(sys, j) && !lk_bearing_follows(sys, j))
            continue;
        for (int r = 0; r < j->n_rows; r++) {
            const struct lk_law *law = &sys->law[j->law + r];
            double rate, x = lk_loads_law_place(sys, state, law, &rate);
            struct lk_law_value f;

            if (law->by_load && sys->elements->keeps_loads) { /* `rattle` */
                change[r] = lk_bearing_change(sys, j, x, rate);
                continue;
            }
            lk_law_evaluate(law, sys->term, x, rate, 1, &f);
            change[r] = f.elastic + f.dissipative - sys->next.lambda[j->row + r];
            sys->next.lambda[j->row + r] += change[r];
        }
        lk_joint_ops(j->type)->load(j, pose, change, to);
    }
}

static bool is_in(const struct lk_system *sys)
{
    return sys->n_laws > 0;
}

const struct lk_element_ops lk_law_ops = {
    .is_in = is_in,
    .start = start,
    .close = turn,
    .kick = book_damping,
    .settle = settle,
    .end = book,
};
