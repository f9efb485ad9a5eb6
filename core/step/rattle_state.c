/* SPDX-License-Identifier: Apache-2.0 */
#include "step/rattle_state.h"
#include <string.h>

int lk_rattle_own_size(int n_bodies)
{
    return n_bodies * (int)(sizeof(struct lk_rattle_own) / sizeof(double));
}

void lk_rattle_begin_body(struct lk_system *sys, int b)
{
    const struct lk_motion *m = &sys->now.motion[b];
    struct lk_rattle_own *own = &lk_rattle_own(&sys->now)[b];
    double kick[2];

    /* the prediction ignores the acceleration if a stiff damper may end the acceleration within the
     * step */
    for (int part = 0; part < 2; part++)
        kick[part] = sys->closes_dampers ? 0 : 0.5 * sys->h * sys->quad[b / 4].start_a[part][b % 4];
    memcpy(own->x, m->x, sizeof(own->x));
    memcpy(own->q, m->q, sizeof(own->q));
    for (int i = 0; i < 3; i++) {
        own->moved[i] = sys->h * (m->v.v[i] - kick[0] * m->a.v[i]);
        own->moved[3 + i] = sys->h * (m->v.w[i] - kick[1] * m->a.w[i]);
        own->curvature[i] = own->curvature[3 + i] = 0;
    }
}

void lk_rattle_reset_prediction(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            lk_rattle_own(&sys->next)[b].moved[i] = sys->h * sys->next.motion[b].v.v[i];
            lk_rattle_own(&sys->next)[b].moved[3 + i] = sys->h * sys->next.motion[b].v.w[i];
        }
}
