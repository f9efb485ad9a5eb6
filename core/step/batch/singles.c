/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are found one by one, beside the lanes. */
#include "step/batch/singles.h"
#include "maths/vec.h"
#include "step/rattle.h"

/* the values of a lane, `lanes` doubles from one vector to the next */
LK_INLINE double *lane_at(const struct lk_batches *p, int at, int lane)
{
    return p->values + (size_t)at * (size_t)p->lanes + lane;
}

LK_INLINE bool is_soft(const struct lk_batch_joints *j)
{
    return j->kind >= LK_KIND_SOFT;
}

/* ---- what bodies show ---- */

static void show_pose(struct lk_pose *pose, const double *f, int stride)
{
    for (int i = 0; i < 3; i++)
        pose->x[i] = f[i * stride];
    for (int i = 0; i < 9; i++)
        pose->R[i] = f[(3 + i) * stride];
}

void lk_singles_show_pose(struct lk_system *sys, const struct lk_batches *p, int block, int field)
{
    const struct lk_batch_bodies *b = &p->bodies[block];

    for (int l = 0; l < p->lanes; l++)
        if (b->shown >> l & 1)
            show_pose(&sys->pose[b->body[l]], lane_at(p, b->at + field, l), p->lanes);
}

void lk_singles_show_twist(struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];

    for (int l = 0; l < p->lanes; l++) {
        const double *v = lane_at(p, b->at + LK_BODY_OLD_V, l);

        for (int i = 0; i < 3 && (b->shown >> l & 1); i++) {
            sys->twist[b->body[l]].v[i] = v[i * p->lanes];
            sys->twist[b->body[l]].w[i] = v[(3 + i) * p->lanes];
        }
    }
}

void lk_singles_show_iterate(struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];
    double rate = 2 / sys->h;

    lk_singles_show_pose(sys, p, block, LK_BODY_NOW_X);
    for (int l = 0; l < p->lanes && sys->needs_twists; l++) {
        const double *u = lane_at(p, b->at + LK_RATTLE_ITERATE, l);
        const double *v = lane_at(p, b->at + LK_BODY_OLD_V, l);

        for (int i = 0; i < 3 && (b->shown >> l & 1); i++) {
            int turn = (3 + i) * p->lanes;

            sys->twist[b->body[l]].v[i] = rate * u[i * p->lanes] - v[i * p->lanes];
            sys->twist[b->body[l]].w[i] = rate * u[turn] - v[turn];
        }
    }
}

/* ---- a block of joints ---- */

/* @field: vectors of the block, one for each row; NULL for @values: zeros */
static void write_rows(const struct lk_batches *p, const struct lk_batch_joints *j, int field,
                       int lane, const double *values)
{
    double *to = lane_at(p, j->at + field, lane);

    for (int r = 0; r < lk_kind_rows(lk_lane_kind(j->kind)); r++)
        to[r * p->lanes] = values ? values[r] : 0;
}

double lk_singles_violate(struct lk_system *sys, const struct lk_batches *p, int block,
                          bool is_first)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    double largest = 0;

    if (is_soft(j))
        lk_singles_end(sys, p, block, false);
    for (int l = 0; l < p->lanes; l++) {
        double phi[LK_ROWS_MAX];

        if (j->joint[l] < 0) {
            write_rows(p, j, lk_kind_x(k), l, NULL);
            continue;
        }
        if (is_soft(j)) {
            lk_rattle_follow_laws(sys, p->value, j->joint[l], is_first);
            write_rows(p, j, lk_kind_x(k), l, sys->solution + j->row[l]);
            write_rows(p, j, lk_kind_regular(k), l, sys->regular + j->row[l]);
            continue;
        }
        lk_evaluate_violation(sys, j->joint[l], phi);
        for (int r = 0; r < lk_kind_rows(k); r++)
            largest = lk_max(largest, fabs(phi[r]));
        write_rows(p, j, lk_kind_x(k), l, phi);
    }
    return largest;
}

void lk_singles_close(struct lk_system *sys, const struct lk_batches *p, int block)
{
    static const double released[LK_ROWS_MAX] = {LK_DECOUPLED, LK_DECOUPLED, LK_DECOUPLED,
                                                 LK_DECOUPLED, LK_DECOUPLED, LK_DECOUPLED};
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    if (!is_soft(j)) {
        lk_singles_violate(sys, p, block, false);
        return;
    }
    for (int l = 0; l < p->lanes; l++) {
        write_rows(p, j, lk_kind_x(k), l, NULL);
        write_rows(p, j, lk_kind_regular(k), l, released);
    }
}

/* rows as those of a slide: the direction, the turn of either side, along the world's axes */
static void write_jacobian(const struct lk_system *sys, const struct lk_batches *p,
                           const struct lk_batch_joints *j, int lane)
{
    const struct lk_joint *joint = &sys->joint[j->joint[lane]];
    double *to = lane_at(p, j->at + lk_kind_jacobian(lk_lane_kind(j->kind)), lane);

    for (int r = 0; r < joint->n_rows; r++, to += 9 * p->lanes)
        for (int s = 0; s < 2; s++) {
            double row[6], turn[3];

            lk_jacobian_row(sys->jacobian[j->joint[lane]], s, r, row);
            lk_rotate(sys->pose[joint->body[s]].R, row + 3, turn);
            for (int i = 0; i < 3; i++) {
                to[i * p->lanes] = s == 0 ? row[i] : to[i * p->lanes];
                to[(3 + 3 * s + i) * p->lanes] = turn[i];
            }
        }
}

static void turn_joint(struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);

    lk_joint_jacobian(j, pose, sys->jacobian[i]);
}

void lk_singles_turn(struct lk_system *sys, const struct lk_batches *p, int block, bool is_known)
{
    const struct lk_batch_joints *j = &p->joints[block];

    for (int l = 0; l < p->lanes; l++) {
        if (j->joint[l] < 0)
            continue;
        if (!is_known)
            turn_joint(sys, j->joint[l]);
        write_jacobian(sys, p, j, l);
    }
}

/* Phi_q t of what drives move: a frame is side 0 */
static double frame_rate(const struct lk_system *sys, int i, int r, const double v[3],
                         const double w[3])
{
    double row[6];

    if (sys->joint[i].body[0] <= sys->n_bodies)
        return 0;
    lk_jacobian_row(sys->jacobian[i], 0, r, row);
    return lk_dot(row, v) + lk_dot(row + 3, w);
}

void lk_singles_drift(const struct lk_system *sys, const struct lk_batches *p, int block,
                      double *ret)
{
    const struct lk_batch_joints *j = &p->joints[block];

    for (int l = 0; l < p->lanes; l++) {
        const struct lk_joint *joint = j->joint[l] < 0 ? NULL : &sys->joint[j->joint[l]];

        for (int r = 0; joint && r < joint->n_rows; r++) {
            const struct lk_twist *t = &sys->twist[joint->body[0]];
            double *to = &ret[r * p->lanes + l];

            *to += frame_rate(sys, j->joint[l], r, t->v, t->w);
            if (joint->kind == LK_ROWS_DRIVEN)
                *to -= sys->drive[joint->drive].rate;
        }
    }
}

void lk_singles_gamma(const struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];
    int x = lk_kind_x(lk_lane_kind(j->kind));

    for (int l = 0; l < p->lanes; l++) {
        int i = j->joint[l], frame = i < 0 ? -1 : sys->joint[i].body[0] - sys->n_bodies - 1;
        double gamma[LK_ROWS_MAX];

        if (i < 0 || is_soft(j)) {
            write_rows(p, j, x, l, NULL);
            continue;
        }
        lk_evaluate_gamma(sys, i, gamma);
        for (int r = 0; r < sys->joint[i].n_rows && frame >= 0; r++) {
            const double *a = sys->frame[frame].acceleration;

            gamma[r] += frame_rate(sys, i, r, a, a + 3);
        }
        write_rows(p, j, x, l, gamma);
    }
}

void lk_singles_end(struct lk_system *sys, const struct lk_batches *p, int block, bool is_kept)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    int field = is_kept ? lk_soft_kept(k) : lk_soft_lambda(k);

    for (int l = 0; l < p->lanes; l++)
        for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++)
            sys->next.lambda[j->row[l] + r] = lane_at(p, j->at + field + r, l)[0];
}

/* ---- laws ---- */

void lk_singles_begin(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < sys->n_laws; i++) {
        double rate;

        p->value[i] = lk_loads_law_place(sys, &sys->now, &sys->law[i], &rate);
    }
    for (int i = 0; i < p->n_soft; i++) {
        const struct lk_batch_joints *j = &p->joints[p->soft[i].block];
        const double *lambda = sys->now.lambda + j->row[p->soft[i].lane];

        write_rows(p, j, lk_soft_lambda(lk_lane_kind(j->kind)), p->soft[i].lane, lambda);
        for (int r = 0; r < sys->joint[p->soft[i].joint].n_rows; r++)
            sys->next.lambda[j->row[p->soft[i].lane] + r] = lambda[r];
    }
}

void lk_singles_turn_soft(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_soft; i++)
        turn_joint(sys, p->soft[i].joint);
}

void lk_singles_settle(struct lk_system *sys, const struct lk_batches *p)
{
    if (p->n_soft > 0)
        lk_rattle_settle_laws(sys, &sys->next);
}

void lk_singles_pull(const struct lk_system *sys, const struct lk_batches *p, struct lk_twist *sum)
{
    for (int i = 0; i < p->n_soft; i++) {
        const struct lk_joint *j = &sys->joint[p->soft[i].joint];

        for (int s = 0; s < j->n_sides; s++)
            for (int r = 0; r < j->n_rows && j->body[s] < sys->n_bodies; r++) {
                struct lk_twist *t = &sum[j->body[s]];
                double row[6];

                lk_jacobian_row(sys->jacobian[p->soft[i].joint], s, r, row);
                for (int c = 0; c < 3; c++) {
                    t->v[c] += sys->next.lambda[j->row + r] * row[c];
                    t->w[c] += sys->next.lambda[j->row + r] * row[3 + c];
                }
            }
    }
}
