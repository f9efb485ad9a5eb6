/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that are evaluated joint by joint, outside of the lanes. */
#include "step/lanes/singles.h"
#include "maths/vec.h"
#include "step/elements/law_steps.h"
#include "step/elements/loads.h"
#include "step/elements/tyres.h"
#include "step/kinematics.h"

/* return the address of the values of a lane, with `lanes` doubles from one vector to the
 * next */
LK_INLINE double *lane_at(const struct lk_batches *p, int at, int lane)
{
    return p->values + (size_t)at * (size_t)p->lanes + lane;
}

LK_INLINE bool is_soft(const struct lk_batch_joints *j)
{
    return lk_lane_is_soft(j->kind);
}

/* ---- poses and twists of bodies ---- */

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

void lk_singles_show_values(struct lk_system *sys, const struct lk_batches *p, int block,
                            const double *v)
{
    const struct lk_batch_bodies *b = &p->bodies[block];

    for (int l = 0; l < p->lanes; l++, v++)
        for (int i = 0; i < 3 && (b->shown >> l & 1); i++) {
            sys->twist[b->body[l]].v[i] = v[i * p->lanes];
            sys->twist[b->body[l]].w[i] = v[(3 + i) * p->lanes];
        }
}

void lk_singles_show_twist(struct lk_system *sys, const struct lk_batches *p, int block, int field)
{
    lk_singles_show_values(sys, p, block, lane_at(p, p->bodies[block].at + field, 0));
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

/* write rows of a joint. @field: vectors of the block, one for each row; @values: NULL: zeros */
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
            lk_law_steps_follow(sys, j->joint[l], is_first);
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

/* E of decoupled rows */
static const double released[LK_ROWS_MAX] = {LK_DECOUPLED, LK_DECOUPLED, LK_DECOUPLED,
                                             LK_DECOUPLED, LK_DECOUPLED, LK_DECOUPLED};

void lk_singles_close(struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    if (!is_soft(j)) {
        lk_singles_violate(sys, p, block, false);
        return;
    }
    for (int l = 0; l < p->lanes; l++) {
        const struct lk_joint *joint = j->joint[l] < 0 ? NULL : &sys->joint[j->joint[l]];

        write_rows(p, j, lk_kind_x(k), l, NULL);
        write_rows(p, j, lk_kind_regular(k), l, joint ? sys->next.tangent + joint->law : released);
    }
}

void lk_singles_release(struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];

    for (int l = 0; l < p->lanes; l++)
        if (j->joint[l] >= 0)
            lk_law_steps_release(sys, j->joint[l]);
}

void lk_singles_keep_rates(const struct lk_system *sys, const struct lk_batches *p, int block,
                           const double *rates)
{
    const struct lk_batch_joints *j = &p->joints[block];

    for (int l = 0; l < p->lanes; l++)
        for (int r = 0; r < lk_kind_rows(lk_lane_kind(j->kind)) && j->joint[l] >= 0; r++)
            sys->elements->rate[sys->joint[j->joint[l]].law + r] = rates[r * p->lanes + l];
}

void lk_singles_give_damping(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_soft && sys->closes_dampers; i++) {
        const struct lk_batch_joints *j = &p->joints[p->soft[i].block];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);
        const double *sigma = lane_at(p, j->at + lk_kind_lambda(k), p->soft[i].lane);

        for (int r = 0; r < lk_kind_rows(k); r++)
            sys->solution[j->row[p->soft[i].lane] + r] = sigma[r * p->lanes];
    }
}

void lk_singles_share(const struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    for (int l = 0; l < p->lanes; l++)
        for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++)
            sys->next.lambda[j->row[l] + r] += lane_at(p, j->at + lk_kind_x(k) + r, l)[0];
}

/* Write rows in the form of a slide: the direction, and the rotation part of each side, in world
 * axes. For the row of a coupling, write direction and rotation part of each side. */
static void write_jacobian(const struct lk_system *sys, const struct lk_batches *p,
                           const struct lk_batch_joints *j, int lane, double *to)
{
    const struct lk_joint *joint = &sys->joint[j->joint[lane]];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);
    int next = lk_kind_sides(k) > 2 ? 6 : 3;

    for (int r = 0; r < joint->n_rows; r++, to += 9 * p->lanes)
        for (int s = 0; s < joint->n_sides; s++) {
            double row[6], turn[3];

            lk_jacobian_row(sys->jacobian[j->joint[lane]], s, r, row);
            lk_rotate(sys->pose[joint->body[s]].R, row + 3, turn);
            for (int i = 0; i < 3; i++) {
                if (s == 0 || next == 6)
                    to[(next * s + i) * p->lanes] = row[i];
                to[(next * s + 3 + i) * p->lanes] = turn[i];
            }
        }
}

static void turn_joint(struct lk_system *sys, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    const struct lk_pose *const pose[LK_SIDES_MAX] = LK_SIDES(sys->pose, j);

    if (j->type == LK_JOINT_TYRE)
        lk_tyre_place(sys, j->tyre);
    lk_joint_jacobian(j, pose, sys->jacobian[i]);
}

void lk_singles_turn(struct lk_system *sys, const struct lk_batches *p, int block, bool is_known)
{
    const struct lk_batch_joints *j = &p->joints[block];
    double *to = lane_at(p, j->at + lk_kind_jacobian(lk_lane_kind(j->kind)), 0);

    for (int l = 0; l < p->lanes; l++) {
        if (j->joint[l] < 0)
            continue;
        if (!is_known)
            turn_joint(sys, j->joint[l]);
        write_jacobian(sys, p, j, l, to + l);
    }
}

void lk_singles_turn_to(struct lk_system *sys, const struct lk_batches *p, int block, double *ret)
{
    const struct lk_batch_joints *j = &p->joints[block];

    for (int l = 0; l < p->lanes; l++) {
        if (j->joint[l] < 0)
            continue;
        turn_joint(sys, j->joint[l]);
        write_jacobian(sys, p, j, l, ret + l);
    }
}

/* return Phi_q t of the frames that drives move; @accelerates: with the accelerations of the frames
 * instead of their twists */
static double frame_rate(const struct lk_system *sys, int i, int r, bool accelerates)
{
    const struct lk_joint *j = &sys->joint[i];
    double sum = 0;

    for (int s = 0; s < j->n_sides; s++) {
        int frame = j->body[s] - sys->n_bodies - 1;
        const double *v, *w;
        double row[6];

        if (frame < 0)
            continue;
        v = accelerates ? sys->frame[frame].acceleration : sys->twist[j->body[s]].v;
        w = accelerates ? v + 3 : sys->twist[j->body[s]].w;
        lk_jacobian_row(sys->jacobian[i], s, r, row);
        sum += lk_dot(row, v) + lk_dot(row + 3, w);
    }
    return sum;
}

void lk_singles_drift(const struct lk_system *sys, const struct lk_batches *p, int block,
                      double *ret)
{
    const struct lk_batch_joints *j = &p->joints[block];

    for (int l = 0; l < p->lanes; l++) {
        const struct lk_joint *joint = j->joint[l] < 0 ? NULL : &sys->joint[j->joint[l]];

        for (int r = 0; joint && r < joint->n_rows; r++) {
            double *to = &ret[r * p->lanes + l];

            *to += frame_rate(sys, j->joint[l], r, false);
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
        int i = j->joint[l];
        double gamma[LK_ROWS_MAX];

        if (i < 0 || is_soft(j)) {
            write_rows(p, j, x, l, NULL);
            continue;
        }
        lk_evaluate_gamma(sys, i, gamma);
        for (int r = 0; r < sys->joint[i].n_rows; r++)
            gamma[r] += frame_rate(sys, i, r, true);
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

/* ---- laws of `ali3` ---- */

void lk_singles_follow_pose(struct lk_system *sys, const struct lk_batches *p, int block,
                            bool is_first)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    for (int l = 0; l < p->lanes; l++) {
        if (j->joint[l] < 0) {
            write_rows(p, j, lk_kind_x(k), l, NULL);
            continue;
        }
        for (int r = 0; r < lk_kind_rows(k); r++)
            sys->next.lambda[j->row[l] + r] = lane_at(p, j->at + lk_kind_lambda(k) + r, l)[0];
        lk_law_steps_follow_pose(sys, j->joint[l], sys->jacobian[j->joint[l]], is_first);
        write_rows(p, j, lk_kind_x(k), l, sys->solution + j->row[l]);
        if (is_first)
            write_rows(p, j, lk_kind_regular(k), l, sys->regular + j->row[l]);
    }
}

void lk_singles_jump(struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];

    for (int l = 0; l < p->lanes; l++) {
        double rates[LK_ROWS_PAD];

        if (j->joint[l] < 0)
            continue;
        lk_evaluate_row_rates(sys, j->joint[l], sys->correction, rates);
        write_rows(p, j, lk_kind_x(lk_lane_kind(j->kind)), l, rates);
    }
}

void lk_singles_take_multipliers(const struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_soft; i++) {
        const struct lk_batch_joints *j = &p->joints[p->soft[i].block];
        int lane = p->soft[i].lane;

        write_rows(p, j, lk_kind_lambda(lk_lane_kind(j->kind)), lane,
                   sys->next.lambda + j->row[lane]);
    }
}

/* return the stops of row @r of a joint, or NULL if none was hit */
static const struct lk_stop *hit_stop(const struct lk_system *sys, int joint, int r)
{
    const struct lk_stop *stop = &sys->law[sys->joint[joint].law + r].now->stop;

    return stop->is_impact ? stop : NULL;
}

void lk_singles_hold(struct lk_system *sys, const struct lk_batches *p, int block,
                     bool is_acceleration, const double *rates)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    for (int l = 0; l < p->lanes; l++)
        for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++) {
            const struct lk_stop *stop = hit_stop(sys, j->joint[l], r);
            double gamma[LK_ROWS_MAX] = {0};

            if (!stop || (is_acceleration && stop->rate != 0))
                continue;
            if (is_acceleration)
                lk_evaluate_gamma(sys, j->joint[l], gamma);
            lane_at(p, j->at + lk_kind_x(k) + r, l)[0] = rates[r * p->lanes + l] + gamma[r];
        }
}

void lk_singles_bounce(const struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_joints *j = &p->joints[block];
    const struct lk_joint_kind *k = lk_lane_kind(j->kind);

    for (int l = 0; l < p->lanes; l++)
        for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++) {
            const struct lk_stop *stop = hit_stop(sys, j->joint[l], r);

            lane_at(p, j->at + lk_kind_x(k) + r, l)[0] = stop ? stop->rate : 0;
        }
}

void lk_singles_decouple(const struct lk_batches *p)
{
    for (int i = 0; i < p->n_soft; i++) {
        const struct lk_batch_joints *j = &p->joints[p->soft[i].block];

        write_rows(p, j, lk_kind_regular(lk_lane_kind(j->kind)), p->soft[i].lane, released);
    }
}

void lk_singles_regularise(const struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_soft; i++) {
        const struct lk_batch_joints *j = &p->joints[p->soft[i].block];

        write_rows(p, j, lk_kind_regular(lk_lane_kind(j->kind)), p->soft[i].lane,
                   sys->regular + j->row[p->soft[i].lane]);
    }
}

/* ---- laws ---- */

void lk_singles_take_laws(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_soft; i++) {
        const struct lk_batch_joints *j = &p->joints[p->soft[i].block];

        write_rows(p, j, lk_soft_lambda(lk_lane_kind(j->kind)), p->soft[i].lane,
                   sys->next.lambda + j->row[p->soft[i].lane]);
    }
}

/* read a vector of body @b: translation, and rotation about its axes */
static void read_twist(const struct lk_batches *p, int b, int linear, int turn,
                       struct lk_twist *ret)
{
    for (int i = 0; i < 3; i++) {
        ret->v[i] = p->values[p->place[b] + (linear + i) * p->lanes];
        ret->w[i] = p->values[p->place[b] + (turn + i) * p->lanes];
    }
}

bool lk_singles_push(struct lk_system *sys, const struct lk_batches *p, int iteration)
{
    int at = LK_RATTLE_INCREMENTS + 12 * iteration;
    bool is_settled;

    for (int b = 0; b < sys->n_bodies; b++) {
        read_twist(p, b, LK_BODY_V, LK_RATTLE_G, &sys->residual[b]);
        read_twist(p, b, at, at + 3, &sys->correction[b]);
        for (int i = 0; i < 3; i++) {
            sys->correction[b].v[i] = -0.5 * sys->correction[b].v[i] - sys->residual[b].v[i];
            sys->correction[b].w[i] = -0.5 * sys->correction[b].w[i] - sys->residual[b].w[i];
        }
    }
    lk_evaluate_clear_frames(sys, sys->residual);
    lk_evaluate_clear_frames(sys, sys->correction);
    for (int row = 0; row < sys->n_rows; row++)
        sys->solution[row] = 0;
    is_settled = lk_stops_push(sys, iteration);
    for (int b = 0; b < sys->n_bodies; b++) {
        const double *sum = sys->correction[b].v, *g = sys->residual[b].v;
        double *to = p->values + p->place[b] + at * p->lanes;

        for (int i = 0; i < 6; i++)
            to[i * p->lanes] = -2 * (sum[i] + g[i]);
    }
    /* also update rigid rows if their multipliers are kept, because bodies without inertia transmit
     * forces */
    for (int i = 0; i < p->n_joints; i++) {
        const struct lk_batch_joints *j = &p->joints[i];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);

        for (int l = 0; l < p->lanes && (p->carries || is_soft(j)); l++)
            for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++)
                lane_at(p, j->at + lk_soft_increment(k, iteration) + r, l)[0] +=
                    sys->solution[j->row[l] + r];
    }
    return is_settled;
}

void lk_singles_shove(const struct lk_system *sys, const struct lk_batches *p,
                      const struct lk_twist *shove)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        double *f = p->values + p->place[b], R[9], turn[3];

        for (int i = 0; i < 9; i++)
            R[i] = f[(LK_BODY_R + i) * p->lanes];
        lk_rotate(R, shove[b].w, turn);
        for (int i = 0; i < 3; i++) {
            f[(p->rare + LK_RARE_SHOVE + i) * p->lanes] = shove[b].v[i];
            f[(p->rare + LK_RARE_SHOVE + 3 + i) * p->lanes] = turn[i];
        }
    }
}

void lk_singles_held(struct lk_system *sys, const struct lk_batches *p, bool is_refined)
{
    for (int b = 0; b < sys->n_bodies; b++)
        read_twist(p, b, p->rare + LK_RARE_SHOVE, p->rare + LK_RARE_SHOVE + 3, &sys->correction[b]);
    for (int i = 0; i < p->n_joints; i++) {
        const struct lk_batch_joints *j = &p->joints[i];
        const struct lk_joint_kind *k = lk_lane_kind(j->kind);
        int field = is_refined ? lk_kind_lambda(k) : lk_kind_x(k);

        for (int l = 0; l < p->lanes; l++)
            for (int r = 0; r < lk_kind_rows(k) && j->joint[l] >= 0; r++)
                sys->solution[j->row[l] + r] = lane_at(p, j->at + field + r, l)[0];
    }
}

void lk_singles_turn_soft(struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_soft; i++)
        turn_joint(sys, p->soft[i].joint);
}

struct lk_law_powers lk_singles_follow(struct lk_system *sys, const struct lk_batches *p)
{
    if (p->n_soft == 0)
        return (struct lk_law_powers){0};
    lk_keep_coordinates(sys);
    lk_singles_turn_soft(sys, p);
    return lk_loads_law_multipliers(sys, &sys->next, 1, sys->next.lambda);
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
