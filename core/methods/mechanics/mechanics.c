/* SPDX-License-Identifier: Apache-2.0 */
#include "methods/mechanics/mechanics.h"
#include "compile/compile.h"
#include "step/elements/loads.h"
#include "step/equations.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/scripts/step.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- create and free ---- */

/* Refuse elements whose forces are not smooth, because methods of high order cannot integrate them.
 * Also refuse elements that only rattle supports. */
static int refuse_kinks(const struct lk_model *m, struct lk_error *ret_error)
{
    if (m->n_blocks > 0) {
        lk_error_set(ret_error, "'%s' is a block, expected formulation rattle for it",
                     m->blocks[0].name);
        return LK_E_MODEL;
    }
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        if (f->type == LK_FORCE_TYRE || f->type == LK_FORCE_LINE || f->type == LK_FORCE_CONTACT) {
            lk_error_set(ret_error, "'%s' is a %s, expected formulation rattle for it", f->name,
                         f->type == LK_FORCE_TYRE      ? "tyre"
                         : f->type == LK_FORCE_CONTACT ? "contact"
                                                       : "line");
            return LK_E_MODEL;
        }
        if (f->type != LK_FORCE_FRICTION && f->type != LK_FORCE_STOP)
            continue;
        lk_error_set(ret_error, "%s '%s' is not smooth, expected formulation rattle for it",
                     f->type == LK_FORCE_STOP ? "the stop" : "friction", f->name);
        return LK_E_MODEL;
    }
    for (int i = 0; i < m->n_drives; i++) {
        if (m->drives[i].type != LK_DRIVE_INPUT)
            continue;
        lk_error_set(ret_error,
                     "a drive of '%s' follows samples of an input, expected a drive over time, or "
                     "formulation rattle",
                     m->joints[m->drives[i].joint].name);
        return LK_E_MODEL;
    }
    return 0;
}

static void number_rows(struct lk_mechanics *m)
{
    const struct lk_system *sys = m->system;

    for (int i = 0; i < sys->n_joints; i++) {
        if (lk_is_compliant(&sys->joint[i]))
            continue;
        m->block[m->n_blocks] = i;
        m->first_row[m->n_blocks++] = m->n_rows;
        m->n_rows += lk_rigid_rows(&sys->joint[i]);
    }
    m->first_row[m->n_blocks] = m->n_rows;
}

int lk_mechanics_over(struct lk_system *sys, struct lk_mechanics **ret)
{
    size_t joints = (size_t)sys->n_joints;
    struct lk_mechanics *m = calloc(1, sizeof(*m));
    int *places = calloc(2 * joints + 1, sizeof(*places));
    struct lk_motion *end = calloc((size_t)sys->n_bodies + 1, sizeof(*end));

    if (!m || !places || !end) {
        free(m);
        free(places);
        free(end);
        return -ENOMEM;
    }
    *m = (struct lk_mechanics){
        .system = sys,
        .inputs = sys->now.inputs,
        .n_bodies = sys->n_bodies,
        .n_velocities = 6 * sys->n_bodies,
        .block = places,
        .first_row = places + joints,
        .end = end,
    };
    number_rows(m);
    lk_mechanics_start(m);
    *ret = m;
    return 0;
}

/* Evaluate the initial state, so that the powers at the beginning of the first step are known. */
static void evaluate_start(struct lk_mechanics *m)
{
    lk_mechanics_evaluate(m, 0);
    lk_mechanics_complete(m);
    lk_loads_powers(m->system, &m->system->next, 0, m->inputs, &m->powers);
    lk_step_swap(m->system);
    lk_mechanics_start(m);
}

int lk_mechanics_new(const struct lk_model *model, double step, struct lk_mechanics **ret,
                     struct lk_error *ret_error)
{
    const struct lk_options options = {.step = step};
    const struct lk_compile_request how = {.formulation = &lk_formulation_ali3, .is_bare = 1};
    struct lk_system *sys = NULL;
    int r = refuse_kinks(model, ret_error);

    if (r == 0)
        r = lk_compile(model, &options, how, &sys, ret_error);
    if (r != 0)
        return r;
    lk_system_decouple_laws(sys);
    r = lk_mechanics_over(sys, ret);
    if (r != 0) {
        lk_system_free(sys);
        return r;
    }
    (*ret)->owns_system = 1;
    evaluate_start(*ret);
    return 0;
}

void lk_mechanics_free(struct lk_mechanics *m)
{
    if (!m)
        return;
    if (m->owns_system)
        lk_system_free(m->system);
    free(m->block);
    free(m->end);
    free(m);
}

/* ---- the state ---- */

void lk_mechanics_start(struct lk_mechanics *m)
{
    struct lk_system *sys = m->system;

    memcpy(sys->next.block, sys->now.block, sys->state_size * sizeof(double));
    m->time = sys->now.balance->steps * sys->h;
}

struct lk_motion *lk_mechanics_motion(struct lk_mechanics *m)
{
    return m->system->next.motion;
}

/* Choose the sign of each quaternion that is nearer to the last accepted quaternion, so that
 * outputs do not jump. */
static void keep_signs(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const double *old = sys->now.motion[b].q;
        double *q = sys->next.motion[b].q, along = 0;

        for (int i = 0; i < 4; i++)
            along += old[i] * q[i];
        for (int i = 0; i < 4; i++)
            q[i] = along < 0 ? -q[i] : q[i];
    }
}

void lk_mechanics_evaluate(struct lk_mechanics *m, double t)
{
    struct lk_system *sys = m->system;

    m->time = t;
    m->n_evaluations++;
    sys->unwrapping = 0.5 * (t - sys->now.balance->steps * sys->h);
    sys->next.balance->steps = t / sys->h;
    lk_drives_evaluate(sys, &sys->next);
    lk_evaluate_poses(sys, &sys->next);
    lk_evaluate_jacobians(sys);
    lk_mechanics_evaluate_velocities(m);
}

void lk_mechanics_evaluate_velocities(struct lk_mechanics *m)
{
    keep_signs(m->system);
    lk_evaluate_twists(m->system, &m->system->next);
    if (m->system->n_laws > 0)
        lk_keep_coordinates(m->system);
}

/* ---- forces ---- */

/* Write the multipliers of compliant rows to system->next, and set the multipliers of rigid rows to
 * zero. */
static void evaluate_laws(struct lk_system *sys)
{
    for (int r = 0; r < sys->n_rows; r++)
        sys->next.lambda[r] = 0;
    lk_loads_law_multipliers(sys, &sys->next, 1, sys->next.lambda);
}

void lk_mechanics_loads(struct lk_mechanics *m, struct lk_twist *ret)
{
    struct lk_system *sys = m->system;

    evaluate_laws(sys);
    lk_evaluate_transpose(sys, sys->next.lambda, sys->residual);
    lk_evaluate_clear_frames(sys, sys->residual);
    lk_loads_subtract(sys, m->time, m->inputs, sys->residual);
    for (int b = 0; b < m->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            ret[b].v[i] = -sys->residual[b].v[i];
            ret[b].w[i] = -sys->residual[b].w[i];
        }
}

void lk_mechanics_forces(struct lk_mechanics *m, struct lk_twist *ret)
{
    const struct lk_system *sys = m->system;

    lk_mechanics_loads(m, ret);
    for (int b = 0; b < m->n_bodies; b++) {
        const double *w = sys->next.motion[b].v.w;
        double torque[3];

        lk_gyroscopic(sys->body[b].inertia, w, torque);
        for (int i = 0; i < 3; i++)
            ret[b].w[i] -= torque[i];
    }
}

/* ---- rows ---- */

void lk_mechanics_violation(const struct lk_mechanics *m, double *ret)
{
    for (int i = 0; i < m->n_blocks; i++) {
        double phi[LK_ROWS_MAX];

        lk_evaluate_violation(m->system, m->block[i], phi);
        for (int r = m->first_row[i]; r < m->first_row[i + 1]; r++)
            ret[r] = phi[r - m->first_row[i]];
    }
}

void lk_mechanics_explicit_rates(const struct lk_mechanics *m, double *ret)
{
    const struct lk_system *sys = m->system;
    struct lk_twist *moving = sys->residual;

    for (int b = 0; b < sys->n_bodies + 1 + sys->n_frames; b++)
        moving[b] = b > sys->n_bodies ? sys->twist[b] : (struct lk_twist){{0}, {0}};
    for (int i = 0; i < m->n_blocks; i++) {
        const struct lk_joint *j = &sys->joint[m->block[i]];
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, m->block[i], moving, rates);
        if (j->kind == LK_ROWS_DRIVEN)
            rates[0] -= sys->drive[j->drive].rate;
        for (int r = m->first_row[i]; r < m->first_row[i + 1]; r++)
            ret[r] = rates[r - m->first_row[i]];
    }
}

void lk_mechanics_rates(const struct lk_mechanics *m, double *ret)
{
    const struct lk_system *sys = m->system;

    for (int i = 0; i < m->n_blocks; i++) {
        const struct lk_joint *j = &sys->joint[m->block[i]];
        double rates[LK_ROWS_PAD];

        lk_evaluate_row_rates(sys, m->block[i], sys->twist, rates);
        if (j->kind == LK_ROWS_DRIVEN)
            rates[0] -= sys->drive[j->drive].rate;
        for (int r = m->first_row[i]; r < m->first_row[i + 1]; r++)
            ret[r] = rates[r - m->first_row[i]];
    }
}

/* Compute gamma: d2Phi/dt2 with zero accelerations of all bodies, but with the accelerations of the
 * frames that drives move. */
void lk_mechanics_gamma(const struct lk_mechanics *m, double *ret)
{
    const struct lk_system *sys = m->system;
    struct lk_twist *moving = sys->residual;

    for (int b = 0; b <= sys->n_bodies; b++)
        moving[b] = (struct lk_twist){{0}, {0}};
    for (int k = 0; k < sys->n_frames; k++) {
        const double *a = sys->frame[k].acceleration;

        moving[sys->n_bodies + 1 + k] = (struct lk_twist){{a[0], a[1], a[2]}, {a[3], a[4], a[5]}};
    }
    for (int i = 0; i < m->n_blocks; i++) {
        double gamma[LK_ROWS_MAX], rates[LK_ROWS_PAD];

        lk_evaluate_gamma(sys, m->block[i], gamma);
        lk_evaluate_row_rates(sys, m->block[i], moving, rates);
        for (int r = m->first_row[i]; r < m->first_row[i + 1]; r++)
            ret[r] = gamma[r - m->first_row[i]] + rates[r - m->first_row[i]];
    }
}

void lk_mechanics_read_block(const struct lk_mechanics *m, int i, struct lk_mechanics_block *ret)
{
    const struct lk_joint *j = &m->system->joint[m->block[i]];

    ret->joint = m->block[i];
    ret->first_row = m->first_row[i];
    ret->n_rows = lk_rigid_rows(j);
    ret->n_sides = 0;
    for (int s = 0; s < j->n_sides; s++) {
        if (j->body[s] >= m->n_bodies)
            continue;
        ret->body[ret->n_sides] = j->body[s];
        for (int r = 0; r < lk_rigid_rows(j); r++)
            lk_jacobian_row(m->system->jacobian[m->block[i]], s, r, ret->J[ret->n_sides][r]);
        ret->n_sides++;
    }
}

void lk_mechanics_jacobian(const struct lk_mechanics *m, double *ret)
{
    struct lk_mechanics_block block;

    memset(ret, 0, (size_t)m->n_rows * (size_t)m->n_velocities * sizeof(double));
    for (int i = 0; i < m->n_blocks; i++) {
        lk_mechanics_read_block(m, i, &block);
        for (int s = 0; s < block.n_sides; s++)
            for (int r = 0; r < block.n_rows; r++)
                for (int k = 0; k < 6; k++)
                    ret[(block.first_row + r) * m->n_velocities + 6 * block.body[s] + k] +=
                        block.J[s][r][k];
    }
}

void lk_mechanics_mass(const struct lk_mechanics *m, double *ret)
{
    int n = m->n_velocities;

    memset(ret, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int b = 0; b < m->n_bodies; b++) {
        const struct lk_body *body = &m->system->body[b];

        for (int i = 0; i < 3; i++) {
            ret[(6 * b + i) * n + 6 * b + i] = body->mass;
            for (int k = 0; k < 3; k++)
                ret[(6 * b + 3 + i) * n + 6 * b + 3 + k] = body->inertia[lk_sym_at(i, k)];
        }
    }
}

/* ---- accepted states ---- */

void lk_mechanics_take_multipliers(struct lk_mechanics *m, const double *lambda)
{
    struct lk_system *sys = m->system;

    evaluate_laws(sys);
    for (int i = 0; i < m->n_blocks; i++)
        for (int r = m->first_row[i]; r < m->first_row[i + 1]; r++)
            sys->next.lambda[sys->joint[m->block[i]].row + r - m->first_row[i]] = lambda[r];
    if (sys->shows_condition) /* an output needs the pivots of the factor */
        lk_evaluate_factor(sys);
}
