/* SPDX-License-Identifier: Apache-2.0 */
/* What is too fast for the step: springs, rotors, and bodies that swing across a tension. */
#include "analysis/findings.h"
#include "compile/fill.h"
#include "maths/vec.h"
#include "model/reader.h"
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define SWING_MAX   1.0  /* w h of a swing that is followed [rad]: six steps a period */
#define TURN_MAX    0.1  /* of a body in a step [rad] */
#define BALANCE     0.01 /* accelerations of a balanced rotor, in w^2 times its size */
#define TENSION_MAX 0.1  /* s times the square of the swing across the tension, s = h^2 / 4 */

/* Springs and dampers of a row in the present pose; stops and friction take care of themselves. */
static struct lk_law_value springs_of(const struct lk_system *sys, const struct lk_law *law)
{
    struct lk_law_value f = {0};
    double phi[LK_ROWS_MAX];

    lk_evaluate_violation(sys, law->joint, phi);
    for (int k = law->first_term; k < law->first_term + law->n_terms; k++)
        if (sys->term[k].kind < LK_TERM_FRICTION)
            lk_term_evaluate(&sys->term[k], phi[law->row], 0, &f);
    return f;
}

/* Whether there is time for one factorisation more, which is less than half of a step. */
static bool may_factor(struct lk_inspection *in)
{
    const struct lk_bounds *bounds = in->bounds;

    in->flops += 0.5 * in->sys->summary.step_flops;
    return bounds == NULL ||
           ((bounds->flops_max == 0 || in->flops <= bounds->flops_max) &&
            (bounds->is_cancelled == NULL || !bounds->is_cancelled(bounds->context)));
}

static void inspect_spring(struct lk_inspection *in, const struct lk_law *law)
{
    struct lk_system *sys = in->sys;
    struct lk_law_value f = springs_of(sys, law);
    double alone = sys->scale[sys->joint[law->joint].row + law->row] / sys->s, mobility, w;
    char where[LK_TEXT_SIZE];
    struct lk_finding *finding;

    /* with all joints a row is no easier to move than without */
    if (!(sqrt(f.stiffness * alone) * sys->h > SWING_MAX))
        return;
    if (f.damping * alone >= 2 * sqrt(f.stiffness * alone))
        return; /* a light body that its damper lets creep */
    if (!sys->formulation->is_explicit && !may_factor(in))
        return;
    mobility = sys->formulation->is_explicit ? alone : lk_fill_mobility(sys, law);
    w = sqrt(f.stiffness * mobility);
    if (!(w * sys->h > SWING_MAX) || f.damping * mobility >= 2 * w)
        return;
    finding = lk_finding_add(in, "spring-too-stiff", lk_finding_joint(sys, law->joint, where),
                             "oscillates at %.3g Hz, %.2g steps a period: the step cannot follow "
                             "it; expected a step of at "
                             "most %.2g s, a softer spring, or a rigid joint",
                             w / (2 * M_PI), 2 * M_PI / (w * sys->h), SWING_MAX / w);
    lk_finding_number(finding, "frequency", "Hz", w / (2 * M_PI));
    lk_finding_number(finding, "angle_a_step", "rad", w * sys->h);
}

/* Whether what a body does while it turns changes its motion: its centre of mass is off the axis,
 * or it reels. What turns about a principal axis through its centre is stepped exactly. */
static bool is_unbalanced(const struct lk_system *sys, int b, double w)
{
    const struct lk_body *body = &sys->body[b];
    const struct lk_motion *m = &sys->start.motion[b];
    double moment[3], size;

    lk_principal_moments(body->inertia, moment);
    size = body->mass > 0 ? sqrt(moment[2] / body->mass) : 0;
    return lk_norm(m->a.v) > BALANCE * w * w * size || lk_norm(m->a.w) > BALANCE * w * w;
}

static void inspect_rotor(struct lk_inspection *in, int b)
{
    const struct lk_system *sys = in->sys;
    double w = lk_norm(sys->start.motion[b].v.w);
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    if (!(w * sys->h > TURN_MAX) || !is_unbalanced(sys, b, w))
        return;
    snprintf(where, sizeof(where), "body %s", sys->body_name[b]);
    f = lk_finding_add(
        in, "rotor-too-fast", where,
        "starts with %.4g rad/s, %.2g rad a step: the step brakes what turns so fast; "
        "expected a step of at most %.2g s",
        w, w * sys->h, TURN_MAX / w);
    lk_finding_number(f, "speed", "rad/s", w);
    lk_finding_number(f, "angle_a_step", "rad", w * sys->h);
}

/* sum + (l.f) 1 - (l f^T + f l^T) / 2 : how a force at a lever turns a body back */
static void add_tension(const double l[3], const double f[3], double sum[6])
{
    static const int at[6][2] = {{0, 0}, {1, 1}, {2, 2}, {0, 1}, {0, 2}, {1, 2}};

    for (int i = 0; i < 6; i++) {
        int a = at[i][0], b = at[i][1];

        sum[i] += (a == b ? lk_dot(l, f) : 0) - 0.5 * (l[a] * f[b] + f[a] * l[b]);
    }
}

/* Of all joints of body @b at the start, body axes, xx yy zz xy xz yz [N m]. */
static void tension_of(const struct lk_inspection *in, int b, double sum[6])
{
    const struct lk_system *sys = in->sys;
    struct lk_pose pose;

    memset(sum, 0, 6 * sizeof(double));
    lk_evaluate_pose_of(sys, b, &pose);
    for (int j = 0; j < sys->n_joints; j++) {
        const struct lk_joint *joint = &sys->joint[j];
        double reaction[6], force[3];

        if (joint->of[0] || lk_is_compliant(joint) || (joint->body[0] != b && joint->body[1] != b))
            continue;
        lk_system_joint_reaction(sys, j, reaction);
        for (int s = 0; s < 2; s++) {
            if (joint->body[s] != b)
                continue;
            lk_rotate_back(pose.R, reaction, force);
            for (int i = 0; i < 3; i++)
                force[i] = s == 1 ? force[i] : -force[i];
            add_tension(joint->p[s], force, sum);
        }
    }
}

/* Largest eigenvalue of J^-1/2 K J^-1/2, by L^-1 K L^-T with J = L L^T; 0 where J has no inverse.
 */
static double stiffest(const double J[6], const double K[6])
{
    double L[3][3] = {{0}}, A[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
    double M[3][3] = {{K[0], K[3], K[4]}, {K[3], K[1], K[5]}, {K[4], K[5], K[2]}}, moment[3];

    for (int i = 0; i < 3; i++) {
        for (int k = 0; k <= i; k++) {
            double sum = A[i][k];

            for (int n = 0; n < k; n++)
                sum -= L[i][n] * L[k][n];
            if (i == k && !(sum > 1e-12 * A[i][i]))
                return 0;
            L[i][k] = i == k ? sqrt(sum) : sum / L[k][k];
        }
    }
    for (int side = 0; side < 2; side++) { /* M := L^-1 M, transposed, twice */
        for (int c = 0; c < 3; c++)
            for (int i = 0; i < 3; i++) {
                for (int n = 0; n < i; n++)
                    M[i][c] -= L[i][n] * M[n][c];
                M[i][c] /= L[i][i];
            }
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < i; k++) {
                double swapped = M[i][k];

                M[i][k] = M[k][i];
                M[k][i] = swapped;
            }
    }
    lk_principal_moments((double[6]){M[0][0], M[1][1], M[2][2], M[0][1], M[0][2], M[1][2]}, moment);
    return moment[2];
}

static void inspect_tension(struct lk_inspection *in, int b)
{
    const struct lk_system *sys = in->sys;
    double K[6], square, h;
    char where[LK_TEXT_SIZE];
    struct lk_finding *f;

    tension_of(in, b, K);
    square = stiffest(sys->body[b].inertia, K);
    if (!(sys->s * square > TENSION_MAX))
        return;
    h = 2 * sqrt(TENSION_MAX / square);
    snprintf(where, sizeof(where), "body %s", sys->body_name[b]);
    f = lk_finding_add(in, "tension-too-fast", where,
                       "is light for the tension in it and swings across it at %.3g Hz; expected a "
                       "step of at most %.2g s, a heavier body, or one body in place of several",
                       sqrt(square) / (2 * M_PI), h);
    lk_finding_number(f, "frequency", "Hz", sqrt(square) / (2 * M_PI));
    lk_finding_number(f, "angle_a_step", "rad", sqrt(square) * sys->h);
}

void lk_inspect_step(struct lk_inspection *in)
{
    struct lk_system *sys = in->sys;

    for (int b = 0; b < sys->n_named_bodies; b++) {
        inspect_rotor(in, b);
        inspect_tension(in, b);
    }
    lk_start_renew(sys);
    for (int i = 0; i < sys->n_laws; i++)
        inspect_spring(in, &sys->law[i]);
    lk_system_reset(sys);
}
