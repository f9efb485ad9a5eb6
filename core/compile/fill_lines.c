/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the transmission lines from force elements. */
#include "compile/fill.h"
#include <math.h>

/* return the delay of a wave in steps, at least one */
static int steps_of(const struct lk_force_def *f, double h)
{
    return (int)fmax(1, round(f->line.delay / h));
}

int lk_fill_line_size(const struct lk_force_def *f, double h)
{
    return f->type == LK_FORCE_LINE ? 2 * steps_of(f, h) + 2 : 0;
}

void lk_fill_lines(struct lk_system *sys, const struct lk_model *m)
{
    struct lk_line *line = sys->line;
    int at = 0;

    for (int i = 0; i < m->n_forces; i++) {
        const struct lk_force_def *f = &m->forces[i];
        int size = lk_fill_line_size(f, sys->h);

        if (size == 0)
            continue;
        *line = (struct lk_line){
            .force = i, .steps = steps_of(f, sys->h), .impedance = f->line.impedance, .at = at};
        for (int k = 0; k < 2; k++)
            line->ratio[k] = f->line.ratio[k];
        for (int k = 0; k < size; k++)
            sys->now.waves[at + k] = f->line.load;
        at += size;
        line++;
    }
}
