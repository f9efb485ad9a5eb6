/* SPDX-License-Identifier: Apache-2.0 */
/* Sets the drives and frames of a system. */
#include "compile/fill.h"
#include <math.h>
#include <string.h>

void lk_fill_drives_layout(struct lk_system *sys, const struct lk_draft *d, struct lk_arena *arena)
{
    const struct lk_model *m = d->model;
    size_t points = 0;

    for (int i = 0; i < m->n_drives; i++)
        if (m->drives[i].type == LK_DRIVE_TABLE)
            points += (size_t)m->tables[m->drives[i].table].n;
    sys->drive = lk_arena_take(arena, (size_t)m->n_drives, sizeof(*sys->drive));
    sys->frame = lk_arena_take(arena, (size_t)d->n_frames, sizeof(*sys->frame));
    /* for each point: abscissa, value, curvature, and three numbers of scratch for the spline */
    sys->splines = lk_arena_take(arena, 6 * points, sizeof(double));
}

void lk_fill_frames(struct lk_system *sys, const struct lk_draft *d)
{
    for (int i = 0; i < d->model->n_joints; i++) {
        int k = d->frame_of[i];

        if (k < 0)
            continue;
        memcpy(sys->frame[k].origin, d->model->joints[i].point[0], sizeof(sys->frame[k].origin));
        for (int n = 0; n < 6; n++)
            sys->frame[k].drive[n] = -1;
        for (int n = 0; n < d->model->n_drives; n++)
            if (d->model->drives[n].joint == i)
                sys->frame[k].drive[d->model->drives[n].coordinate] = n;
        sys->pose[sys->n_bodies + 1 + k] = (struct lk_pose){.R = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        memcpy(sys->pose[sys->n_bodies + 1 + k].x, sys->frame[k].origin, sizeof(double[3]));
    }
}

static void fill_table(struct lk_drive *to, const struct lk_table *table, double *memory)
{
    size_t n = (size_t)table->n;

    memcpy(memory, table->x, n * sizeof(double));
    memcpy(memory + n, table->y, n * sizeof(double));
    lk_spline_curvatures(table->n, memory, memory + n, to->is_periodic, memory + 3 * n,
                         memory + 2 * n);
    to->n_points = table->n;
    to->x = memory;
    to->y = memory + n;
    to->curvature = memory + 2 * n;
}

/* Return the start value of a drive: the initial value of its input, if the model has one.
 * Otherwise 0 for a frame (fixed joint), else the coordinate at the start. */
static double start_value(const struct lk_draft *d, const struct lk_drive_def *def)
{
    const struct lk_joint_def *joint = &d->model->joints[def->joint];

    if (def->type == LK_DRIVE_INPUT && def->input < d->model->n_inputs &&
        d->model->inputs[def->input].has_initial)
        return d->model->inputs[def->input].initial;
    if (joint->type == LK_JOINT_FIXED)
        return 0;
    return (joint->hold >> def->coordinate) & 1 ? joint->start[def->coordinate]
                                                : joint->coordinate[def->coordinate];
}

void lk_fill_drives(struct lk_system *sys, const struct lk_draft *d)
{
    size_t used = 0;

    for (int i = 0; i < d->model->n_drives; i++) {
        const struct lk_drive_def *def = &d->model->drives[i];
        double periods = def->period / sys->h;

        sys->drive[i] = (struct lk_drive){
            .type = def->type,
            .joint = def->joint,
            .which = def->coordinate,
            .row_joint = -1,
            .offset = def->type == LK_DRIVE_INPUT ? lk_fill_signal(sys, def->input) : 0,
            .n = fmax(round(periods), 1),
            .is_periodic = def->is_periodic,
            .shift = def->offset,
            .amplitude = def->amplitude,
            .omega = def->omega,
            .phase = def->phase,
            .slope = def->rate,
        };
        if (def->type == LK_DRIVE_TABLE) {
            fill_table(&sys->drive[i], &d->model->tables[def->table], sys->splines + used);
            used += 6 * (size_t)d->model->tables[def->table].n;
        }
        for (int k = 0; k < 4; k++)
            sys->now.samples[i].point[k] = start_value(d, def);
        sys->now.samples[i].done = sys->drive[i].n;
    }
    for (int i = 0; i < sys->n_joints; i++)
        if (sys->joint[i].kind == LK_ROWS_DRIVEN)
            sys->drive[sys->joint[i].drive].row_joint = i;
}
