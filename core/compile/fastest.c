/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/fastest.h"
#include "compile/hanging.h"
#include "maths/vec.h"
#include "model/model.h"
#include "step/elements/loads.h"
#include "step/elements/tension.h"
#include "step/kinematics.h"
#include "step/modal.h"
#include "step/one/evaluate.h"
#include "step/scripts/step.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define POWER_ROUNDS 100
/* growth below which a mode is round-off, relative to the largest growth */
#define NOTHING 1e-9

/* Return the stiffness or damping of a linear law, or the steepest slope of another law, which
 * is the slope without slip. */
double lk_steepest_tangent(const struct lk_system *sys, int i, int is_damping)
{
    struct lk_law_value f;

    lk_law_evaluate(&sys->law[i], sys->term, 0, -sys->law[i].now->carry, 1, &f);
    return is_damping ? f.damping : f.stiffness;
}

int lk_lacks_inertia(const struct lk_system *sys, int b)
{
    const struct lk_quad *q = &sys->quad[b / 4];
    int lane = b % 4;

    return q->massless[0][lane] > 0 || q->massless[1][lane] > 0 || q->thin[0][lane] != 0 ||
           q->thin[1][lane] != 0 || q->thin[2][lane] != 0;
}

/* Return the tangent of a law for the estimate of frequencies. In an explicit formulation, a spring
 * at a body without inertia is in equilibrium and has no mode. */
static double tangent_at_work(const struct lk_system *sys, int i, int is_damping)
{
    const struct lk_joint *j = &sys->joint[sys->law[i].joint];

    for (int s = 0; s < j->n_sides && sys->formulation->is_explicit; s++)
        if (j->body[s] < sys->n_bodies && lk_lacks_inertia(sys, j->body[s]))
            return 0;
    return lk_steepest_tangent(sys, i, is_damping);
}

void lk_fastest_accelerate(struct lk_system *sys)
{
    lk_evaluate_weigh(sys, sys->sW, sys->residual);
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, i, sys->residual, rates);
        for (int r = 0; r < j->n_rows; r++)
            sys->solution[j->row + r] = r < lk_rigid_rows(j) ? rates[r] : 0;
    }
    lk_evaluate_correction(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            sys->residual[b].v[i] -= sys->correction[b].v[i];
            sys->residual[b].w[i] -= sys->correction[b].w[i];
        }
}

/* Make one round of the power iteration, @u := K^1/2 Phi A Phi^T K^1/2 u over the compliant rows,
 * where A is the inverse mass under the rigid rows. Return: the norm of the new u; before the round
 * the norm is 1. @ret_law: law with the largest component */
static double grow_mode(struct lk_system *sys, int is_damping, double *u, int *ret_law)
{
    double square = 0, most = 0;

    memset(sys->next.lambda, 0, (size_t)sys->n_rows * sizeof(double));
    for (int i = 0; i < sys->n_laws; i++)
        sys->next.lambda[sys->joint[sys->law[i].joint].row + sys->law[i].row] =
            sqrt(tangent_at_work(sys, i, is_damping)) * u[i];
    lk_evaluate_transpose(sys, sys->next.lambda, sys->residual);
    lk_fastest_accelerate(sys);
    for (int i = 0; i < sys->n_laws; i++) {
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, sys->law[i].joint, sys->residual, rates);
        u[i] = sqrt(tangent_at_work(sys, i, is_damping)) * rates[sys->law[i].row] / sys->s;
        square += u[i] * u[i];
        if (fabs(u[i]) > most) {
            most = fabs(u[i]);
            *ret_law = i;
        }
    }
    for (int i = 0; i < sys->n_laws && square > 0; i++)
        u[i] /= sqrt(square);
    return sqrt(square);
}

/* Compute the square of the fastest frequency of all springs of the mechanism at its start
 * [rad^2/s^2], or the fastest rate at which its dampers stop a motion [1/s]. */
static double fastest(struct lk_system *sys, int is_damping, int *ret_law)
{
    double *u = sys->next.tangent, found = 0;

    for (int i = 0; i < sys->n_laws; i++) {
        u[i] = cos(i) / sqrt(sys->n_laws); /* irregular: orthogonal to no mode */
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = LK_DECOUPLED;
    }
    lk_evaluate_factor(sys);
    for (int round = 0; round < POWER_ROUNDS && sys->n_laws > 0; round++)
        found = grow_mode(sys, is_damping, u, ret_law);
    lk_start_renew(sys);
    return found;
}

/* return the element that contributes most to a law's stiffness or damping, or the compliant joint
 */
const char *lk_fastest_law_name(const struct lk_system *sys, const struct lk_model *m, int i,
                                int is_damping)
{
    const struct lk_law *law = &sys->law[i];
    const struct lk_term *found = &sys->term[law->first_term];

    for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
        const struct lk_term *t = &sys->term[k];

        if (is_damping ? t->now->damping > found->now->damping
                       : t->now->stiffness > found->now->stiffness)
            found = t;
    }
    return found->force >= 0 ? m->forces[found->force].name : sys->joint_name[law->joint];
}

/* ---- modes of turning bodies ---- */

/** struct turning - restoring torques of rotating bodies.
 * @torque: function that computes the torque on body @b for the rotation or rate @turn, body axes
 * @K: stiffness of each body, if @torque uses it */
struct turning {
    void (*torque)(const struct lk_system *sys, const struct turning *turning, int b,
                   const double turn[3], double ret[3]);
    double (*K)[6];
};

/* compute the torque due to a rotation of the angular momentum */
static void gyroscopic_torque(const struct lk_system *sys, const struct turning *turning, int b,
                              const double turn[3], double ret[3])
{
    double momentum[3];

    (void)turning;
    lk_sym_mul(sys->body[b].inertia, sys->now.motion[b].v.w, momentum);
    lk_cross(momentum, turn, ret);
}

/* compute the torque due to the geometric stiffness, see step/elements/tension.h and
 * compile/hanging.h */
static void pulling_torque(const struct lk_system *sys, const struct turning *turning, int b,
                           const double turn[3], double ret[3])
{
    (void)sys;
    lk_sym_mul(turning->K[b], turn, ret);
}

/* return twice the kinetic energy of body @b at the twist in system->residual */
static double energy_of(const struct lk_system *sys, int b)
{
    const struct lk_twist *t = &sys->residual[b];
    double momentum[3];

    lk_sym_mul(sys->body[b].inertia, t->w, momentum);
    return sys->body[b].mass * lk_dot(t->v, t->v) + lk_dot(t->w, momentum);
}

/* Make one round of the power iteration in the metric of the mass: torques of the twists in
 * system->residual, then their accelerations under the rigid rows. Return: growth of the norm.
 * @ret_body: body with the largest energy */
static double grow_turning(struct lk_system *sys, const struct turning *turning, int *ret_body)
{
    double square = 0, most = 0, size;

    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_twist *t = &sys->residual[b];
        double turn[3] = {t->w[0], t->w[1], t->w[2]};

        memset(t, 0, sizeof(*t));
        turning->torque(sys, turning, b, turn, t->w);
    }
    lk_fastest_accelerate(sys);
    for (int b = 0; b < sys->n_bodies; b++) {
        double part = energy_of(sys, b);

        square += part;
        if (part > most) {
            most = part;
            *ret_body = sys->body[b].of;
        }
    }
    size = sqrt(square);
    for (int b = 0; b < sys->n_bodies && size > 0; b++)
        for (int i = 0; i < 3; i++) {
            sys->residual[b].v[i] /= size;
            sys->residual[b].w[i] /= size;
        }
    return size / sys->s;
}

/* Compute the fastest nutation of the mechanism at its start [rad/s], or the square of its fastest
 * swing across the forces in its joints [rad^2/s^2]. A body that turns about a fixed axis has
 * neither. */
static double fastest_turning(struct lk_system *sys, const struct turning *turning, int *ret_body)
{
    double found = 0, largest = 0;

    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = LK_DECOUPLED;
    lk_evaluate_factor(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++)
            sys->residual[b].w[i] = cos(3 * b + i); /* irregular: orthogonal to no mode */
    for (int round = 0; round < POWER_ROUNDS && (round == 0 || found > 0); round++) {
        found = grow_turning(sys, turning, ret_body);
        largest = fmax(largest, found);
        found = found > NOTHING * largest ? found : 0;
    }
    lk_start_renew(sys);
    return found;
}

/* ---- of the whole mechanism ---- */

double lk_fastest_spring(struct lk_system *sys, int *ret_law)
{
    return sqrt(fastest(sys, 0, ret_law));
}

double lk_fastest_decay(struct lk_system *sys, int *ret_law)
{
    return fastest(sys, 1, ret_law);
}

double lk_fastest_nutation(struct lk_system *sys, int *ret_body)
{
    return fastest_turning(sys, &(struct turning){.torque = gyroscopic_torque}, ret_body);
}

int lk_fastest_swing(struct lk_system *sys, double *ret_rate, int *ret_body)
{
    struct turning turning = {pulling_torque, calloc((size_t)sys->n_bodies, 6 * sizeof(double))};
    double root[6];

    if (!turning.K)
        return -ENOMEM;
    lk_evaluate_poses(sys, &sys->now);
    lk_tension_all(sys, turning.K);
    for (int b = 0; b < sys->n_bodies; b++)
        if (!lk_tension_root(sys->body[b].inertia, root))
            memset(turning.K[b], 0, sizeof(turning.K[b]));
    *ret_rate = sqrt(fastest_turning(sys, &turning, ret_body));
    free(turning.K);
    return 0;
}

#define HANGS 1e-3 /* s K / J below which bodies are not examined */

int lk_fastest_hanging(struct lk_system *sys, double *ret_rate, int *ret_body)
{
    struct turning turning = {pulling_torque, calloc((size_t)sys->n_bodies, 6 * sizeof(double))};
    bool *scratch = calloc((size_t)sys->n_bodies, sizeof(*scratch)), is_any = false;
    double root[6], rate = 0;

    for (int b = 0; b < sys->n_bodies && turning.K && scratch; b++)
        if (sys->body[b].tension > HANGS && lk_tension_root(sys->body[b].inertia, root)) {
            lk_hanging_stiffness(sys, b, lk_hanging_weight(sys, b, scratch), turning.K[b]);
            is_any = true;
        }
    if (is_any)
        rate = sqrt(fastest_turning(sys, &turning, ret_body));
    *ret_rate = rate;
    free(turning.K);
    free(scratch);
    return turning.K && scratch ? 0 : -ENOMEM;
}

/* ---- a motion ---- */

/* response to a blow, relative to the response without joints, below which the response is an
 * effect of E only */
#define HELD 1e-6

/* return s times the power of the forces in system->residual on the accelerations that the
 * bodies would have without joints */
static double yield_alone(const struct lk_system *sys)
{
    double sum = 0;

    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_twist *f = &sys->residual[b];
        double turn[3];

        lk_sym_mul(sys->sW[b].inertia, f->w, turn);
        sum += sys->sW[b].mass * lk_dot(f->v, f->v) + lk_dot(f->w, turn);
    }
    return sum;
}

/* compute the factor of the rigid rows alone, in the present pose */
static void renew_rigid(struct lk_system *sys)
{
    lk_start_renew(sys);
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = LK_DECOUPLED;
    lk_evaluate_factor(sys);
}

/* Add to system->now the motion after a blow along the coordinate, scaled to the rate. Bodies with
 * modes do not bend in it. */
bool lk_blow_to_rate(struct lk_system *sys, int joint, double rate)
{
    const struct lk_input along = {.type = LK_INPUT_JOINT_FORCE, .joint = joint};
    const double blow = -1, unit = 1;
    double before, gained, least;

    lk_modal_weigh_by(sys, LK_MODAL_RIGID);
    renew_rigid(sys);
    memset(sys->residual, 0, (size_t)(sys->n_bodies + 1 + sys->n_frames) * sizeof(*sys->residual));
    lk_loads_subtract_input(sys, &along, &blow, sys->residual);
    least = HELD * yield_alone(sys);
    lk_fastest_accelerate(sys);
    before = lk_loads_input_power(sys, &along, &unit, sys->twist);
    gained = lk_loads_input_power(sys, &along, &unit, sys->residual);
    for (int b = 0; b < sys->n_bodies && gained > least; b++)
        for (int i = 0; i < 3; i++) {
            sys->now.motion[b].v.v[i] += (rate - before) / gained * sys->residual[b].v[i];
            sys->now.motion[b].v.w[i] += (rate - before) / gained * sys->residual[b].w[i];
        }
    lk_modal_weigh_by(sys, LK_MODAL_FREE);
    lk_start_renew(sys);
    return gained > least;
}

/* return the rate that a sensor measures if bodies have @twist */
static double rate_of(const struct lk_system *sys, const struct lk_net_sensor *s,
                      const struct lk_twist *twist)
{
    double rates[LK_ROWS_PAD];

    if (s->law >= 0) {
        lk_evaluate_row_rates(sys, sys->law[s->law].joint, twist, rates);
        return rates[sys->law[s->law].row];
    }
    for (int i = 0; i < sys->n_named_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];
        int which = s->at - j->first_coordinate;

        if (which >= 0 && which < lk_joint_traits[j->type].n_coordinates)
            return lk_evaluate_coordinate_rate(sys, j, which, twist);
    }
    return 0;
}

void lk_blow_answer(struct lk_system *sys, int push, double *ret, int stride)
{
    int term = sys->net.push[push].term;

    renew_rigid(sys);
    memset(sys->next.lambda, 0, (size_t)sys->n_rows * sizeof(double));
    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];

        if (term >= law->first_term && term < law->first_term + law->n_terms)
            sys->next.lambda[sys->joint[law->joint].row + law->row] = 1;
    }
    lk_evaluate_transpose(sys, sys->next.lambda, sys->residual);
    lk_fastest_accelerate(sys);
    for (int i = 0; i < sys->net.n_sensors; i++)
        ret[i * stride] = rate_of(sys, &sys->net.sensor[i], sys->residual) / sys->s;
}
