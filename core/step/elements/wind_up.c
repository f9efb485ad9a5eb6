/* SPDX-License-Identifier: Apache-2.0 */
/* Friction with wind-up (presliding): a spring and a damper in series with a slider (L. Prandtl,
 * Ein Gedankenmodell zur kinetischen Theorie der festen Koerper, 1928). The wind-up z is a state:
 *
 *     force = k z + c z',  z' = v while |force| <= level;  else force = +-level, which determines z
 *
 * At rest the element acts as a spring, without creep. The level depends on the rate of sliding s =
 * v - z', so that it does not fall while the spring winds up, at any rate. The level may change at
 * any time; z then changes at once. Let way be the displacement of the row in a step. Then z
 * changes from z0 to z1 by way, less the sliding:
 *
 *     force = k (z0 + z1) / 2 + c (z1 - z0) / h,  z1 = z0 + way - s h,
 *     s = 0, or force = +-level(s)
 *
 * The work is force * way. The part that the spring does not store is dissipated; this part is
 * never negative. s is a state, too: if the level falls with s, sticking and sliding may both be
 * solutions, and the state selects one of them. */
#include "step/elements/wind_up.h"
#include "step/elements/elements.h"
#include <math.h>

#define ROUNDS 8 /* fixed-point rounds for the rate of sliding */

/* return the force @trial of a sticking contact, limited to the level at the sliding rate @s */
static double slide(const struct lk_term *t, double trial, double s)
{
    double level = lk_friction_level(t, s);

    return fmin(fmax(trial, -level), level);
}

static void add(const struct lk_term *t, double trial, double force, double v,
                struct lk_law_value *sum)
{
    sum->elastic += force;
    sum->dissipative += t->now->damping * v;
    sum->stiffness += force == trial ? t->now->stiffness : 0;
    sum->damping += (force == trial ? t->give : 0) + t->now->damping;
}

void lk_wind_up_evaluate(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    double z = t->now->wound + x - t->now->from, trial = t->now->stiffness * z + t->give * v;

    add(t, trial, slide(t, trial, t->now->slip), v, sum);
    sum->potential += 0.5 * t->now->stiffness * z * z;
}

static double trial_of_step(const struct lk_term *t, double way, double v)
{
    return t->now->stiffness * (t->now->wound + 0.5 * way) + t->give * v;
}

/* Return the rate of sliding s >= 0 over a step: |trial| - yield s = level(s). It is computed by
 * fixed-point rounds that begin at the rate of the last step. If sticking and sliding are both
 * solutions, a sliding contact therefore continues to slide and a sticking contact to stick. */
static double slip_of(const struct lk_term *t, double trial)
{
    int rounds = t->stick == t->coulomb ? 1 : ROUNDS;
    double s = t->now->slip;

    for (int i = 0; i < rounds; i++)
        s = fmax((fabs(trial) - lk_friction_level(t, s)) / t->yield, 0);
    return s;
}

void lk_wind_up_step(const struct lk_term *t, double before, double after, double v,
                     struct lk_law_value *sum)
{
    double trial = trial_of_step(t, after - before, v);

    add(t, trial, slide(t, trial, slip_of(t, trial)), v, sum);
}

/* return the value of the coordinate on which the friction acts */
static double place(const struct lk_system *sys, const struct lk_state *state,
                    const struct lk_law *law)
{
    const struct lk_joint *j = &sys->joint[law->joint];

    return state->coordinate[j->of[0]->first_coordinate + j->which[0]];
}

/* return the wind-up after a step with the displacement @way, and the work that is not
 * stored */
static double wind(const struct lk_term *t, double way, double h, double *ret_lost)
{
    double trial = trial_of_step(t, way, way / h), slip = slip_of(t, trial);
    double force = slide(t, trial, slip);
    double z = t->now->wound + way - copysign(fabs(trial) - fabs(force), trial) / t->yield * h;

    t->now->slip = slip;
    *ret_lost = force * way - 0.5 * t->now->stiffness * (z * z - t->now->wound * t->now->wound);
    return z;
}

static void keep(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_winds > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            const struct lk_term *t = &sys->term[k];
            double x, lost;

            if (t->wind < 0)
                continue;
            x = place(sys, &sys->next, law);
            t->now->wound = sys->next.wind[2 * t->wind] = wind(t, x - t->now->from, sys->h, &lost);
            sys->next.wind[2 * t->wind + 1] = t->now->slip;
            sys->next.balance->dissipated += lost;
            t->now->from = x;
        }
    }
}

void lk_wind_up_settle(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_winds > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            const struct lk_term *t = &sys->term[k];

            if (t->wind < 0)
                continue;
            sys->now.wind[2 * t->wind] =
                slide(t,
                      t->now->stiffness *
                          (t->now->wound + place(sys, &sys->now, law) - t->now->from),
                      0) /
                t->now->stiffness;
            sys->now.wind[2 * t->wind + 1] = 0;
        }
    }
    lk_wind_up_refer(sys, &sys->now);
}

void lk_wind_up_refer(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_laws && sys->n_winds > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            const struct lk_term *t = &sys->term[k];

            if (t->wind < 0)
                continue;
            t->now->wound = state->wind[2 * t->wind];
            t->now->slip = state->wind[2 * t->wind + 1];
            t->now->from = place(sys, state, law);
        }
    }
}

static bool is_in(const struct lk_system *sys)
{
    return sys->n_winds > 0;
}

const struct lk_element_ops lk_wind_up_ops = {
    .is_in = is_in,
    .refer = lk_wind_up_refer,
    .keep = keep,
};
