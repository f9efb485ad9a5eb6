/* SPDX-License-Identifier: Apache-2.0 */
#include "step/elements/bearing.h"
#include "maths/vec.h"
#include "step/elements/elements.h"
#include "step/elements/laws.h"
#include "step/kinematics.h"
#include <math.h>
#include <string.h>

bool lk_bearing_follows(const struct lk_system *sys, const struct lk_joint *j)
{
    return j->type == LK_JOINT_COORDINATE && j->law >= 0 && sys->law[j->law].by_load;
}

/* Return the side of @j that body @body is on. */
static int side_of(const struct lk_joint *j, int body)
{
    int s = 0;

    while (s + 1 < j->n_sides && j->body[s] != body)
        s++;
    return s;
}

/* Compute the Jacobian of a joint at the present poses: that of the system may be of the start of
 * the step. @values: memory for it */
static struct lk_jacobian evaluate(const struct lk_system *sys, const struct lk_joint *j,
                                   double values[6 * LK_SIDES_MAX * LK_ROWS_PAD])
{
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);
    struct lk_jacobian jacobian = sys->jacobian[j - sys->joint];

    jacobian.J = values;
    memset(values, 0, 6 * LK_SIDES_MAX * LK_ROWS_PAD * sizeof(*values));
    lk_joint_jacobian(j, pose, jacobian);
    return jacobian;
}

/* Compute the axis of a coordinate [unit vector, world] from its row on side @side. */
static void find_axis(const struct lk_system *sys, const struct lk_joint *j, int side,
                      bool is_angle, const double R[9], double ret[3])
{
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD], row[6], size;

    lk_jacobian_row(evaluate(sys, j, values), side, 0, row);
    if (is_angle)
        lk_rotate(R, row + 3, ret);
    else
        memcpy(ret, row, 3 * sizeof(*ret));
    size = lk_norm(ret);
    for (int i = 0; i < 3; i++)
        ret[i] /= lk_max(size, 1e-300);
}

/* Return the size of @v across the unit vector @axis. */
static double across(const double v[3], const double axis[3])
{
    double along = lk_dot(v, axis), rest[3];

    for (int i = 0; i < 3; i++)
        rest[i] = v[i] - along * axis[i];
    return lk_norm(rest);
}

/* Return N of @term for the reaction of joint @of, whose axis is that of row @j. */
static double normal_force(const struct lk_system *sys, const struct lk_joint *j,
                           const struct lk_joint *of, const struct lk_term *term,
                           const double *lambda)
{
    int side = of->n_sides > 1 && of->body[1] < sys->n_bodies ? 1 : 0, body = of->body[side];
    double F[3] = {0}, w[3] = {0}, M[3], axis[3], arm[3], moment[3];
    double values[6 * LK_SIDES_MAX * LK_ROWS_PAD];
    struct lk_jacobian jacobian = evaluate(sys, of, values);
    const double *R = sys->pose[body].R;

    for (int r = 0; r < of->n_rows; r++) {
        double row[6];

        lk_jacobian_row(jacobian, side, r, row);
        for (int i = 0; i < 3; i++) {
            F[i] += lambda[of->row + r] * row[i];
            w[i] += lambda[of->row + r] * row[3 + i];
        }
    }
    lk_rotate(R, w, M);
    lk_rotate(R, of->p[side], arm);
    lk_cross(arm, F, moment);
    for (int i = 0; i < 3; i++)
        M[i] -= moment[i];
    find_axis(sys, j, side_of(j, body), term->radius > 0, R, axis);
    return across(F, axis) + across(M, axis) * term->reach;
}

/* Set N of the friction on row @j. @keeps: N keeps its value where it would be 0 */
static void follow(const struct lk_system *sys, const struct lk_joint *j, const double *lambda,
                   bool keeps)
{
    const struct lk_law *law = &sys->law[j->law];

    for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
        const struct lk_term *t = &sys->term[k];
        double normal;

        if (t->kind != LK_TERM_FRICTION || t->contact < 0)
            continue;
        normal = normal_force(sys, j, &sys->joint[t->contact], t, lambda);
        if (normal > 0 || !keeps)
            t->now->load = (t->radius > 0 ? t->radius : 1) * normal;
    }
}

void lk_bearing_follow(const struct lk_system *sys, const struct lk_joint *j, const double *lambda)
{
    if (lk_bearing_follows(sys, j) && !sys->elements->keeps_loads)
        follow(sys, j, lambda, true);
}

void lk_bearings_refer(const struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_joints && sys->has_bearings; i++)
        if (lk_bearing_follows(sys, &sys->joint[i]))
            follow(sys, &sys->joint[i], state->lambda, false);
}

static bool is_in(const struct lk_system *sys)
{
    return sys->has_bearings;
}

/* Evaluate the law of row @j at the value @x and the rate @rate, with the normal forces of the
 * start of the step, or with the mean of these and the present ones. */
static double force_of(const struct lk_system *sys, const struct lk_joint *j, double x, double rate,
                       bool is_mean)
{
    const struct lk_law *law = &sys->law[j->law];
    struct lk_law_value f;

    for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
        struct lk_term_now *now = sys->term[k].now;

        now->load = is_mean ? 0.5 * (now->load_start + now->load_end) : now->load_start;
    }
    lk_law_evaluate(law, sys->term, x, rate, 1, &f);
    return f.elastic + f.dissipative;
}

double lk_bearing_change(const struct lk_system *sys, const struct lk_joint *j, double x,
                         double rate)
{
    const struct lk_law *law = &sys->law[j->law];
    double change;

    for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
        sys->term[k].now->load_end = sys->term[k].now->load;
    change = force_of(sys, j, x, rate, true) - force_of(sys, j, x, rate, false);
    for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
        sys->term[k].now->load = sys->term[k].now->load_end;
    return change;
}

/* Each step begins with the normal forces of its state. */
static void begin_step(struct lk_system *sys, const double *inputs)
{
    (void)inputs;
    lk_bearings_refer(sys, &sys->now);
    for (int k = 0; k < sys->n_terms; k++)
        sys->term[k].now->load_start = sys->term[k].now->load;
}

/* A step of `rattle` keeps them, see follow_loads() in rattle.c. */
static void keep(struct lk_system *sys, const double *inputs)
{
    (void)inputs;
    sys->elements->keeps_loads = true;
}

const struct lk_element_ops lk_bearing_ops = {.is_in = is_in, .follow = begin_step, .start = keep};
