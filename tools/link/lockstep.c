/* SPDX-License-Identifier: Apache-2.0 */
/* Couples both daemons in lockstep: each daemon executes a step on request of this program, with
 * the values received from the other daemon. Every run gives the same bits. */
#include "link.h"

#include <math.h>

/* Set the error text, preceded by the name of the side. */
static int say(int side, const struct lk_error *why, struct lk_error *error)
{
    lk_error_set(error, "%s: %s", link_side_names[side], why->text);
    return 1;
}

static int open_side(struct link *link, int side, struct lk_error *error)
{
    struct link_side *s = &link->side[side];
    const Linkage__V1__ModelDescription *model;
    struct lk_error why;

    s->lockstep.client = s->client;
    if (lk_client_lockstep_describe(&s->lockstep, &model, &why) != 0)
        return say(side, &why, error);
    if (link_describe(link, side, model, error) != 0)
        return 1;
    if (lk_client_lockstep_begin(&s->lockstep, "linkage-link", s->in, s->n, &why) != 0)
        return say(side, &why, error);
    return 0;
}

static int step_side(struct link *link, int side, const Linkage__V1__OutputSample **ret_outputs,
                     struct lk_error *error)
{
    struct link_side *s = &link->side[side];
    struct lk_error why;

    if (lk_client_lockstep_step(&s->lockstep, s->values, s->n, link_stop_asked, ret_outputs,
                                &why) != 0)
        return say(side, &why, error);
    return 0;
}

static int make_step(struct link *link, struct lk_error *error)
{
    const Linkage__V1__OutputSample *outputs[LINK_SIDES];

    for (int side = 0; side < LINK_SIDES; side++)
        link_waves(link, side, link->done);
    for (int side = 0; side < LINK_SIDES; side++)
        if (step_side(link, side, &outputs[side], error) != 0)
            return 1;
    for (int side = 0; side < LINK_SIDES; side++)
        link_take(link, side, outputs[side]->values, link->done, 1);
    link->done++;
    return 0;
}

int link_lockstep(struct link *link, struct lk_error *error)
{
    int r = 0;

    for (int side = 0; side < LINK_SIDES && r == 0; side++)
        r = open_side(link, side, error);
    if (r == 0 && fabs(link->side[LINK_LEFT].h - link->side[LINK_RIGHT].h) >
                      1e-12 * link->side[LINK_LEFT].h) {
        lk_error_set(error, "steps of %g s and %g s, expected the same in both models",
                     link->side[LINK_LEFT].h, link->side[LINK_RIGHT].h);
        r = 1;
    }
    while (r == 0 && (link->steps == 0 || link->done < link->steps) && !link_stop_asked())
        r = make_step(link, error);
    for (int side = 0; side < LINK_SIDES; side++)
        lk_client_lockstep_end(&link->side[side].lockstep);
    return r;
}
