/* SPDX-License-Identifier: Apache-2.0 */
/* Additional state of `rattle`, and its scratch at the start of a step. */
#include "maths/arena.h"
#include "step/elements/drives.h"
#include "step/elements/elements.h"
#include "step/elements/laws.h"
#include "step/elements/tension.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/one/modal.h"
#include "step/one/rattle.h"
#include <string.h>

int lk_one_rattle_layout(struct lk_system *sys, const struct lk_topology *topology,
                         const struct lk_plan *plan, struct lk_arena *arena)
{
    struct lk_one_rattle *r = lk_arena_take(arena, 1, sizeof(*r));
    size_t quads = ((size_t)sys->n_bodies + 3) / 4;
    struct lk_half_kicks *quad = lk_arena_take(arena, quads, sizeof(*quad));
    size_t n = (size_t)sys->iterations;
    struct lk_rattle_increment *increment = lk_arena_take(arena, n * quads, sizeof(*increment));
    double *multipliers = lk_arena_take(arena, n * (size_t)sys->n_rows, sizeof(double));
    double *lambda = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    int *tense = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*tense));
    double(*tension)[6] = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*tension));
    double(*root)[6] = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*root));
    struct lk_twist *load =
        lk_arena_take(arena, (size_t)sys->n_bodies + 1 + (size_t)sys->n_frames, sizeof(*load));

    sys->gap = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    (void)topology;
    (void)plan;
    if (arena->base)
        *r = (struct lk_one_rattle){.quad = quad,
                                    .increment = increment,
                                    .multipliers = multipliers,
                                    .lambda = lambda,
                                    .tense = tense,
                                    .root = root,
                                    .tension = tension,
                                    .load = load};
    sys->formulation_data = r;
    return 0;
}

static void find_tense(struct lk_system *sys, struct lk_one_rattle *r)
{
    r->n_tense = 0;
    for (int b = 0; b < sys->n_bodies; b++)
        if (lk_tension_is_followed(sys, b) &&
            lk_tension_root(sys->body[b].inertia, r->root[r->n_tense]))
            r->tense[r->n_tense++] = b;
}

/* initialise a state that is not the result of a step: the factor belongs to the pose of this
 * state, and the last motion is computed from its velocities */
void lk_one_rattle_begin(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    r->has_clock = false;
    for (int i = 0; i < sys->n_loads; i++)
        r->has_clock = r->has_clock || sys->load[i].is_harmonic;
    find_tense(sys, r);
    lk_stops_find(sys);
    for (int b = 0; b < sys->n_bodies; b++)
        lk_rattle_begin_body(sys, b);
    lk_one_modal_begin(sys);
    for (int k = 0; 4 * k < sys->n_bodies; k++) {
        struct lk_lanes l = lk_lanes_of(sys, k);
        lk_four mass;

        lk_gather(&l, &sys->W[0].mass, LK_STRIDE(struct lk_inverse_mass), 1, &mass);
        lk_gather(&l, sys->sW[0].inertia, LK_STRIDE(struct lk_inverse_mass), 6, r->quad[k].sW);
        memcpy(r->quad[k].start_sW, r->quad[k].sW, sizeof(r->quad[k].sW));
        r->quad[k].weight = sys->quad[k].mass * mass;
    }
    for (int i = 0; i < sys->n_laws; i++)
        sys->now.tangent[i] = LK_DECOUPLED;
}

void lk_one_place_unclosed(struct lk_system *sys, const struct lk_state *state)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_rattle_own *own = &lk_rattle_own(state)[b];

        memcpy(sys->pose[b].x, own->x, sizeof(own->x));
        lk_quat_matrix(own->q, sys->pose[b].R);
    }
    lk_one_modal_place_unclosed(sys, state);
}

void lk_one_factor_unclosed(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = state->tangent[i];
    lk_evaluate_rigid(sys);
}

void lk_one_rattle_renew(struct lk_system *sys)
{
    struct lk_one_rattle *r = sys->formulation_data;

    r->inputs = NULL;
    lk_drives_evaluate(sys, &sys->now);
    lk_one_place_unclosed(sys, &sys->now);
    lk_one_factor_unclosed(sys, &sys->now);
    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    lk_evaluate_jacobians(sys);
    lk_one_find_gaps(sys);
}

void lk_one_forget_rigid(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints && sys->n_massless == 0; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int row = 0; row < j->n_rows && !lk_is_compliant(j); row++)
            sys->next.lambda[j->row + row] = 0;
    }
}
