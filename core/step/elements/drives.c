/* SPDX-License-Identifier: Apache-2.0 */
/* Drives and the frames that they move. */
#include "step/elements/drives.h"
#include "maths/vec.h"
#include "step/system.h"

static void harmonic(struct lk_drive *d, double t)
{
    double angle = d->omega * t + d->phase, s = sin(angle), c = cos(angle);

    d->value = d->shift + d->amplitude * s;
    d->rate = d->amplitude * d->omega * c;
    d->acceleration = -d->amplitude * d->omega * d->omega * s;
}

static void ramp(struct lk_drive *d, double t)
{
    d->value = d->shift + d->slope * t;
    d->rate = d->slope;
    d->acceleration = 0;
}

/* evaluate a cubic spline; before and after the table the value is constant */
static void table(struct lk_drive *d, double t)
{
    int last = d->n_points - 1, low = 0;
    double span = d->x[last] - d->x[0], inside = t;

    if (d->is_periodic)
        inside = d->x[0] + (t - d->x[0]) - span * floor((t - d->x[0]) / span);
    inside = lk_min(d->x[last], lk_max(d->x[0], inside));
    for (int width = last; width > 1; width -= width / 2)
        low += inside >= d->x[low + width / 2] ? width / 2 : 0;
    low = low < last ? low : last - 1;
    double w = d->x[low + 1] - d->x[low], b = (inside - d->x[low]) / w, a = 1 - b;
    double c0 = d->curvature[low], c1 = d->curvature[low + 1];
    int moves = d->is_periodic || (t >= d->x[0] && t <= d->x[last]);

    d->value = a * d->y[low] + b * d->y[low + 1] +
               (a * (a * a - 1) * c0 + b * (b * b - 1) * c1) * w * w / 6;
    d->rate = moves ? (d->y[low + 1] - d->y[low]) / w +
                          ((1 - 3 * a * a) * c0 + (3 * b * b - 1) * c1) * w / 6
                    : 0;
    d->acceleration = moves ? a * c0 + b * c1 : 0;
}

/* evaluate the uniform cubic B-spline over the last four samples; @h: step [s] */
static void follow_samples(struct lk_drive *d, const struct lk_drive_samples *s, double h)
{
    const double *p = s->point;
    double period = d->n * h, u = s->done / d->n, r = 1 - u;

    d->value = (r * r * r * p[0] + (3 * u * u * u - 6 * u * u + 4) * p[1] +
                (3 * r * r * r - 6 * r * r + 4) * p[2] + u * u * u * p[3]) /
               6;
    d->rate = (r * r * (p[1] - p[0]) + (1 + 2 * u * r) * (p[2] - p[1]) + u * u * (p[3] - p[2])) /
              (2 * period);
    d->acceleration =
        (r * (p[2] - 2 * p[1] + p[0]) + u * (p[3] - 2 * p[2] + p[1])) / (period * period);
}

static void evaluate(struct lk_drive *d, const struct lk_drive_samples *samples, double t, double h)
{
    switch (d->type) {
    case LK_DRIVE_HARMONIC:
        harmonic(d, t);
        break;
    case LK_DRIVE_TABLE:
        table(d, t);
        break;
    case LK_DRIVE_INPUT:
        follow_samples(d, samples, h);
        break;
    case LK_DRIVE_RAMP:
        ramp(d, t);
        break;
    }
}

/* compute R = Rz(yaw) Ry(pitch) Rx(roll), its angular velocity and its acceleration in body
 * axes */
static void turn_frame(const double angle[3][3], struct lk_pose *pose, double w[3], double al[3])
{
    double roll = angle[0][0], pitch = angle[1][0], yaw = angle[2][0];
    double dr = angle[0][1], dp = angle[1][1], dy = angle[2][1];
    double ddr = angle[0][2], ddp = angle[1][2], ddy = angle[2][2];
    double sr = sin(roll), cr = cos(roll), sp = sin(pitch), cp = cos(pitch), sy = sin(yaw),
           cy = cos(yaw);
    const double R[9] = {cy * cp,
                         cy * sp * sr - sy * cr,
                         cy * sp * cr + sy * sr,
                         sy * cp,
                         sy * sp * sr + cy * cr,
                         sy * sp * cr - cy * sr,
                         -sp,
                         cp * sr,
                         cp * cr};

    for (int i = 0; i < 9; i++)
        pose->R[i] = R[i];
    w[0] = dr - dy * sp;
    w[1] = dp * cr + dy * cp * sr;
    w[2] = -dp * sr + dy * cp * cr;
    al[0] = ddr - ddy * sp - dy * dp * cp;
    al[1] = ddp * cr - dp * dr * sr + ddy * cp * sr - dy * dp * sp * sr + dy * dr * cp * cr;
    al[2] = -ddp * sr - dp * dr * cr + ddy * cp * cr - dy * dp * sp * cr - dy * dr * cp * sr;
}

static void place_frames(struct lk_system *sys)
{
    for (int k = 0; k < sys->n_frames; k++) {
        struct lk_moving_frame *f = &sys->frame[k];
        struct lk_pose *pose = &sys->pose[sys->n_bodies + 1 + k];
        struct lk_twist *twist = &sys->twist[sys->n_bodies + 1 + k];
        double motion[6][3] = {{0}};

        for (int i = 0; i < 6; i++) {
            const struct lk_drive *d = f->drive[i] >= 0 ? &sys->drive[f->drive[i]] : NULL;

            motion[i][0] = d ? d->value : 0;
            motion[i][1] = d ? d->rate : 0;
            motion[i][2] = d ? d->acceleration : 0;
        }
        for (int i = 0; i < 3; i++) {
            pose->x[i] = f->origin[i] + motion[i][0];
            twist->v[i] = motion[i][1];
            f->acceleration[i] = motion[i][2];
        }
        turn_frame((const double(*)[3])motion + 3, pose, twist->w, f->acceleration + 3);
    }
}

void lk_drives_evaluate(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_drives; i++)
        evaluate(&sys->drive[i], &state->samples[i], state->balance->steps * sys->h, sys->h);
    place_frames(sys);
}

void lk_drives_advance(struct lk_system *sys, const double *inputs)
{
    for (int k = 0; k < sys->n_frames; k++)
        sys->frame[k].before = sys->twist[sys->n_bodies + 1 + k];
    for (int i = 0; i < sys->n_drives; i++) {
        struct lk_drive *d = &sys->drive[i];
        struct lk_drive_samples *s = &sys->next.samples[i];
        int take = d->type == LK_DRIVE_INPUT && s->done >= d->n;

        d->rate_before = d->rate;
        for (int k = 0; k < 3 && take; k++)
            s->point[k] = s->point[k + 1];
        if (take) {
            s->point[3] = inputs[d->offset];
            s->done = 0;
        }
        s->done += 1;
        evaluate(d, s, (sys->now.balance->steps + 1) * sys->h, sys->h);
    }
    place_frames(sys);
}

/* solve the tridiagonal equations of the spline by elimination; row i: a x[i-1] + b x[i] + c x[i+1]
 * = r; x overwrites r */
static void solve_tridiagonal(int n, const double *a, double *b, const double *c, double *r)
{
    for (int i = 1; i < n; i++) {
        double factor = a[i] / b[i - 1];

        b[i] -= factor * c[i - 1];
        r[i] -= factor * r[i - 1];
    }
    r[n - 1] /= b[n - 1];
    for (int i = n - 2; i >= 0; i--)
        r[i] = (r[i] - c[i] * r[i + 1]) / b[i];
}

void lk_spline_curvatures(int n, const double *x, const double *y, int is_periodic, double *scratch,
                          double *ret)
{
    double *a = scratch, *b = scratch + n, *c = scratch + 2 * n;
    int rounds = is_periodic ? 60 : 1;

    for (int i = 0; i < n; i++)
        ret[i] = 0;
    /* impose the conditions at the ends (slope 0; periodic: equal slopes and curvatures) by
     * fixed-point iteration. Each round reduces the error by a factor of about 1/4 for every point
     */
    for (int round = 0; round < rounds; round++) {
        double w = x[1] - x[0], v = x[n - 1] - x[n - 2];
        double slope = 0;

        if (is_periodic) {
            double start = (y[1] - y[0]) / w, end = (y[n - 1] - y[n - 2]) / v;

            /* the slope for which both ends have the same curvature */
            slope = (v * (start - w / 6 * ret[1]) + w * (end + v / 6 * ret[n - 2])) / (v + w);
        }
        for (int i = 1; i < n - 1; i++) {
            double h0 = x[i] - x[i - 1], h1 = x[i + 1] - x[i];

            a[i] = h0 / 6;
            b[i] = (h0 + h1) / 3;
            c[i] = h1 / 6;
            ret[i] = (y[i + 1] - y[i]) / h1 - (y[i] - y[i - 1]) / h0;
        }
        b[0] = w / 3;
        c[0] = w / 6;
        ret[0] = (y[1] - y[0]) / w - slope;
        a[n - 1] = v / 6;
        b[n - 1] = v / 3;
        c[n - 1] = 0;
        ret[n - 1] = slope - (y[n - 1] - y[n - 2]) / v;
        solve_tridiagonal(n, a, b, c, ret);
    }
}
