/* SPDX-License-Identifier: Apache-2.0 */
/* Spanning tree of a mechanics: memory, constants of the joints, and the coordinates of a state. */
#include "maths/vec.h"
#include "methods/relative/private.h"
#include "step/kinematics.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Compute the quaternion of the rotation matrix whose columns are the axes @f. The computation
 * starts with the largest of the four components, to avoid a small divisor (S. W. Shepperd,
 * Quaternion from rotation matrix, 1978). */
static void quaternion_of_frame(const double f[3][3], double q[4])
{
    double trace = f[0][0] + f[1][1] + f[2][2];
    int largest = 0;

    q[0] = trace;
    for (int i = 0; i < 3; i++) {
        q[i + 1] = 2 * f[i][i] - trace;
        if (q[i + 1] > q[largest])
            largest = i + 1;
    }
    /* each entry of q is now 4 q_i^2 - 1, where q_i is the component to compute */
    double four = 2 * sqrt(1 + q[largest]), value[4];

    if (largest == 0) {
        value[0] = 0.25 * four;
        for (int i = 0; i < 3; i++)
            value[i + 1] = (f[(i + 1) % 3][(i + 2) % 3] - f[(i + 2) % 3][(i + 1) % 3]) / four;
    } else {
        int i = largest - 1, k = (i + 1) % 3, l = (i + 2) % 3;

        value[0] = (f[k][l] - f[l][k]) / four;
        value[i + 1] = 0.25 * four;
        value[k + 1] = (f[i][k] + f[k][i]) / four;
        value[l + 1] = (f[i][l] + f[l][i]) / four;
    }
    memcpy(q, value, sizeof(value));
}

static void fill_frames(struct lk_relative *r, int b)
{
    struct lk_relative_frames *f = &lk_relative_scratch_of(r)->frames[b];
    const struct lk_relative_joint *on = &r->on[b];
    const struct lk_joint *j;
    int in = on->is_reversed ? 1 : 0;

    f->inboard[0] = f->outboard[0] = 1;
    if (on->joint < 0)
        return;
    j = &r->mechanics->system->joint[on->joint];
    memcpy(f->p_in, j->p[in], sizeof(f->p_in));
    memcpy(f->p_out, j->p[1 - in], sizeof(f->p_out));
    memcpy(f->zero, j->coordinate, sizeof(f->zero));
    f->pitch = j->pitch;
    if (on->kind == LK_RELATIVE_SPHERICAL)
        return; /* the relative rotation does not depend on the axes */
    quaternion_of_frame(j->f[in], f->inboard);
    quaternion_of_frame(j->f[1 - in], f->outboard);
}

static int take_memory(struct lk_relative *r)
{
    size_t n = (size_t)r->mechanics->n_bodies, blocks = (size_t)r->mechanics->n_blocks;
    size_t rows = (size_t)r->mechanics->n_rows;
    struct lk_relative_scratch *s = calloc(1, sizeof(*s));

    r->scratch = s;
    r->on = calloc(n + 1, sizeof(*r->on));
    r->order = calloc(n + 1, sizeof(*r->order));
    r->cut = calloc(blocks + 1, sizeof(*r->cut));
    if (!s || !r->on || !r->order || !r->cut)
        return -ENOMEM;
    s->frames = calloc(n + 1, sizeof(*s->frames));
    s->body = calloc(n + 1, sizeof(*s->body));
    s->rows = calloc(rows + 1, sizeof(*s->rows));
    s->correction = calloc(n + 1, sizeof(*s->correction));
    s->rates = calloc(6 * n + 1, sizeof(*s->rates));
    if (!s->frames || !s->body || !s->rows || !s->correction || !s->rates)
        return -ENOMEM;
    s->body[n].R[0] = s->body[n].R[4] = s->body[n].R[8] = 1;
    return 0;
}

int lk_relative_new(struct lk_mechanics *mechanics, struct lk_relative **ret,
                    struct lk_error *ret_error)
{
    struct lk_relative *r = calloc(1, sizeof(*r));
    int status;

    (void)ret_error;
    if (!r)
        return -ENOMEM;
    r->mechanics = mechanics;
    status = take_memory(r);
    if (status == 0)
        status = lk_relative_grow(r);
    if (status == 0)
        status = lk_assembly_new(mechanics, &lk_relative_scratch_of(r)->assembly);
    if (status != 0) {
        lk_relative_free(r);
        return status;
    }
    for (int b = 0; b < mechanics->n_bodies; b++)
        fill_frames(r, b);
    *ret = r;
    return 0;
}

void lk_relative_free(struct lk_relative *r)
{
    struct lk_relative_scratch *s;

    if (!r)
        return;
    s = r->scratch;
    if (s) {
        lk_assembly_free(s->assembly);
        free(s->frames);
        free(s->body);
        free(s->rows);
        free(s->correction);
        free(s->rates);
    }
    free(s);
    free(r->on);
    free(r->order);
    free(r->cut);
    free(r);
}

struct lk_assembly *lk_relative_assembly(const struct lk_relative *r)
{
    return lk_relative_scratch_of(r)->assembly;
}

/* ---- coordinates of a state ---- */

/* Compute the coordinates of a joint. If the system tracks the coordinate from step to step, the
 * unwrapped value is used. For a screw, the translation determines the number of turns. */
static void read_measured(const struct lk_relative *r, const struct lk_relative_joint *on,
                          const struct lk_pose *const pose[2], double *q)
{
    const struct lk_system *sys = r->mechanics->system;
    const struct lk_joint *j = &sys->joint[on->joint];

    for (int i = 0; i < on->n_q; i++) {
        q[i] = lk_joint_ops(j->type)->coordinate(j, pose, i);
        if (j->needs_coordinate)
            q[i] = sys->now.coordinate[j->first_coordinate + i];
    }
    if (on->kind == LK_RELATIVE_SCREW && !j->needs_coordinate) {
        double off[3], along[3], travel = 0;

        lk_rotate(pose[0]->R, j->f[0][2], along);
        for (int s = 0; s < 2; s++) {
            lk_rotate(pose[s]->R, j->p[s], off);
            for (int i = 0; i < 3; i++)
                travel += (s == 0 ? -1 : 1) * along[i] * (pose[s]->x[i] + off[i]);
        }
        q[0] += 2 * M_PI * rint((travel / j->pitch + j->coordinate[0] - q[0]) / (2 * M_PI));
    }
}

static void read_joint(const struct lk_relative *r, int b, double *q)
{
    const struct lk_system *sys = r->mechanics->system;
    const struct lk_relative_joint *on = &r->on[b];
    const struct lk_motion *m = &sys->now.motion[b];
    struct lk_pose pose[2];
    const struct lk_pose *both[2] = {&pose[0], &pose[1]};

    if (on->kind == LK_RELATIVE_FREE) {
        memcpy(q, m->x, sizeof(m->x));
        memcpy(q + 3, m->q, sizeof(m->q));
        return;
    }
    if (on->kind == LK_RELATIVE_SPHERICAL) {
        static const double none[4] = {1, 0, 0, 0};
        const double *p =
            on->parent == r->mechanics->n_bodies ? none : sys->now.motion[on->parent].q;
        const double inverse[4] = {p[0], -p[1], -p[2], -p[3]};

        lk_quat_mul(inverse, m->q, q);
        return;
    }
    for (int s = 0; s < 2; s++)
        lk_evaluate_pose_of(sys, sys->joint[on->joint].body[s], &pose[s]);
    if (on->n_q > 0)
        read_measured(r, on, both, q);
}

void lk_relative_read(struct lk_relative *r, double *ret_q, double *ret_nu)
{
    const struct lk_system *sys = r->mechanics->system;
    struct lk_relative_scratch *s = r->scratch;

    for (int b = 0; b < r->mechanics->n_bodies; b++)
        read_joint(r, b, ret_q + r->on[b].at_q);
    for (int i = 0; i < r->n_v; i++)
        ret_nu[i] = 0;
    lk_relative_place(r, ret_q, ret_nu);
    for (int b = 0; b < r->mechanics->n_bodies; b++)
        s->correction[b] = sys->now.motion[b].v;
    lk_relative_components(r, s->correction, ret_nu);
    lk_relative_place(r, ret_q, ret_nu);
}
