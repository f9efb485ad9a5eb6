/* SPDX-License-Identifier: Apache-2.0 */
/* See sways.h. */
#include "compile/passes/sways.h"
#include "maths/vec.h"
#include "step/elements/tension.h"
#include "step/system.h"

const double (*lk_sways_points(const struct lk_draft *d, const struct lk_draft_block *b))[3]
{
    return (const double(*)[3])(b->joint >= 0 ? d->model->joints[b->joint].point
                                              : d->model->forces[b->force].point);
}

static double gap_of(const double (*point)[3])
{
    double gap[3];

    lk_sub(point[1], point[0], gap);
    return lk_norm(gap);
}

static bool is_rod(const struct lk_draft *d, const struct lk_draft_block *b)
{
    return b->type == LK_JOINT_DISTANCE &&
           (b->force < 0 || d->model->forces[b->force].type == LK_FORCE_SPRING_DAMPER);
}

/* Return whether only rods, springs and balls act on @body, so that it can turn freely. */
static bool turns_freely(const struct lk_draft *d, int body)
{
    for (int i = 0; i < d->n_blocks; i++)
        for (int s = 0; s < 2; s++)
            if (d->blocks[i].body[s] == body && d->blocks[i].type != LK_JOINT_DISTANCE &&
                d->blocks[i].type != LK_JOINT_SPHERICAL && d->blocks[i].type != LK_JOINT_SWAY)
                return false;
    return true;
}

/* Return the inverse mass of both ends for a force across the rod or spring, if their bodies had
 * no joints [1/kg]. */
static double lightness(const struct lk_draft *d, const struct lk_draft_block *b)
{
    const double(*point)[3] = lk_sways_points(d, b);
    double sum = 0;

    for (int s = 0; s < 2; s++) {
        int body = b->body[s ^ b->is_exchanged];
        const struct lk_body_def *def = body >= 0 ? &d->model->bodies[body] : NULL;
        double arm[3], moment;

        if (!def)
            continue;
        if (!(def->mass > 0))
            return 0; /* a body without mass does not swing */
        lk_sub(point[s], def->position, arm);
        moment = (def->inertia[0] + def->inertia[1] + def->inertia[2]) / 3;
        sum += 1 / def->mass;
        if (moment > 0 && turns_freely(d, body))
            sum += lk_dot(arm, arm) / moment;
    }
    return sum;
}

int lk_sways_across(const struct lk_draft *d, int block, double load)
{
    const struct lk_draft_block *b = &d->blocks[block];
    double gap;

    if (!is_rod(d, b))
        return 0;
    gap = gap_of(lk_sways_points(d, b));
    return gap > 0 && 0.25 * d->h * d->h * load / gap * lightness(d, b) > LK_TENSE;
}
