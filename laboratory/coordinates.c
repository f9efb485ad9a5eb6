/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/coordinates.h"
#include "maths/vec.h"
#include <string.h>

#define SINGULAR 1e-6

static int is_quaternion(enum lk_orientation orientation)
{
    return orientation == LK_ORIENTATION_LIE || orientation == LK_ORIENTATION_PARAMETERS;
}

static int is_yaw_pitch_roll(enum lk_orientation orientation)
{
    return orientation == LK_ORIENTATION_ANGLES || orientation == LK_ORIENTATION_RESAL;
}

static int size_of_body(enum lk_orientation orientation)
{
    return is_quaternion(orientation) ? 7 : 6;
}

int lk_coordinates_size(enum lk_orientation orientation, int n_bodies)
{
    return size_of_body(orientation) * n_bodies;
}

/* Scale a quaternion to unit length. Stages of an integrator may be far from unit length. */
static void make_unit(double q[4])
{
    double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);

    for (int i = 0; i < 4; i++)
        q[i] /= length;
}

/* ---- angles ---- */

/* Multiply @q by a rotation by @angle about axis @k of the body. */
static void turn_about(double q[4], int k, double angle)
{
    double turn[4] = {cos(0.5 * angle), 0, 0, 0}, old[4];

    turn[1 + k] = sin(0.5 * angle);
    memcpy(old, q, sizeof(old));
    lk_quat_mul(old, turn, q);
}

/* Compute the quaternion of R = Rz Ry Rx or R = Rz Rx Rz. The three angles are in the order of the
 * factors. */
static void quaternion_of(enum lk_orientation orientation, const double a[3], double q[4])
{
    static const int axis[2][3] = {{2, 1, 0}, {2, 0, 2}};
    const int *k = axis[orientation == LK_ORIENTATION_EULER];

    q[0] = 1;
    q[1] = q[2] = q[3] = 0;
    for (int i = 0; i < 3; i++)
        turn_about(q, k[i], a[i]);
}

static void angles_of(enum lk_orientation orientation, const double q[4], double a[3])
{
    double R[9];

    lk_quat_matrix(q, R);
    if (is_yaw_pitch_roll(orientation)) {
        a[0] = atan2(R[3], R[0]);
        a[1] = atan2(-R[6], hypot(R[0], R[3]));
        a[2] = atan2(R[7], R[8]);
        return;
    }
    a[1] = atan2(hypot(R[2], R[5]), R[8]);
    a[0] = sin(a[1]) < SINGULAR ? atan2(R[3], R[0]) : atan2(R[2], -R[5]);
    a[2] = sin(a[1]) < SINGULAR ? 0 : atan2(R[6], R[7]);
}

/* Compute the rates a' of the angles @a from the angular velocity @w in body axes, or in axes of
 * Resal. */
static int angle_rates(enum lk_orientation orientation, const double a[3], const double w[3],
                       double ret[3])
{
    double s = orientation == LK_ORIENTATION_RESAL ? 0 : sin(a[2]);
    double c = orientation == LK_ORIENTATION_RESAL ? 1 : cos(a[2]), about;

    if (is_yaw_pitch_roll(orientation)) {
        about = cos(a[1]);
        ret[0] = (s * w[1] + c * w[2]) / about;
        ret[1] = c * w[1] - s * w[2];
        ret[2] = w[0] + sin(a[1]) * ret[0];
    } else {
        about = sin(a[1]);
        ret[0] = (s * w[0] + c * w[1]) / about;
        ret[1] = c * w[0] - s * w[1];
        ret[2] = w[2] - cos(a[1]) * ret[0];
    }
    return fabs(about) < SINGULAR ? LK_E_SINGULAR : 0;
}

static void turn_about_x(double s, double c, double w[3])
{
    double y = w[1], z = w[2];

    w[1] = c * y - s * z;
    w[2] = s * y + c * z;
}

void lk_coordinates_turn(const double a[3], double w[3])
{
    turn_about_x(sin(a[2]), cos(a[2]), w);
}

void lk_coordinates_turn_back(const double a[3], double w[3])
{
    turn_about_x(-sin(a[2]), cos(a[2]), w);
}

/* ---- all bodies ---- */

void lk_coordinates_read(const struct lk_mechanics *mechanics, enum lk_orientation orientation,
                         double *q, double *v)
{
    int size = size_of_body(orientation);

    for (int b = 0; b < mechanics->n_bodies; b++) {
        const struct lk_motion *m = &mechanics->system->now.motion[b];

        memcpy(q + size * b, m->x, sizeof(m->x));
        if (is_quaternion(orientation))
            memcpy(q + size * b + 3, m->q, sizeof(m->q));
        else
            angles_of(orientation, m->q, q + size * b + 3);
        for (int i = 0; i < 3 && v; i++) {
            v[6 * b + i] = m->v.v[i];
            v[6 * b + 3 + i] = m->v.w[i];
        }
        if (orientation == LK_ORIENTATION_RESAL && v)
            lk_coordinates_turn(q + size * b + 3, v + 6 * b + 3);
    }
}

void lk_coordinates_write(struct lk_mechanics *mechanics, enum lk_orientation orientation,
                          const double *q, const double *v)
{
    int size = size_of_body(orientation);

    for (int b = 0; b < mechanics->n_bodies; b++) {
        struct lk_motion *m = &lk_mechanics_motion(mechanics)[b];

        memcpy(m->x, q + size * b, sizeof(m->x));
        if (is_quaternion(orientation))
            memcpy(m->q, q + size * b + 3, sizeof(m->q));
        else
            quaternion_of(orientation, q + size * b + 3, m->q);
        make_unit(m->q);
        for (int i = 0; i < 3; i++) {
            m->v.v[i] = v[6 * b + i];
            m->v.w[i] = v[6 * b + 3 + i];
        }
        if (orientation == LK_ORIENTATION_RESAL)
            lk_coordinates_turn_back(q + size * b + 3, m->v.w);
    }
}

int lk_coordinates_rates(enum lk_orientation orientation, int n_bodies, const double *q,
                         const double *v, double *ret)
{
    int size = size_of_body(orientation), result = 0;

    for (int b = 0; b < n_bodies; b++) {
        const double *p = q + size * b + 3, *w = v + 6 * b + 3;
        double *rate = ret + size * b;

        memcpy(rate, v + 6 * b, 3 * sizeof(*rate));
        if (is_quaternion(orientation)) {
            const double half[4] = {0, 0.5 * w[0], 0.5 * w[1], 0.5 * w[2]};

            lk_quat_mul(p, half, rate + 3);
        } else if (angle_rates(orientation, p, w, rate + 3) != 0) {
            result = LK_E_SINGULAR;
        }
    }
    return result;
}

void lk_coordinates_normalise(enum lk_orientation orientation, int n_bodies, double *q)
{
    for (int b = 0; b < n_bodies && is_quaternion(orientation); b++)
        make_unit(q + 7 * b + 3);
}

/* Add a multiple of 2 pi to @angle, so that it is nearest to @near. */
static double unwrap(double angle, double near)
{
    return near + remainder(angle - near, 2 * M_PI);
}

static int move_angles(enum lk_orientation orientation, const double *from, const double turn[4],
                       double *ret)
{
    double q[4], moved[4], a[3];

    quaternion_of(orientation, from, q);
    lk_quat_mul(q, turn, moved);
    angles_of(orientation, moved, a);
    for (int i = 0; i < 3; i++)
        ret[i] = unwrap(a[i], from[i]);
    a[0] = is_yaw_pitch_roll(orientation) ? cos(ret[1]) : sin(ret[1]);
    return fabs(a[0]) < SINGULAR ? LK_E_SINGULAR : 0;
}

int lk_coordinates_move(enum lk_orientation orientation, int n_bodies, const double *from,
                        const double *d, double *ret)
{
    int size = size_of_body(orientation), result = 0;

    for (int b = 0; b < n_bodies; b++) {
        const double *p = from + size * b;
        double *to = ret + size * b, turn[4], q[4];

        for (int i = 0; i < 3; i++)
            to[i] = p[i] + d[6 * b + i];
        lk_rotation_exp(d + 6 * b + 3, turn);
        if (is_quaternion(orientation)) {
            lk_quat_mul(p + 3, turn, q);
            make_unit(q);
            memcpy(to + 3, q, sizeof(q));
        } else if (move_angles(orientation, p + 3, turn, to + 3) != 0) {
            result = LK_E_SINGULAR;
        }
    }
    return result;
}
