/* SPDX-License-Identifier: Apache-2.0 */
/* What `rattle` keeps beside the motion of the bodies, and the scratch that a step begins with. */
#include "step/elements/tension.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/scripts/rattle.h"
#include <string.h>

int lk_rattle_own_size(int n_bodies)
{
    return n_bodies * (int)LK_STRIDE(struct lk_rattle_own);
}

int lk_rattle_layout(struct lk_system *sys, const struct lk_topology *topology,
                     const struct lk_plan *plan, struct lk_arena *arena)
{
    struct lk_rattle *r = lk_arena_take(arena, 1, sizeof(*r));
    size_t quads = ((size_t)sys->n_bodies + 3) / 4;
    struct lk_half_kicks *quad = lk_arena_take(arena, quads, sizeof(*quad));
    size_t n = (size_t)sys->iterations;
    struct lk_rattle_increment *increment = lk_arena_take(arena, n * quads, sizeof(*increment));
    double *multipliers = lk_arena_take(arena, n * (size_t)sys->n_rows, sizeof(double));
    struct lk_rattle_past *past = lk_arena_take(arena, 1, sizeof(*past));
    double *lambda = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    int *tense = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*tense));
    double(*tension)[6] = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*tension));
    double(*root)[6] = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*root));
    struct lk_inverse_mass *free_sW = lk_arena_take(arena, (size_t)sys->n_bodies, sizeof(*free_sW));
    double *value = lk_arena_take(arena, (size_t)sys->n_laws, sizeof(double));
    double *rate =
        lk_arena_take(arena, sys->closes_dampers ? (size_t)sys->n_laws : 0, sizeof(double));
    struct lk_twist *load =
        lk_arena_take(arena, (size_t)sys->n_bodies + 1 + (size_t)sys->n_frames, sizeof(*load));

    struct lk_rattle_stops stops = {0};

    lk_rattle_stops_layout(sys, &stops, arena);
    sys->gap = lk_arena_take(arena, (size_t)sys->n_rows, sizeof(double));
    (void)topology;
    (void)plan;
    if (arena->base)
        *r = (struct lk_rattle){.quad = quad,
                                .increment = increment,
                                .multipliers = multipliers,
                                .past = past,
                                .lambda = lambda,
                                .value = value,
                                .rate = rate,
                                .tense = tense,
                                .root = root,
                                .tension = tension,
                                .free_sW = free_sW,
                                .load = load,
                                .stops = stops};
    sys->formulation_data = r;
    return 0;
}

int lk_rattle_lanes_layout(struct lk_system *sys, const struct lk_topology *topology,
                           const struct lk_plan *plan, struct lk_arena *arena)
{
    struct lk_rattle *r = lk_arena_take(arena, 1, sizeof(*r));
    double *value = lk_arena_take(arena, (size_t)sys->n_laws, sizeof(double));
    double *rate =
        lk_arena_take(arena, sys->closes_dampers ? (size_t)sys->n_laws : 0, sizeof(double));
    struct lk_rattle_stops stops = {0};

    lk_rattle_stops_layout(sys, &stops, arena);
    (void)topology;
    (void)plan;
    if (arena->base)
        *r = (struct lk_rattle){.value = value, .rate = rate, .stops = stops};
    sys->formulation_data = r;
    return 0;
}

static void find_tense(struct lk_system *sys, struct lk_rattle *r)
{
    r->n_tense = 0;
    for (int b = 0; b < sys->n_bodies; b++)
        if (lk_tension_is_followed(sys, b) &&
            lk_tension_root(sys->body[b].inertia, r->root[r->n_tense])) {
            r->free_sW[r->n_tense] = sys->sW[b];
            r->tense[r->n_tense++] = b;
        }
}

void lk_rattle_begin_body(struct lk_system *sys, int b)
{
    const struct lk_motion *m = &sys->now.motion[b];
    struct lk_rattle_own *own = &lk_rattle_own(&sys->now)[b];
    double kick[2];

    /* an acceleration that a stiff damper ends within the step predicts nothing */
    for (int part = 0; part < 2; part++)
        kick[part] = sys->closes_dampers ? 0 : 0.5 * sys->h * sys->quad[b / 4].start_a[part][b % 4];
    memcpy(own->x, m->x, sizeof(own->x));
    memcpy(own->q, m->q, sizeof(own->q));
    for (int i = 0; i < 3; i++) {
        own->moved[i] = sys->h * (m->v.v[i] - kick[0] * m->a.v[i]);
        own->moved[3 + i] = sys->h * (m->v.w[i] - kick[1] * m->a.w[i]);
        own->bent[i] = own->bent[3 + i] = 0;
    }
}

/* a state that was not stepped to: the factor of its own pose, as much motion as it has now */
void lk_rattle_begin(struct lk_system *sys)
{
    struct lk_rattle *r = sys->formulation_data;

    r->has_clock = false;
    for (int i = 0; i < sys->n_loads; i++)
        r->has_clock = r->has_clock || sys->load[i].is_harmonic;
    find_tense(sys, r);
    lk_rattle_find_contacts(sys, &r->stops);
    for (int b = 0; b < sys->n_bodies; b++)
        lk_rattle_begin_body(sys, b);
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

void lk_rattle_release_laws(struct lk_system *sys, const double *value, int i)
{
    const struct lk_joint *j = &sys->joint[i];
    bool slips = j->type == LK_JOINT_CREEP || j->type == LK_JOINT_AIR;
    double phi[LK_ROWS_MAX], way[LK_ROWS_MAX], rates[LK_ROWS_PAD];

    if (sys->closes_dampers && j->type != LK_JOINT_TYRE) {
        lk_evaluate_violation(sys, i, phi);
        lk_joint_way(j, value + j->law, phi, way);
    }
    if (sys->closes_dampers && slips)
        lk_evaluate_row_rates(sys, i, sys->twist, rates);
    for (int row = 0; row < j->n_rows; row++) {
        const struct lk_law *law = &sys->law[j->law + row];
        double E = LK_DECOUPLED;

        if (sys->closes_dampers && law->n_terms > 0) {
            double before = value[j->law + row];
            double rate = slips ? rates[row] : way[row] / sys->h;
            double c = lk_law_drag(law, sys->term, 0.5 * (before + phi[row]), rate);

            E = lk_law_closing(law, c, sys->h);
        }
        sys->next.tangent[j->law + row] = E;
    }
}

void lk_rattle_place_unclosed(struct lk_system *sys, const struct lk_state *state)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_rattle_own *own = &lk_rattle_own(state)[b];

        memcpy(sys->pose[b].x, own->x, sizeof(own->x));
        lk_quat_matrix(own->q, sys->pose[b].R);
    }
}

void lk_rattle_factor_unclosed(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = state->tangent[i];
    lk_evaluate_rigid(sys);
}

void lk_rattle_renew(struct lk_system *sys)
{
    lk_drives_evaluate(sys, &sys->now);
    lk_rattle_place_unclosed(sys, &sys->now);
    lk_rattle_factor_unclosed(sys, &sys->now);
    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    lk_evaluate_jacobians(sys);
    lk_rattle_find_gaps(sys);
}

void lk_rattle_forget_rigid(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_joints; i++) {
        const struct lk_joint *j = &sys->joint[i];

        for (int row = 0; row < j->n_rows && !lk_is_compliant(j); row++)
            sys->next.lambda[j->row + row] = 0;
    }
}

void lk_rattle_forget_way(struct lk_system *sys)
{
    for (int b = 0; b < sys->n_bodies; b++)
        for (int i = 0; i < 3; i++) {
            lk_rattle_own(&sys->next)[b].moved[i] = sys->h * sys->next.motion[b].v.v[i];
            lk_rattle_own(&sys->next)[b].moved[3 + i] = sys->h * sys->next.motion[b].v.w[i];
        }
}
