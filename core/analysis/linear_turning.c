/* SPDX-License-Identifier: Apache-2.0 */
/* Small motions about a steady rotation: the axes that turn, and the place of rest in them. */
#include "analysis/linear.h"
#include "compile/compile.h"
#include "maths/vec.h"
#include "step/kinematics.h"
#include <errno.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>

#define STILL   1e-9 /* angular velocity that counts as none [rad/s] */
#define SAME    1e-6 /* relative difference of velocities, or of accelerations, that is none */
#define SCATTER 1e-2 /* largest deviation for the look at turned loads [rad, arms] */
#define REGARD  1e-9 /* share of the largest singular value, of a motion that nothing holds */

static double arm_of(const struct lk_system *sys)
{
    return sys->arm > 0 ? sys->arm : 1;
}

/* ---- axes that turn ---- */

static int find_body(const struct lk_system *sys, const char *name)
{
    int of = lk_system_body_index(sys, name), b = 0;

    while (of >= 0 && b < sys->n_bodies && sys->body[b].of != of)
        b++;
    return of < 0 || b == sys->n_bodies ? -1 : b;
}

/* make all bodies turn with the frame */
static void turn_bodies(struct lk_linear_work *w)
{
    struct lk_system *sys = w->sys;

    lk_evaluate_poses(sys, &sys->now);
    for (int b = 0; b < sys->n_bodies; b++) {
        struct lk_motion *m = &sys->now.motion[b];
        double arm[3];

        lk_sub(m->x, w->pivot, arm);
        lk_cross(w->frame, arm, m->v.v);
        lk_rotate_back(sys->pose[b].R, w->frame, m->v.w);
    }
    for (int k = 0; k < sys->n_modes; k++)
        sys->now.mode[k].v = 0;
}

int lk_linear_turn(struct lk_linear_work *w, const char *name, struct lk_error *error)
{
    struct lk_system *sys = w->sys;
    int b = find_body(sys, name);
    const struct lk_motion *m = &sys->now.motion[b < 0 ? 0 : b];
    double rate, offset[3], along;

    if (b < 0) {
        lk_error_set(error, "there is no body '%s' to turn with; expected a body of the model",
                     name);
        return LK_E_MODEL;
    }
    lk_evaluate_poses(sys, &sys->now);
    lk_rotate(sys->pose[b].R, m->v.w, w->frame);
    rate = lk_norm(w->frame);
    if (!(rate > STILL)) {
        lk_error_set(error,
                     "body '%s' does not turn at the start; expected its angular_velocity in the "
                     "model, or no --turning",
                     name);
        return LK_E_MODEL;
    }
    along = lk_dot(m->v.v, w->frame) / rate;
    if (fabs(along) > SAME * lk_max(lk_norm(m->v.v), rate * arm_of(sys))) {
        lk_error_set(error,
                     "body '%s' moves along its axis of rotation at %.3g m/s; expected a steady "
                     "rotation",
                     name, along);
        return LK_E_MODEL;
    }
    lk_cross(w->frame, m->v.v, offset);
    for (int i = 0; i < 3; i++)
        w->pivot[i] = m->x[i] + offset[i] / (rate * rate);
    w->is_turning = true;
    turn_bodies(w);
    return 0;
}

void lk_linear_add_turn(const struct lk_linear_work *w, double factor, const double *motion,
                        double *ret)
{
    for (int i = 0; i < 2 * w->sys->n_bodies && w->is_turning; i++) {
        double turned[3];

        lk_cross(w->frame, motion + 3 * i, turned);
        for (int k = 0; k < 3; k++)
            ret[3 * i + k] += factor * turned[k];
    }
}

/* ---- does all turn? ---- */

static int refuse_body(const struct lk_linear_work *w, int b, struct lk_error *error)
{
    lk_error_set(error,
                 "body '%s' cannot turn with the others: a joint or drive holds it; expected a "
                 "mechanism that turns as a whole",
                 w->sys->body_name[w->sys->body[b].of]);
    return LK_E_MODEL;
}

int lk_linear_check_speeds(const struct lk_linear_work *w, const double *v, struct lk_error *error)
{
    const struct lk_system *sys = w->sys;
    double rate = lk_norm(w->frame);

    for (int b = 0; b < sys->n_bodies; b++) {
        double arm[3], right[3];

        lk_sub(sys->pose[b].x, w->pivot, arm);
        lk_cross(w->frame, arm, right);
        for (int k = 0; k < 3; k++)
            if (fabs(v[6 * b + k] - right[k]) > SAME * rate * arm_of(sys) ||
                fabs(v[6 * b + 3 + k] - w->frame[k]) > SAME * rate)
                return refuse_body(w, b, error);
    }
    return 0;
}

void lk_linear_scatter(struct lk_linear_work *w)
{
    struct lk_system *sys = w->sys;
    unsigned seed = 1;

    for (int c = 0; c < w->place.n; c++) {
        const double *N = w->place.N + (size_t)c * (size_t)w->n;
        double amount, most = 0;

        for (int k = 0; k < w->n; k++)
            most =
                lk_max(most, fabs(N[k]) / (k % 6 < 3 && k < 6 * sys->n_bodies ? arm_of(sys) : 1));
        seed = seed * 1103515245U + 12345U;
        amount = most > 0 ? SCATTER * ((double)(seed >> 16) / 32768 - 1) / most : 0;
        for (int b = 0; b < sys->n_bodies; b++)
            lk_linear_move_body(sys, b, N + 6 * b, amount);
        for (int k = 0; k < sys->n_modes; k++)
            sys->now.mode[k].q += amount * N[6 * sys->n_bodies + k];
    }
}

int lk_linear_check_turn(const struct lk_linear_work *w, const double *a, const double *turned,
                         struct lk_error *error)
{
    const struct lk_system *sys = w->sys;
    double rate = lk_norm(w->frame), most = rate * rate, off = 0, axis[3], turn[4], E[9];

    for (int k = 0; k < 3; k++)
        axis[k] = LK_LINEAR_TURN / rate * w->frame[k];
    lk_rotation_exp(axis, turn);
    lk_quat_matrix(turn, E);
    for (int i = 0; i < 2 * sys->n_bodies; i++) {
        double size = i % 2 == 0 ? 1 / arm_of(sys) : 1, there[3];

        lk_rotate(E, a + 3 * i, there);
        for (int k = 0; k < 3; k++) {
            most = lk_max(most, size * fabs(there[k]));
            off = lk_max(off, size * fabs(turned[3 * i + k] - there[k]));
        }
    }
    if (off <= SAME * most)
        return 0;
    lk_error_set(error,
                 "accelerations change by a share of %.2g when all has turned by %g rad: a load or "
                 "joint does not turn with the mechanism (gravity across the axis?); expected a "
                 "steady rotation",
                 off / most, LK_LINEAR_TURN);
    return LK_E_MODEL;
}

/* ---- rest in these axes ---- */

/* shift and rotate the bodies by the coordinates @z */
static void move_all(struct lk_linear_work *w, const double *z)
{
    struct lk_system *sys = w->sys;

    for (int b = 0; b < sys->n_bodies; b++) {
        double move[6] = {0};

        for (int c = 0; c < w->place.n; c++)
            for (int k = 0; k < 6; k++)
                move[k] += z[c] * w->place.N[(size_t)c * (size_t)w->n + (size_t)(6 * b + k)];
        lk_linear_move_body(sys, b, move, 1);
    }
    for (int k = 0; k < sys->n_modes; k++)
        for (int c = 0; c < w->place.n; c++)
            sys->now.mode[k].q +=
                z[c] * w->place.N[(size_t)c * (size_t)w->n + (size_t)(6 * sys->n_bodies + k)];
}

int lk_linear_rest(struct lk_linear_work *w, struct lk_error *error)
{
    const struct lk_linear *l = w->l;
    size_t f = (size_t)l->n_motions, g = (size_t)l->n_rates, big = f > g ? f : g;
    double *K = calloc(f * g + 1, sizeof(double)), *z = calloc(big + 1, sizeof(double));
    double *size = calloc(big + 1, sizeof(double));
    int r = K && z && size ? 0 : -ENOMEM;
    lapack_int rank;

    if (r == 0 && f > 0 && g > 0) {
        lk_linear_project(w, &w->rate, w->rest, z);
        for (size_t i = 0; i < g; i++) {
            z[i] = -z[i];
            for (size_t k = 0; k < f; k++)
                K[i + g * k] = l->A[(f + i) * (size_t)l->n_states + k];
        }
        if (LAPACKE_dgelsd(LAPACK_COL_MAJOR, (int)g, (int)f, 1, K, (int)g, z, (int)big, size,
                           REGARD, &rank) != 0)
            r = -EINVAL;
    }
    if (r == 0) {
        memcpy(w->sys->now.block, w->base, w->sys->state_size * sizeof(double));
        move_all(w, z);
        r = lk_start_assemble(w->sys, error);
        lk_modal_weigh_by(w->sys, LK_MODAL_ALL);
        turn_bodies(w);
    }
    free(K);
    free(z);
    free(size);
    return r;
}
