/* SPDX-License-Identifier: Apache-2.0 */
/* See sways.h. */
#include "compile/sways.h"
#include "maths/vec.h"
#include "step/system.h"
#include "step/tension.h"

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

/* of all bodies, which are @mass; @ret_x, @ret_v: of their centre */
static void centre_of(const struct lk_model *m, double mass, double ret_x[3], double ret_v[3])
{
    for (int i = 0; i < 3; i++)
        ret_x[i] = ret_v[i] = 0;
    for (int b = 0; b < m->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            ret_x[i] += m->bodies[b].mass / mass * m->bodies[b].position[i];
            ret_v[i] += m->bodies[b].mass / mass * m->bodies[b].velocity[i];
        }
}

/* what holds bodies together that go round each other: m v^2 over the radius of the widest */
static double whirl(const struct lk_model *m, double mass)
{
    double x[3], v[3], sum = 0, radius = 0;

    if (!(mass > 0))
        return 0;
    centre_of(m, mass, x, v);
    for (int b = 0; b < m->n_bodies; b++) {
        double arm[3], way[3];

        lk_sub(m->bodies[b].position, x, arm);
        lk_sub(m->bodies[b].velocity, v, way);
        radius = fmax(radius, lk_norm(arm));
        sum += m->bodies[b].mass * lk_dot(way, way);
    }
    return radius > 0 ? sum / radius : 0;
}

static double most_of(const struct lk_input_def *in)
{
    double most = fmax(fabs(in->limits[0]), fabs(in->limits[1]));

    return isfinite(most) ? most : 0;
}

/* forces on bodies and along rails, of the model and as far as limits tell what a bench may send */
static double pushes(const struct lk_model *m)
{
    double sum = 0;

    for (int i = 0; i < m->n_forces; i++)
        if (m->forces[i].type == LK_FORCE_CONSTANT_FORCE ||
            m->forces[i].type == LK_FORCE_HARMONIC_FORCE)
            sum += lk_norm(m->forces[i].vector);
    for (int i = 0; i < m->n_inputs; i++)
        if (m->inputs[i].type == LK_INPUT_BODY_FORCE || m->inputs[i].type == LK_INPUT_JOINT_FORCE)
            sum += most_of(&m->inputs[i]);
    return sum;
}

double lk_sways_load(const struct lk_model *m)
{
    double mass = 0, load;

    for (int b = 0; b < m->n_bodies; b++)
        mass += m->bodies[b].mass;
    load = fmax(mass * lk_norm(m->gravity), whirl(m, mass)) + pushes(m);
    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];

        if (f->type == LK_FORCE_SPRING_DAMPER && !isnan(f->rest))
            load = fmax(load, f->stiffness * (gap_of((const double(*)[3])f->point) - f->rest));
    }
    return load;
}

static bool is_rod(const struct lk_draft *d, const struct lk_draft_block *b)
{
    return b->type == LK_JOINT_DISTANCE &&
           (b->force < 0 || d->model->forces[b->force].type == LK_FORCE_SPRING_DAMPER);
}

/* whether nothing but rods, springs and balls keeps @body from turning */
static bool turns_freely(const struct lk_draft *d, int body)
{
    for (int i = 0; i < d->n_blocks; i++)
        for (int s = 0; s < 2; s++)
            if (d->blocks[i].body[s] == body && d->blocks[i].type != LK_JOINT_DISTANCE &&
                d->blocks[i].type != LK_JOINT_SPHERICAL && d->blocks[i].type != LK_JOINT_SWAY)
                return false;
    return true;
}

/* how light both ends are against a push across, of the bodies alone [1/kg] */
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
            return 0; /* what has no mass does not swing */
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
