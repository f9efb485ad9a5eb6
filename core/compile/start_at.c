/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a system from poses and velocities that the caller gives. */
#include "compile/compile.h"
#include "compile/state.h"
#include "maths/arithmetic.h"
#include "maths/vec.h"
#include "step/scripts/step.h"
#include "step/system.h"
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static bool are_finite(const double *x, int n)
{
    for (int i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

/* find the first body whose numbers are no valid pose and velocity. Return: its index, or -1 */
static int find_nonsense(const struct lk_body_state *bodies, int n)
{
    for (int b = 0; b < n; b++) {
        const struct lk_body_state *s = &bodies[b];
        const double *q = s->orientation;
        double square = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];

        if (!are_finite(s->position, 3) || !are_finite(s->velocity, 3) ||
            !are_finite(s->angular_velocity, 3) || !(fabs(square - 1) < LK_UNIT_WITHIN))
            return b;
    }
    return -1;
}

static void take_motion(struct lk_system *sys, const struct lk_body_state *bodies)
{
    for (int b = 0; b < sys->n_bodies; b++) {
        const struct lk_body_state *s = &bodies[sys->body[b].of];
        struct lk_motion *m = &sys->now.motion[b];

        *m = (struct lk_motion){0};
        memcpy(m->x, s->position, sizeof(m->x));
        memcpy(m->q, s->orientation, sizeof(m->q));
        lk_quat_normalise(m->q);
        memcpy(m->v.v, s->velocity, sizeof(m->v.v));
        memcpy(m->v.w, s->angular_velocity, sizeof(m->v.w));
    }
}

/* check that the system supports a start from poses of its caller */
static int check_system(const struct lk_system *sys, struct lk_error *ret_error)
{
    if (sys->formulation->own_size && !sys->formulation->begin) {
        lk_error_set(
            ret_error,
            "the model's formulation has coordinates of its own and starts where the model "
            "says, expected rattle, ali3 or rk4");
        return LK_E_MODEL;
    }
    if (sys->n_modals > 0) {
        lk_error_set(ret_error,
                     "body '%s' has modes, which poses alone do not determine; expected a state "
                     "that was kept (lk_system_state_get())",
                     sys->body_name[sys->modal[0].body]);
        return LK_E_MODEL;
    }
    if (sys->summary.n_in_plane > 0) {
        lk_error_set(
            ret_error,
            "%d bodies are stepped without the rows that keep them from tilting, and could "
            "be put askew: expected a system with all rows (option all_rows)",
            sys->summary.n_in_plane);
        return LK_E_MODEL;
    }
    return 0;
}

static int start_from(struct lk_system *sys, const struct lk_body_state *bodies,
                      struct lk_error *ret_error)
{
    double own_size;
    int r;

    memcpy(sys->now.block, sys->start.block, sys->state_size * sizeof(double));
    own_size = lk_start_size(sys);
    take_motion(sys, bodies);
    r = lk_start_again(sys, own_size, ret_error);
    if (r == 0 && !lk_state_is_plausible(sys, &sys->now)) {
        lk_error_set(ret_error, "the numbers are too large: accelerations or energies from there "
                                "are not finite, expected poses and velocities of a mechanism");
        r = LK_E_STATE;
    }
    return r;
}

int lk_system_start_at(struct lk_system *sys, const struct lk_body_state *bodies,
                       struct lk_error *ret_error)
{
    LK_ARITHMETIC;
    size_t size = sys->state_size * sizeof(double);
    struct lk_summary before = sys->summary;
    int odd = find_nonsense(bodies, sys->n_named_bodies), r = check_system(sys, ret_error);
    double *kept;

    if (r == 0 && odd >= 0) {
        lk_error_set(ret_error,
                     "body '%s' has a number that is not finite, or no unit quaternion: expected "
                     "(w, x, y, z) of length 1",
                     sys->body_name[odd]);
        r = LK_E_STATE;
    }
    if (r != 0)
        return r;
    kept = malloc(size);
    if (!kept)
        return -ENOMEM;
    memcpy(kept, sys->now.block, size);
    r = start_from(sys, bodies, ret_error);
    if (r != 0) {
        memcpy(sys->now.block, kept, size);
        sys->summary = before;
        lk_start_resume(sys);
    }
    free(kept);
    return r;
}
