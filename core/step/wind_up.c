/* SPDX-License-Identifier: Apache-2.0 */
/* Friction that holds by winding up: a spring and a damper in series with a slider (L. Prandtl, Ein
 * Gedankenmodell zur kinetischen Theorie der festen Koerper, 1928). With z the wind-up, a state:
 *
 *     force = k z + c z',  z' = v while |force| <= level;  else force = +-level, and z follows it
 *
 * At rest the force is that of a spring: what it holds does not creep. The level may change at any
 * time; z gives way at once. Over a step z goes on from z0 along the way of the row,
 *
 *     force = k (z0 + way / 2) + c way / h,  z1 = z0 + way;  else k z1 + c (z1 - z0) / h = +-level
 *
 * The work is force * way; what the spring does not store of it is dissipated, and never negative.
 */
#include "step/system.h"
#include <math.h>

/* from the trial force @trial that would hold */
static double slide(const struct lk_term *t, double trial, double v)
{
    double level = lk_friction_level(t, v);

    return fmin(fmax(trial, -level), level);
}

static void add(const struct lk_term *t, double trial, double v, struct lk_law_value *sum)
{
    double force = slide(t, trial, v);

    sum->elastic += force;
    sum->dissipative += t->damping * v;
    sum->stiffness += force == trial ? t->stiffness : 0;
    sum->damping += (force == trial ? t->give : 0) + t->damping;
}

void lk_wind_up_evaluate(const struct lk_term *t, double x, double v, struct lk_law_value *sum)
{
    double z = t->wound + x - t->from;

    add(t, t->stiffness * z + t->give * v, v, sum);
    sum->potential += 0.5 * t->stiffness * z * z;
}

static double trial_of_step(const struct lk_term *t, double way, double v)
{
    return t->stiffness * (t->wound + 0.5 * way) + t->give * v;
}

void lk_wind_up_step(const struct lk_term *t, double before, double after, double v,
                     struct lk_law_value *sum)
{
    add(t, trial_of_step(t, after - before, v), v, sum);
}

/* value of its coordinate; friction is always at one */
static double place(const struct lk_system *sys, const struct lk_state *state,
                    const struct lk_law *law)
{
    const struct lk_joint *j = &sys->joint[law->joint];

    return state->coordinate[j->of[0]->first_coordinate + j->which[0]];
}

/* wind-up after a step along @way, and the work that is not stored */
static double wind(struct lk_term *t, double way, double h, double *ret_lost)
{
    double trial = trial_of_step(t, way, way / h), force = slide(t, trial, way / h);
    double slid = (force + t->give / h * t->wound) / (t->stiffness + t->give / h);
    double z = force == trial ? t->wound + way : slid;

    *ret_lost = force * way - 0.5 * t->stiffness * (z * z - t->wound * t->wound);
    return z;
}

void lk_wind_up_keep(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_winds > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            struct lk_term *t = &sys->term[k];
            double x, lost;

            if (t->wind < 0)
                continue;
            x = place(sys, &sys->next, law);
            sys->next.wind[t->wind] = wind(t, x - t->from, sys->h, &lost);
            sys->next.balance->dissipated += lost;
            t->wound = sys->next.wind[t->wind];
            t->from = x;
        }
    }
}

void lk_wind_up_settle(struct lk_system *sys)
{
    for (int i = 0; i < sys->n_laws && sys->n_winds > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            const struct lk_term *t = &sys->term[k];

            if (t->wind >= 0)
                sys->now.wind[t->wind] =
                    slide(t, t->stiffness * (t->wound + place(sys, &sys->now, law) - t->from), 0) /
                    t->stiffness;
        }
    }
    lk_wind_up_refer(sys, &sys->now);
}

void lk_wind_up_refer(struct lk_system *sys, const struct lk_state *state)
{
    for (int i = 0; i < sys->n_laws && sys->n_winds > 0; i++) {
        const struct lk_law *law = &sys->law[i];

        for (int k = law->first_term; k < law->first_term + law->n_terms; k++) {
            struct lk_term *t = &sys->term[k];

            if (t->wind < 0)
                continue;
            t->wound = state->wind[t->wind];
            t->from = place(sys, state, law);
        }
    }
}
