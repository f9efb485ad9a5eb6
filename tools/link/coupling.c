/* SPDX-License-Identifier: Apache-2.0 */
/* Values that the two sides exchange. */
#include "channels.h"
#include "link.h"

#include <stdio.h>
#include <string.h>

const char *const link_side_names[LINK_SIDES] = {"left", "right"};

static int note_output(struct link *link, int side, const Linkage__V1__ModelDescription *model,
                       const char *name, int at, struct lk_error *error)
{
    int offset = lk_client_find_output(model, name);

    link->side[side].offset[at] = offset;
    if (offset >= 0)
        return 0;
    lk_error_set(error,
                 "%s: model '%s' has no output '%s', expected a channel of one number, or "
                 "CHANNEL.COMPONENT",
                 link_side_names[side], model->name, name);
    return 1;
}

static int note_input(struct link *link, int side, const Linkage__V1__ModelDescription *model,
                      const char *name, struct lk_error *error)
{
    const Linkage__V1__ChannelDescription *c =
        lk_client_find_channel(model->inputs, model->n_inputs, name);

    link->side[side].values[link->side[side].n] = c != NULL ? c->initial : 0;
    link->side[side].in[link->side[side].n++] = name;
    if (c != NULL && c->n_components == 1)
        return 0;
    lk_error_set(error, "%s: model '%s' has no input '%s' of one number", link_side_names[side],
                 model->name, name);
    return 1;
}

int link_describe(struct link *link, int side, const Linkage__V1__ModelDescription *model,
                  struct lk_error *error)
{
    int r = 0;

    link->side[side].n = 0;
    link->side[side].h = model->step_s;
    for (int i = 0; i < link->n_signals && r == 0; i++)
        r = link->signal[i].from == side
                ? note_output(link, side, model, link->signal[i].out, i, error)
                : note_input(link, side, model, link->signal[i].in, error);
    for (int i = 0; i < link->n_lines && r == 0; i++) {
        r = note_output(link, side, model, link->line[i].out[side], link->n_signals + i, error);
        if (r == 0)
            r = note_input(link, side, model, link->line[i].in[side], error);
    }
    return r;
}

/* Return the number of inputs of @side that are set by signals. In the list of inputs, these
 * precede the inputs of lines. */
static int count_fed(const struct link *link, int side)
{
    int n = 0;

    for (int i = 0; i < link->n_signals; i++)
        n += link->signal[i].from != side;
    return n;
}

void link_begin(struct link *link, int side, const double *values)
{
    for (int i = 0; i < link->n_lines; i++)
        link->line[i].last[side] = values[link->side[side].offset[link->n_signals + i]];
}

void link_waves(struct link *link, int side, uint64_t step)
{
    int first = count_fed(link, side);

    for (int i = 0; i < link->n_lines; i++) {
        struct link_line *line = &link->line[i];

        line->arriving[side] = line->wave[!side][step % (uint64_t)line->steps];
        link->side[side].values[first + i] = -line->ratio[side] * line->arriving[side];
    }
}

void link_take(struct link *link, int side, const double *values, uint64_t step, double n)
{
    struct link_side *s = &link->side[side], *other = &link->side[!side];

    for (int i = 0, at = 0; i < link->n_signals; i++)
        if (link->signal[i].from == side)
            other->values[at++] = values[s->offset[i]];
    for (int i = 0; i < link->n_lines; i++) {
        struct link_line *line = &link->line[i];
        double x = values[s->offset[link->n_signals + i]];
        double c = line->arriving[side], way = line->ratio[side] * (x - line->last[side]);
        double pressed = line->impedance * way / (n * s->h);

        line->wave[side][step % (uint64_t)line->steps] = c + 2 * pressed;
        line->work[side] += (c + pressed) * way;
        line->last[side] = x;
    }
}

double link_energy(const struct link *link, int i)
{
    const struct link_line *line = &link->line[i];
    double energy = 0;

    for (int side = 0; side < LINK_SIDES; side++)
        for (int k = 0; k < line->steps; k++)
            energy += 0.25 * link->side[side].h / line->impedance * line->wave[side][k] *
                      line->wave[side][k];
    return energy;
}
