/* SPDX-License-Identifier: Apache-2.0 */
/* Applied forces: gravity, loads, input channels; and the energy balance. */
#include "step/elements/loads.h"
#include "step/elements/air.h"
#include "step/elements/bearing.h"
#include "step/elements/creep.h"
#include "step/elements/elements.h"
#include "step/elements/lines.h"
#include "step/elements/tyres.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/system.h"

#define IMPACT_YIELD 1e-8 /* E of a stop in an impact / diagonal of its row, as for rigid rows */

void lk_loads_wrench(const struct lk_load *l, const double R[9], const double vector[3],
                     struct lk_twist *ret)
{
    double world[3], local[3];

    if (l->in_body_frame) {
        lk_rotate(R, vector, world);
        for (int i = 0; i < 3; i++)
            local[i] = vector[i];
    } else {
        lk_rotate_back(R, vector, local);
        for (int i = 0; i < 3; i++)
            world[i] = vector[i];
    }
    if (l->is_torque) {
        *ret = (struct lk_twist){.w = {local[0], local[1], local[2]}};
    } else {
        *ret = (struct lk_twist){.v = {world[0], world[1], world[2]}};
        lk_cross(l->point, local, ret->w);
    }
}

static void subtract(struct lk_twist *sum, double scale, const struct lk_twist *wrench)
{
    for (int i = 0; i < 3; i++) {
        sum->v[i] -= scale * wrench->v[i];
        sum->w[i] -= scale * wrench->w[i];
    }
}

void lk_loads_along(const struct lk_joint *j, const struct lk_pose *const *pose, int which,
                    struct lk_twist ret[2])
{
    double J[2][6];

    lk_joint_ops(j->type)->coordinate_jacobian(j, pose, which, J);
    for (int s = 0; s < 2; s++)
        ret[s] =
            (struct lk_twist){.v = {J[s][0], J[s][1], J[s][2]}, .w = {J[s][3], J[s][4], J[s][5]}};
}

static void joint_wrench(const struct lk_system *sys, const struct lk_joint *j, int which,
                         struct lk_twist ret[2])
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);

    lk_loads_along(j, pose, which, ret);
}

void lk_loads_subtract_input(const struct lk_system *sys, const struct lk_input *in,
                             const double *value, struct lk_twist *sum)
{
    struct lk_twist wrench[2];

    if (lk_input_is_along(in->type)) {
        const struct lk_joint *j = &sys->joint[in->joint];

        joint_wrench(sys, j, in->which, wrench);
        for (int s = 0; s < 2; s++)
            subtract(&sum[j->body[s]], value[0], &wrench[s]);
        return;
    }
    lk_loads_wrench(&in->load, sys->pose[in->load.body].R, value, wrench);
    subtract(&sum[in->load.body], 1, wrench);
}

static void subtract_inputs(const struct lk_system *sys, const double *inputs, struct lk_twist *sum)
{
    for (int i = 0; i < sys->n_inputs; i++)
        if (lk_input_is_load(sys->input[i].type))
            lk_loads_subtract_input(sys, &sys->input[i], inputs + sys->input[i].offset, sum);
}

double lk_loads_scale(const struct lk_load *l, double t)
{
    return l->is_harmonic ? sin(l->omega * t + l->phase) : 1;
}

void lk_loads_subtract_applied(const struct lk_system *sys, double t, const double *inputs,
                               struct lk_twist *sum)
{
    for (int i = 0; i < sys->n_loads; i++) {
        const struct lk_load *l = &sys->load[i];
        struct lk_twist wrench;

        lk_loads_wrench(l, sys->pose[l->body].R, l->vector, &wrench);
        subtract(&sum[l->body], lk_loads_scale(l, t), &wrench);
    }
    subtract_inputs(sys, inputs, sum);
}

void lk_loads_subtract(const struct lk_system *sys, double t, const double *inputs,
                       struct lk_twist *sum)
{
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            sum[b].v[i] -= sys->body[b].mass * sys->gravity[i];
    lk_loads_subtract_applied(sys, t, inputs, sum);
}

static double power(const struct lk_twist *wrench, const struct lk_twist *twist)
{
    return lk_dot(wrench->v, twist->v) + lk_dot(wrench->w, twist->w);
}

double lk_loads_input_power(const struct lk_system *sys, const struct lk_input *in,
                            const double *value, const struct lk_twist *twist)
{
    struct lk_twist wrench;

    if (lk_input_is_along(in->type))
        return value[0] *
               lk_evaluate_coordinate_rate(sys, &sys->joint[in->joint], in->which, twist);
    lk_loads_wrench(&in->load, sys->pose[in->load.body].R, value, &wrench);
    return power(&wrench, &twist[in->load.body]);
}

static double input_power(const struct lk_system *sys, const double *inputs)
{
    double sum = 0;

    for (int i = 0; i < sys->n_inputs; i++) {
        const struct lk_input *in = &sys->input[i];

        if (lk_input_is_load(in->type))
            sum += lk_loads_input_power(sys, in, inputs + in->offset, sys->twist);
    }
    return sum;
}

/* return whether a load has a potential: a force of constant world direction and magnitude */
static int has_potential(const struct lk_load *l)
{
    return !l->in_body_frame && !l->is_torque && !l->is_harmonic;
}

static double applied_power(const struct lk_system *sys, double t)
{
    double sum = 0;

    for (int i = 0; i < sys->n_loads; i++) {
        const struct lk_load *l = &sys->load[i];
        struct lk_twist wrench;

        if (has_potential(l))
            continue;
        lk_loads_wrench(l, sys->pose[l->body].R, l->vector, &wrench);
        sum += lk_loads_scale(l, t) * power(&wrench, &sys->twist[l->body]);
    }
    return sum;
}

/* The force along a driven coordinate is -lambda. A frame receives -Phi_q^T lambda like a body, and
 * the work of its drives on the mechanism has the opposite sign. */
double lk_loads_drive_power(const struct lk_system *sys, const double *lambda, double before)
{
    double sum = 0;

    for (int i = 0; i < sys->n_drives; i++) {
        const struct lk_drive *d = &sys->drive[i];

        if (d->row_joint >= 0)
            sum -= lambda[sys->joint[d->row_joint].row] *
                   (d->rate + before * (d->rate_before - d->rate));
    }
    for (int i = 0; i < sys->n_joints && sys->n_frames > 0; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int r = 0; r < j->n_rows && j->body[0] > sys->n_bodies; r++) {
            const struct lk_twist *end = &sys->twist[j->body[0]];
            const struct lk_twist *begin = &sys->frame[j->body[0] - sys->n_bodies - 1].before;
            double row[6];

            lk_jacobian_row(sys->jacobian[i], 0, r, row);
            sum += lambda[j->row + r] *
                   ((1 - before) * (lk_dot(row, end->v) + lk_dot(row + 3, end->w)) +
                    before * (lk_dot(row, begin->v) + lk_dot(row + 3, begin->w)));
        }
    }
    return sum;
}

/* Return the value of a row between coordinates: of one of them, or of a coupling. */
static double place_of_coordinates(const struct lk_state *state, const struct lk_joint *j)
{
    double c[LK_COUPLED_MAX] = {0};

    for (int k = 0; k < LK_COUPLED_MAX && j->of[k]; k++)
        c[k] = state->coordinate[j->of[k]->first_coordinate + j->which[k]];
    return j->of[1] ? c[1] + c[2] - j->ratio * c[0] - j->offset : c[0];
}

double lk_loads_next_place(const struct lk_system *sys, const struct lk_state *state,
                           const struct lk_law *law, struct lk_law_places *places, double *ret_rate)
{
    const struct lk_joint *j = &sys->joint[law->joint];

    if (places->joint != law->joint) {
        places->joint = law->joint;
        lk_evaluate_row_rates(sys, law->joint, sys->twist, places->rate);
        if (j->of[0])
            places->x[0] = place_of_coordinates(state, j);
        else
            lk_evaluate_violation(sys, law->joint, places->x);
    }
    *ret_rate = places->rate[law->row];
    lk_air_follow_pose(sys, j, places->rate);
    lk_creep_follow_pose(sys, j, state->lambda, places->rate);
    lk_bearing_follow(sys, j, state->lambda);
    return places->x[j->of[0] ? 0 : law->row];
}

double lk_loads_law_place(const struct lk_system *sys, const struct lk_state *state,
                          const struct lk_law *law, double *ret_rate)
{
    struct lk_law_places places = {.joint = -1};

    return lk_loads_next_place(sys, state, law, &places, ret_rate);
}

void lk_loads_subtract_jumps(struct lk_system *sys, const double *inputs, struct lk_twist *sum)
{
    struct lk_state *next = &sys->next;

    int size = sys->input_size + sys->net.n_blocks;

    for (int i = 0; i < size; i++)
        next->inputs[i] = inputs[i] - sys->now.inputs[i];
    subtract_inputs(sys, next->inputs, sum);
    for (int i = 0; i < size; i++)
        next->inputs[i] = inputs[i];
}

double lk_loads_stop_force(const struct lk_system *sys, const struct lk_law *law)
{
    struct lk_law_value without;
    double rate, x = lk_loads_law_place(sys, &sys->now, law, &rate);

    lk_law_evaluate(law, sys->term, x, rate, 0, &without);
    return sys->now.lambda[sys->joint[law->joint].row + law->row] - without.elastic -
           without.dissipative;
}

void lk_loads_subtract_stops(struct lk_system *sys, int leaving, struct lk_twist *sum)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        const struct lk_joint *j = &sys->joint[law->joint];
        struct lk_twist wrench[2];
        double force;

        if (j->kind != LK_ROWS_UNILATERAL || (leaving && law->now->stop.keep == 1))
            continue;
        force = lk_loads_stop_force(sys, law);
        sys->next.lambda[j->row + law->row] -= force;
        joint_wrench(sys, j->of[0], j->which[0], wrench);
        for (int s = 0; s < 2; s++)
            subtract(&sum[j->body[s]], (leaving ? 1 - law->now->stop.keep : 1) * force, &wrench[s]);
    }
}

/* store E of @law in the factor; @f: tangent of the law */
static void keep_tangent(struct lk_system *sys, const struct lk_law *law,
                         const struct lk_law_value *f)
{
    sys->next.tangent[law - sys->law] = lk_law_regular(f, sys->h);
    sys->regular[sys->joint[law->joint].row + law->row] = sys->next.tangent[law - sys->law];
}

static void set_tangent(struct lk_system *sys, const struct lk_law *law, double x, double rate)
{
    struct lk_law_value f;

    lk_law_tangent(law, sys->term, x, rate, &f);
    keep_tangent(sys, law, &f);
}

void lk_loads_slide(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        const struct lk_joint *j = &sys->joint[law->joint];
        struct lk_law_value f;
        double phi[LK_ROWS_MAX];
        bool creeps = false;

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
            creeps |= lk_term_creeps(&sys->term[k]);
        if (!creeps)
            continue;
        lk_evaluate_violation(sys, law->joint, phi);
        lk_law_slope(law, sys->term, phi[0],
                     lk_evaluate_coordinate_rate(sys, j->of[0], j->which[0], sys->twist), &f);
        keep_tangent(sys, law, &f);
    }
}

void lk_loads_decide_stops(struct lk_system *sys, int again)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_stop *stop = &law->now->stop;
        const struct lk_joint *j = &sys->joint[law->joint];
        struct lk_stop decided;
        double rate, x, a, free_a;

        if (j->kind != LK_ROWS_UNILATERAL || (again && stop->acts))
            continue;
        x = lk_loads_law_place(sys, &sys->now, law, &rate);
        a = lk_evaluate_coordinate_acceleration(sys, &sys->now, j->of[0], j->which[0]);
        free_a = lk_evaluate_coordinate_acceleration(sys, &sys->next, j->of[0], j->which[0]);
        decided = lk_law_stop(law, sys->term, sys->h, x, rate, a, free_a,
                              lk_loads_stop_force(sys, law), sys->scale[j->row + law->row]);
        if (!again || decided.acts)
            *stop = decided;
        /* in the projection of a velocity jump, E includes only stops that keep their whole force.
         * The iterations use a different tangent */
        stop->counts = stop->acts && stop->keep == 1;
        set_tangent(sys, law, x, rate);
        stop->counts = stop->acts;
    }
}

void lk_loads_release_stops(struct lk_system *sys, int keep_impacts)
{
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_stop *stop = &law->now->stop;
        const struct lk_joint *j = &sys->joint[law->joint];
        int row = j->row + law->row;
        double rate, phi[LK_ROWS_MAX];

        if (j->kind != LK_ROWS_UNILATERAL)
            continue;
        rate = lk_evaluate_coordinate_rate(sys, j->of[0], j->which[0], sys->twist);
        lk_evaluate_violation(sys, law->joint, phi);
        stop->counts = 0;
        set_tangent(sys, law, phi[0], rate);
        if (keep_impacts && stop->is_impact) {
            lk_loads_hold_stop(sys, law);
            sys->next.tangent[i] = sys->regular[row];
        }
    }
}

void lk_loads_hold_stop(struct lk_system *sys, const struct lk_law *law)
{
    int row = sys->joint[law->joint].row + law->row;

    sys->regular[row] = IMPACT_YIELD * sys->scale[row];
}

int lk_loads_impacts(const struct lk_system *sys)
{
    int impacts = 0;

    for (int i = 0; i < sys->n_laws && sys->n_stops > 0; i++)
        impacts |=
            sys->law[i].is_hard && (sys->law[i].now->stop.acts || sys->law[i].now->stop.ends);
    return impacts;
}

/* Compute the forces of the laws, and return the dissipated powers. @lambda: output, multipliers of
 * the laws; or NULL */
static struct lk_law_powers evaluate_laws(const struct lk_system *sys, const struct lk_state *state,
                                          int stops_act, double *lambda)
{
    struct lk_law_places places = {.joint = -1};
    struct lk_law_powers powers = {0};

    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        struct lk_law_value f;
        double rate, x;

        if (law->n_terms == 0) /* law of a tyre: tyres.c books the work */
            continue;
        x = lk_loads_next_place(sys, state, law, &places, &rate);
        lk_law_evaluate(law, sys->term, x, rate, stops_act || !law->is_hard, &f);
        powers.damping += f.dissipative * (rate + law->now->carry);
        powers.carried += f.dissipative * law->now->carry;
        if (lambda)
            lambda[sys->joint[law->joint].row + law->row] = f.elastic + f.dissipative;
    }
    return powers;
}

void lk_loads_powers_with(const struct lk_system *sys, const struct lk_state *state, double t,
                          const double *inputs, const struct lk_law_powers *laws,
                          struct lk_powers *ret)
{
    *ret = (struct lk_powers){
        .input = input_power(sys, inputs),
        .drive = lk_loads_drive_power(sys, state->lambda, 0),
        .applied = applied_power(sys, t) + laws->carried,
        .damping = laws->damping,
    };
}

void lk_loads_powers(const struct lk_system *sys, const struct lk_state *state, double t,
                     const double *inputs, struct lk_powers *ret)
{
    const struct lk_law_powers laws = evaluate_laws(sys, state, 1, NULL);

    lk_loads_powers_with(sys, state, t, inputs, &laws, ret);
}

static double kinetic_energy(const struct lk_body *body, const struct lk_motion *m)
{
    double Jw[3];

    lk_sym_mul(body->inertia, m->v.w, Jw);
    return 0.5 * (body->mass * lk_dot(m->v.v, m->v.v) + lk_dot(m->v.w, Jw));
}

double lk_loads_potential(const struct lk_system *sys, const struct lk_state *state)
{
    double potential = lk_elements_energy(sys, state);
    struct lk_law_places places = {.joint = -1};

    for (int i = 0; i < sys->n_laws; i++) {
        struct lk_law_value f;
        double rate, x;

        if (sys->law[i].n_terms == 0)
            continue;
        x = lk_loads_next_place(sys, state, &sys->law[i], &places, &rate);
        /* hard stops are impacts and store no energy */
        lk_law_evaluate(&sys->law[i], sys->term, x, rate, !sys->law[i].is_hard, &f);
        potential += f.potential;
    }
    for (int i = 0; i < sys->n_loads; i++) {
        const struct lk_load *l = &sys->load[i];
        double arm[3];

        if (!has_potential(l))
            continue;
        lk_rotate(sys->pose[l->body].R, l->point, arm);
        for (int k = 0; k < 3; k++)
            potential -= l->vector[k] * (state->motion[l->body].x[k] + arm[k]);
    }
    return potential;
}

void lk_loads_energies(const struct lk_system *sys, const struct lk_state *state,
                       double *ret_kinetic, double *ret_potential)
{
    double kinetic = 0, potential = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        kinetic += kinetic_energy(&sys->body[b], &state->motion[b]);
        potential -= sys->body[b].mass * lk_dot(sys->gravity, state->motion[b].x);
    }
    *ret_kinetic = kinetic + lk_modal_kinetic(sys, state);
    *ret_potential = potential + lk_loads_potential(sys, state);
}

double lk_restitution(const struct lk_system *sys, double sign, const struct lk_state *state,
                      double work)
{
    const struct lk_twist *bounce = sys->correction;
    double linear = 0, square = 0, kinetic, potential, left;

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_body *body = &sys->body[b];
        double Jw[3];

        lk_sym_mul(body->inertia, bounce[b].w, Jw);
        linear += body->mass * lk_dot(bounce[b].v, state->motion[b].v.v) +
                  lk_dot(Jw, state->motion[b].v.w);
        square += 0.5 * (body->mass * lk_dot(bounce[b].v, bounce[b].v) + lk_dot(Jw, bounce[b].w));
    }
    lk_loads_energies(sys, state, &kinetic, &potential);
    linear *= sign;
    left = sys->now.balance->kinetic + sys->now.balance->potential - kinetic - potential + work;
    /* find the largest fraction s, at most 1, with s linear + s^2 square <= left */
    if (linear + square <= left || square <= 0)
        return 1;
    return left <= 0
               ? 0
               : lk_max((sqrt(linear * linear + 4 * square * left) - linear) / (2 * square), 0);
}

void lk_bounce_back(struct lk_system *sys, struct lk_state *state)
{
    double part = lk_restitution(sys, 1, state, 0);

    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            state->motion[b].v.v[i] += part * sys->correction[b].v[i];
            state->motion[b].v.w[i] += part * sys->correction[b].w[i];
        }
}

struct lk_law_powers lk_loads_law_multipliers(const struct lk_system *sys,
                                              const struct lk_state *state, int stops_act,
                                              double *lambda)
{
    return evaluate_laws(sys, state, stops_act, lambda);
}

struct lk_law_powers lk_loads_accelerate(struct lk_system *sys, struct lk_state *state, double t,
                                         const double *inputs)
{
    const struct lk_law_powers powers = evaluate_laws(sys, state, 1, state->lambda);

    lk_tyres_settle(sys, state, state);
    lk_evaluate_transpose(sys, state->lambda, sys->residual);
    lk_evaluate_clear_frames(sys, sys->residual);
    lk_loads_subtract(sys, t, inputs, sys->residual);
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_quad *quad = &sys->quad[b / 4];
        const struct lk_twist *g = &sys->residual[b];
        struct lk_motion *m = &state->motion[b];
        double torque[3], turn[3];

        lk_gyroscopic(sys->body[b].inertia, m->v.w, torque);
        for (int i = 0; i < 3; i++)
            torque[i] += g->w[i];
        lk_sym_mul(sys->W[b].inertia, torque, turn);
        for (int i = 0; i < 3; i++) {
            m->a.v[i] = quad->massless[0][b % 4] > 0 ? m->a.v[i] : -sys->W[b].mass * g->v[i];
            m->a.w[i] = quad->massless[1][b % 4] > 0 ? m->a.w[i] : -turn[i];
        }
    }
    for (int i = 0; i < sys->n_modals; i++)
        lk_modal_accelerate(sys, &sys->modal[i], sys->residual, state);
    return powers;
}
