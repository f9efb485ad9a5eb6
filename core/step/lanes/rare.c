/* SPDX-License-Identifier: Apache-2.0 */
#include "step/lanes/rare.h"
#include "maths/vec.h"
#include "step/elements/tension.h"
#include "step/equations.h"
#include <string.h>

/* return the address of @field of a body, with `lanes` doubles from one vector to the next */
LK_INLINE double *body_at(const struct lk_batches *p, int b, int field)
{
    return p->values + p->place[b] + field * p->lanes;
}

/* list the sides of all parts of a split body once */
static void name_sides(const struct lk_system *sys, struct lk_batches *p, struct lk_batch_tense *t)
{
    int of = sys->body[t->body].of;

    for (int i = 0; i < p->n_tense; i++)
        if (sys->body[p->tense[i].body].of == of) {
            t->first = p->tense[i].first;
            t->n = p->tense[i].n;
            t->lead = i;
            return;
        }
    t->first = p->n_tense_sides;
    for (int i = 0; i < sys->n_joints; i++)
        for (int s = 0; s < 2; s++)
            if (sys->joint[i].body[s] < sys->n_bodies &&
                sys->body[sys->joint[i].body[s]].of == of && lk_tension_holds_point(sys, i))
                p->tense_sides[p->n_tense_sides++] = (struct lk_batch_tense_side){i, s};
    t->n = p->n_tense_sides - t->first;
    t->lead = sys->body[t->body].n_parts > 1 ? p->n_tense : -1;
}

void lk_rare_find_tense(const struct lk_system *sys, struct lk_batches *p)
{
    p->n_tense = p->n_tense_sides = 0;
    for (int i = 0; i < p->n_bodies; i++)
        p->bodies[i].tense = 0;
    for (int i = 0; i < p->n_bodies; i++)
        for (int l = 0; l < p->lanes; l++) {
            struct lk_batch_tense t = {.body = p->bodies[i].body[l], .block = i};

            if (t.body < 0 || !lk_tension_is_followed(sys, t.body) ||
                !lk_tension_root(sys->body[t.body].inertia, t.root))
                continue;
            name_sides(sys, p, &t);
            if (!p->bodies[i].tense)
                p->bodies[i].first_tense = p->n_tense;
            p->bodies[i].tense |= 1u << l;
            p->tense[p->n_tense++] = t;
        }
    p->factors_twice = p->n_soft + p->n_tense > 0;
}

void lk_rare_body(const struct lk_system *sys, const struct lk_batches *p, int b)
{
    const struct lk_quad *quad = &sys->quad[b / 4];

    for (int part = 0; part < 2; part++) {
        *body_at(p, b, p->rare + LK_RARE_AHEAD + part) = quad->start_a[part][b % 4];
        *body_at(p, b, p->rare + LK_RARE_MASSLESS + part) = quad->massless[part][b % 4];
    }
    for (int i = 0; i < 3; i++)
        *body_at(p, b, p->rare + LK_RARE_THIN + i) = quad->thin[i][b % 4];
}

/* compute K of a body at the pose in its lane; for a split body, the share of one part */
static void find_tension(const struct lk_system *sys, const struct lk_batches *p,
                         const struct lk_batch_tense *t, double K[6])
{
    const double *f = body_at(p, t->body, LK_BODY_R);
    double R[9];

    for (int i = 0; i < 9; i++)
        R[i] = f[i * p->lanes];
    for (int i = 0; i < 6; i++)
        K[i] = 0;
    for (int i = t->first; i < t->first + t->n; i++)
        lk_tension_add_joint(sys, p->tense_sides[i].joint, p->tense_sides[i].side, R, K);
    for (int i = 0; i < 6; i++)
        K[i] /= sys->body[t->body].n_parts;
}

void lk_rare_share_tension(const struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_tense; i++) {
        const struct lk_batch_tense *t = &p->tense[i];
        double K[6];

        if (t->lead < 0)
            continue;
        if (t->lead == i)
            find_tension(sys, p, t, K);
        for (int k = 0; k < 6; k++)
            *body_at(p, t->body, p->rare + LK_RARE_TENSION + k) =
                t->lead == i ? K[k]
                             : *body_at(p, p->tense[t->lead].body, p->rare + LK_RARE_TENSION + k);
    }
}

/* set s J^-1 in the lanes, and in the system for hard stops */
static void set_turn(const struct lk_system *sys, const struct lk_batches *p, int b,
                     const double SJ[6])
{
    for (int i = 0; i < 6; i++)
        sys->sW_now[b].inertia[i] = *body_at(p, b, LK_BODY_SJ + i) = SJ[i];
}

void lk_rare_take_tension(const struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];

    for (int i = b->first_tense; i < p->n_tense && p->tense[i].block == block; i++) {
        const struct lk_batch_tense *t = &p->tense[i];
        const double *J = sys->body[t->body].inertia;
        double all[6], K[6], sum[6], SJ[6];

        if (t->lead < 0)
            find_tension(sys, p, t, all);
        for (int k = 0; k < 6 && t->lead >= 0; k++)
            all[k] = *body_at(p, t->body, p->rare + LK_RARE_TENSION + k);
        lk_tension_part(t->root, sys->s, all, K);
        for (int k = 0; k < 6; k++)
            sum[k] = J[k] + sys->s * K[k];
        lk_sym_inverse(sum, SJ);
        for (int k = 0; k < 6; k++) {
            SJ[k] *= sys->s;
            *body_at(p, t->body, p->rare + LK_RARE_TENSION + k) = K[k];
        }
        set_turn(sys, p, t->body, SJ);
    }
}

void lk_rare_leave_tension(const struct lk_system *sys, const struct lk_batches *p, int block)
{
    const struct lk_batch_bodies *b = &p->bodies[block];

    for (int i = b->first_tense; i < p->n_tense && p->tense[i].block == block; i++)
        set_turn(sys, p, p->tense[i].body, sys->sW[p->tense[i].body].inertia);
}

void lk_rare_book_tension(const struct lk_system *sys, const struct lk_batches *p)
{
    for (int i = 0; i < p->n_tense; i++) {
        double K[6], theta[3], more[3];

        for (int k = 0; k < 6; k++)
            K[k] = *body_at(p, p->tense[i].body, p->rare + LK_RARE_TENSION + k);
        for (int k = 0; k < 3; k++) {
            theta[k] = *body_at(p, p->tense[i].body, LK_RATTLE_MOVED + 3 + k);
            more[k] = sys->h * sys->h * *body_at(p, p->tense[i].body, LK_RATTLE_CURVATURE + 3 + k);
        }
        sys->next.balance->taken += lk_rattle_tension_takes(K, theta, more);
    }
}
