/* SPDX-License-Identifier: Apache-2.0 */
/* Computes H of every joint from the quantities that its coordinates measure, and the derivative of
 * H. A column is the twist of the body relative to its parent, at a point O of the body, for a unit
 * rate of one coordinate: [linear; angular], world axes.
 *
 * If side 1 is outboard, the columns are vectors of F0 along which P1 moves, and vectors of F0 or
 * F1 about which F1 turns. If side 0 is outboard, all signs change. The linear part then changes
 * too, because P0 and P1 are apart in sliding joints: V(P0) = V(P1) - turn x shift. The last term
 * is nonzero only in a planar joint. */
#include "maths/vec.h"
#include "methods/relative/private.h"
#include <string.h>

static void scaled(const double a[3], double by, double ret[3])
{
    for (int i = 0; i < 3; i++)
        ret[i] = by * a[i];
}

/* Set a column and its derivative from @by times the vector @a, which turns with angular velocity
 * @w. */
static void turning(const double a[3], const double w[3], double by, double *H, double *H_rate)
{
    double rate[3];

    lk_cross(w, a, rate);
    scaled(a, by, H);
    scaled(rate, by, H_rate);
}

/* Compute n x shift and its derivative, the linear part of the rotation of a planar joint if side 0
 * is outboard. n and F0 are fixed in side 0. */
static void lever_of_planar(const struct lk_relative_frames *f, const double w[3], const double *nu,
                            double H[6], double H_rate[6])
{
    double shift_rate[3], n_rate[3], first[3], second[3];

    lk_cross(w, f->shift, shift_rate);
    for (int i = 0; i < 3; i++)
        shift_rate[i] += nu[0] * f->axis[0][i] + nu[1] * f->axis[1][i];
    lk_cross(w, f->axis[2], n_rate);
    lk_cross(f->axis[2], f->shift, H);
    lk_cross(n_rate, f->shift, first);
    lk_cross(f->axis[2], shift_rate, second);
    for (int i = 0; i < 3; i++)
        H_rate[i] = first[i] + second[i];
}

/* Return whether the joint is a planar joint: two translations across its axis of rotation. */
static int is_planar(const struct lk_relative_joint *j)
{
    return j->kind == LK_RELATIVE_MEASURED && j->n_v == 3 && j->measure[0] == LK_ALONG_0;
}

/* Compute the dual columns. The columns are orthogonal, except for the rotation of a planar joint.
 * The dual of this rotation is a purely angular vector. */
static void find_dual(struct lk_relative_joint *j)
{
    for (int c = 0; c < j->n_v; c++) {
        double square = lk_dot(j->H[c], j->H[c]) + lk_dot(j->H[c] + 3, j->H[c] + 3);

        for (int i = 0; i < 6; i++)
            j->dual[c][i] = j->H[c][i] / square;
    }
    if (!is_planar(j))
        return;
    for (int i = 0; i < 3; i++) {
        j->dual[2][i] = 0;
        j->dual[2][3 + i] = j->H[2][3 + i];
    }
    for (int c = 0; c < 2; c++) {
        double along = lk_dot(j->H[c], j->H[2]);

        for (int i = 0; i < 3; i++)
            j->dual[c][3 + i] = -along * j->dual[2][3 + i];
    }
}

/* Set three columns to the axes of the body, as angular or linear directions.
 * @first: first column
 * @at:    0: linear, 3: angular */
static void body_axes(const struct lk_relative_body *body, int first, int at,
                      struct lk_relative_joint *j)
{
    for (int c = 0; c < 3; c++) {
        const double axis[3] = {body->R[c], body->R[3 + c], body->R[6 + c]};

        turning(axis, body->w, 1, j->H[first + c] + at, j->H_rate[first + c] + at);
    }
}

/* Compute the relative angular velocity of a joint, which is the angular part of H nu, before H is
 * known. */
static void turn_of(const struct lk_relative_joint *j, const struct lk_relative_frames *f,
                    const double R[9], const double *nu, double ret[3])
{
    double sign = j->is_reversed ? -1 : 1;

    ret[0] = ret[1] = ret[2] = 0;
    if (j->kind == LK_RELATIVE_SPHERICAL || j->kind == LK_RELATIVE_FREE) {
        lk_rotate(R, nu + j->n_v - 3, ret);
        return;
    }
    for (int c = 0; c < j->n_v; c++) {
        if (j->measure[c] == LK_ABOUT_AXIS || j->measure[c] == LK_ABOUT_FIRST)
            scaled(f->axis[2], sign * nu[c], ret);
        for (int i = 0; i < 3 && j->measure[c] == LK_ABOUT_SECOND; i++)
            ret[i] += sign * nu[c] * f->second[i];
    }
}

void lk_relative_turn(const struct lk_relative *r, int b, const double *nu)
{
    const struct lk_relative_scratch *s = lk_relative_scratch_of(r);
    const struct lk_relative_joint *j = &r->on[b];
    double turn[3];

    turn_of(j, &s->frames[b], s->body[b].R, nu, turn);
    for (int i = 0; i < 3; i++)
        s->body[b].w[i] = s->body[j->parent].w[i] + turn[i];
}

/* Compute column @c of a joint whose coordinates are measured.
 * @w: angular velocities of the bodies at sides 0 and 1 */
static void measured_column(const struct lk_relative_frames *f, const double *const w[2],
                            double sign, int c, struct lk_relative_joint *j)
{
    if (j->measure[c] < LK_ABOUT_AXIS)
        turning(f->axis[j->measure[c] - LK_ALONG_0], w[0], sign, j->H[c], j->H_rate[c]);
    else if (j->measure[c] == LK_ABOUT_SECOND)
        turning(f->second, w[1], sign, j->H[c] + 3, j->H_rate[c] + 3);
    else
        turning(f->axis[2], w[0], sign, j->H[c] + 3, j->H_rate[c] + 3);
}

void lk_relative_directions(const struct lk_relative *r, int b, const double *nu,
                            struct lk_relative_joint *j)
{
    const struct lk_relative_scratch *s = lk_relative_scratch_of(r);
    const struct lk_relative_frames *f = &s->frames[b];
    const double *const w[2] = {s->body[j->is_reversed ? b : j->parent].w,
                                s->body[j->is_reversed ? j->parent : b].w};
    double sign = j->is_reversed ? -1 : 1;

    memset(j->H, 0, sizeof(j->H));
    memset(j->H_rate, 0, sizeof(j->H_rate));
    switch (j->kind) {
    case LK_RELATIVE_SCREW:
        turning(f->axis[2], w[0], sign * f->pitch, j->H[0], j->H_rate[0]);
        measured_column(f, w, sign, 0, j);
        break;
    case LK_RELATIVE_MEASURED:
        for (int c = 0; c < j->n_v; c++)
            measured_column(f, w, sign, c, j);
        if (j->is_reversed && is_planar(j))
            lever_of_planar(f, w[0], nu, j->H[2], j->H_rate[2]);
        break;
    case LK_RELATIVE_SPHERICAL:
        body_axes(&s->body[b], 0, 3, j);
        break;
    case LK_RELATIVE_FREE:
        for (int i = 0; i < 3; i++)
            j->H[i][i] = 1;
        body_axes(&s->body[b], 3, 3, j);
        break;
    }
    find_dual(j);
}
