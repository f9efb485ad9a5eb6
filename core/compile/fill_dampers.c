/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the dampers that may stop a motion within a step. `rattle` includes the rows of these
 * dampers in the projection of velocities, see step/scripts/rattle.h. */
#include "compile/draft.h"
#include "compile/fastest.h"
#include "compile/fill.h"
#include "compile/passes/pulls.h"
#include "maths/vec.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include <float.h>
#include <math.h>
#include <string.h>

/* least mobility of a row, relative to the mobility of its bodies without joints */
#define LEAST 0.05
/* largest slope of a monotone cubic, relative to the slope of its chord */
#define STEEPEST      3
#define LARGEST_SPEED 340. /* largest speed of air relative to a body [m/s] */

static double steepest_chord(int n, const double *x, const double *y)
{
    double steepest = 0;

    for (int i = 1; i < n; i++)
        steepest = fmax(steepest, fabs((y[i] - y[i - 1]) / (x[i] - x[i - 1])));
    return STEEPEST * steepest;
}

/* Return the largest tangent of a damper at any rate and for any value of its inputs. */
static double largest_damping(const struct lk_model *m, const struct lk_term *t)
{
    static const struct lk_force_def none = {.scale_input = -1, .port_input = {-1, -1, -1, -1}};
    const struct lk_force_def *f = t->force >= 0 ? &m->forces[t->force] : &none;
    double scale = lk_pulls_signal(m, f->scale_input, t->now->scale), steepest = 0;

    switch (t->kind) {
    case LK_TERM_LINEAR:
    case LK_TERM_IMPEDANCE:
        return lk_pulls_signal(m,
                               t->port[LK_PORT_DAMPING] >= 0 ? f->port_input[LK_PORT_DAMPING] : -1,
                               t->now->damping);
    case LK_TERM_TABLE_DAMPING:
        steepest = steepest_chord(t->n_points, t->x, t->y);
        return steepest > 0 ? scale * steepest : 0;
    case LK_TERM_MAP:
        for (int k = 0; k < t->n_levels; k++) {
            const double *x = t->x + 4 * (long)k * t->n_points;

            steepest = fmax(steepest, steepest_chord(t->n_points, x, x + t->n_points));
        }
        return steepest;
    case LK_TERM_CREEP:
        return t->now->damping;
    case LK_TERM_CALLBACK:
        return INFINITY; /* no bound is known */
    case LK_TERM_AIR:
        return 2 * t->now->damping * LARGEST_SPEED;
    default:
        return 0;
    }
}

static double largest_drag(const struct lk_system *sys, const struct lk_model *m,
                           const struct lk_law *law)
{
    double sum = 0;

    for (int i = law->first_term; i < law->first_term + law->n_terms; i++)
        sum += largest_damping(m, &sys->term[i]);
    return sum;
}

/* return the acceleration of the row of @law for a unit force along it, under the rigid rows */
static double mobility_of(struct lk_system *sys, const struct lk_law *law)
{
    double rates[LK_ROWS_PAD];

    memset(sys->next.lambda, 0, (size_t)sys->n_rows * sizeof(double));
    sys->next.lambda[sys->joint[law->joint].row + law->row] = 1;
    lk_evaluate_transpose(sys, sys->next.lambda, sys->residual);
    lk_fastest_accelerate(sys);
    lk_evaluate_row_rates(sys, law->joint, sys->residual, rates);
    return lk_max(rates[law->row] / sys->s, 0);
}

/* return whether a damper may affect the projection of velocities for some value of its inputs */
static bool may_close(const struct lk_system *sys, const struct lk_model *m)
{
    bool found = false;

    for (int i = 0; i < sys->n_laws; i++) {
        const struct lk_law *law = &sys->law[i];
        double c = largest_drag(sys, m, law);

        found |= c > 0 && lk_law_closing(law, fmin(c, DBL_MAX), sys->h) < LK_DECOUPLED;
    }
    return found;
}

void lk_fill_dampers(struct lk_system *sys, const struct lk_draft *d)
{
    if (!lk_steps_by(sys, &lk_formulation_rattle))
        return;
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = LK_DECOUPLED;
    lk_evaluate_factor(sys);
    for (int i = 0; i < sys->n_laws; i++) {
        struct lk_law *law = &sys->law[i];
        double alone = lk_fill_inverse_mass(sys, d, law->joint, law->row);

        law->free_mobility = fmin(alone, fmax(mobility_of(sys, law), LEAST * alone));
    }
    for (int i = 0; i < sys->n_laws; i++)
        sys->regular[sys->joint[sys->law[i].joint].row + sys->law[i].row] = 0;
    sys->closes_dampers = d->may_close_dampers && may_close(sys, d->model);
    sys->leaves_laws &= !sys->closes_dampers;
}
