/* SPDX-License-Identifier: Apache-2.0 */
#include "compile/retraction.h"
#include "maths/vec.h"
#include "step/kinematics.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- the tree ---- */

static bool is_node(const struct lk_system *sys, int b)
{
    return b < sys->n_bodies && sys->body[b].is_node;
}

/* Return whether bodies move along joint @j. Nodes follow their body instead, see modal.h. */
static bool leads_on(const struct lk_system *sys, const struct lk_joint *j)
{
    return j->kind == LK_ROWS_RIGID && j->n_sides == 2 && !j->of[0] && !is_node(sys, j->body[0]) &&
           !is_node(sys, j->body[1]);
}

/* Append to t->order, which has @n bodies, the bodies that a joint connects with a body in the list
 * or with the ground. Return: the new number of bodies. */
static int extend(struct lk_retraction *t, bool *is_placed, int n)
{
    const struct lk_system *sys = t->sys;

    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2 && leads_on(sys, &sys->joint[i]); s++) {
            int b = sys->joint[i].body[s], from = sys->joint[i].body[1 - s];

            if (b >= sys->n_bodies || is_placed[b] || (from < sys->n_bodies && !is_placed[from]))
                continue;
            is_placed[b] = true;
            t->via[b] = i;
            t->leads[i] = true;
            t->side[b] = s;
            t->order[n++] = b;
        }
    return n;
}

static void find_tree(struct lk_retraction *t, bool *is_placed)
{
    int n = 0;

    while (n < t->sys->n_bodies) {
        int more = extend(t, is_placed, n), b = 0;

        while (more == n && is_placed[b])
            b++;
        if (more == n) { /* an unconnected body is the root of a tree of its own */
            is_placed[b] = true;
            t->via[b] = -1;
            t->order[more++] = b;
        }
        n = more;
    }
}

int lk_retraction_init(struct lk_system *sys, struct lk_retraction *ret)
{
    size_t n = (size_t)sys->n_bodies;
    bool *is_placed = calloc(n + 1, sizeof(*is_placed));

    *ret = (struct lk_retraction){.sys = sys};
    ret->order = calloc(3 * n + 1, sizeof(*ret->order));
    ret->leads = calloc((size_t)sys->n_joints + 1, sizeof(*ret->leads));
    ret->pose = calloc(n + 1 + (size_t)sys->n_frames, sizeof(*ret->pose));
    ret->motion = calloc(n + 1, sizeof(*ret->motion));
    if (is_placed && ret->order && ret->leads && ret->pose && ret->motion) {
        ret->via = ret->order + n;
        ret->side = ret->via + n;
        find_tree(ret, is_placed);
    }
    free(is_placed);
    return ret->side ? 0 : -ENOMEM;
}

void lk_retraction_fini(struct lk_retraction *t)
{
    free(t->order);
    free(t->leads);
    free(t->pose);
    free(t->motion);
    *t = (struct lk_retraction){0};
}

/* ---- moves ---- */

void lk_retraction_move_body(struct lk_system *sys, int b, const double by[6])
{
    struct lk_motion *m = &sys->now.motion[b];
    double dq[4], q[4];

    lk_rotation_exp(by + 3, dq);
    lk_quat_mul(m->q, dq, q);
    lk_quat_normalise(q);
    memcpy(m->q, q, sizeof(q));
    for (int i = 0; i < 3; i++)
        m->x[i] += by[i];
}

/* Compute the shift of the point @at of body @b, given from the centre of the body. World axes. */
static void shift_of(const struct lk_retraction *t, int b, const double *by, const double at[3],
                     double ret[3])
{
    double turn[3];

    ret[0] = ret[1] = ret[2] = 0;
    if (b >= t->sys->n_bodies)
        return;
    lk_rotate(t->pose[b].R, by + 6 * b + 3, turn);
    lk_cross(turn, at, ret);
    for (int k = 0; k < 3; k++)
        ret[k] += by[6 * b + k];
}

/* Rotate body @b by @by relative to body @from, then by the rotation of @from. */
static void turn_body(struct lk_retraction *t, int b, int from, const double *by)
{
    struct lk_motion *m = &t->sys->now.motion[b];
    double along[3] = {0}, world[3], turn[3], dq[4], q[4], relative[4];

    if (from < t->sys->n_bodies) {
        lk_rotate(t->pose[from].R, by + 6 * from + 3, world);
        lk_rotate_back(t->pose[b].R, world, along);
    }
    for (int k = 0; k < 3; k++)
        turn[k] = by[6 * b + 3 + k] - along[k];
    lk_rotation_exp(turn, dq);
    lk_quat_mul(m->q, dq, q);
    if (from < t->sys->n_bodies) {
        const double *then = t->motion[from].q;
        const double back[4] = {then[0], -then[1], -then[2], -then[3]};

        lk_quat_mul(back, q, relative);
        lk_quat_mul(t->sys->now.motion[from].q, relative, q);
    }
    lk_quat_normalise(q);
    memcpy(m->q, q, sizeof(q));
}

/* Move body @b by @by relative to its parent, which has already moved: rotate the body about its
 * joint point, which is shifted in the axes of the parent. */
static void move_along(struct lk_retraction *t, int b, const double *by)
{
    const struct lk_joint *j = &t->sys->joint[t->via[b]];
    int from = j->body[1 - t->side[b]];
    const struct lk_pose *then = &t->pose[from];
    double arm[3], at[3], of_body[3], of_from[3], local[3], world[3];
    struct lk_pose now;

    lk_rotate(t->pose[b].R, j->p[t->side[b]], arm);
    for (int k = 0; k < 3; k++)
        at[k] = t->pose[b].x[k] + arm[k] - then->x[k];
    shift_of(t, b, by, arm, of_body);
    shift_of(t, from, by, at, of_from);
    for (int k = 0; k < 3; k++)
        at[k] += of_body[k] - of_from[k];
    lk_rotate_back(then->R, at, local);
    turn_body(t, b, from, by);
    if (from < t->sys->n_bodies)
        lk_evaluate_pose_of(t->sys, from, &now);
    else
        now = *then;
    lk_rotate(now.R, local, world);
    lk_evaluate_pose_of(t->sys, b, &t->sys->pose[b]);
    lk_rotate(t->sys->pose[b].R, j->p[t->side[b]], arm);
    for (int k = 0; k < 3; k++)
        t->sys->now.motion[b].x[k] = now.x[k] + world[k] - arm[k];
}

void lk_retraction_move(struct lk_retraction *t, const double *by)
{
    struct lk_system *sys = t->sys;
    size_t n = (size_t)sys->n_bodies;

    lk_evaluate_poses(sys, &sys->now);
    memcpy(t->pose, sys->pose, (n + 1 + (size_t)sys->n_frames) * sizeof(*t->pose));
    memcpy(t->motion, sys->now.motion, n * sizeof(*t->motion));
    for (int i = 0; i < sys->n_bodies; i++) {
        int b = t->order[i];

        if (t->via[b] < 0)
            lk_retraction_move_body(sys, b, by + 6 * b);
        else
            move_along(t, b, by);
    }
    for (int k = 0; k < sys->n_modes; k++)
        sys->now.mode[k].q += by[6 * n + (size_t)k];
    lk_modal_settle(sys, &sys->now);
    lk_evaluate_poses(sys, &sys->now);
}
