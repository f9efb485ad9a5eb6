/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/energy.h"
#include "maths/arithmetic.h"
#include "maths/hot.h"
#include "maths/vec.h"
#include "step/elements/contacts.h"
#include "step/elements/tyres.h"
#include "step/system.h"
#include <math.h>

/* Energies up to these bounds count as round-off: relative to the sums, relative to the peak
 * of a mechanism that has come to rest, and in a mechanism that never moved. */
#define SUM_SHARE  1e-9
#define PEAK_SHARE 1e-6
#define LEAST_J    1e-9
#define RIGID      1e-3 /* largest compliance of a rigid contact, relative to its inverse mass */

static double put_in(const struct lk_health *h)
{
    return h->work_input + h->work_drive + h->work_applied;
}

/* apart, so that it stays within the region of LK_ARITHMETIC */
static LK_APART double balance(const struct lk_health *h)
{
    return h->kinetic + h->potential + h->dissipated - put_in(h);
}

LK_RT double lk_energy_balance(const struct lk_health *health)
{
    LK_ARITHMETIC;

    return balance(health);
}

static double sum_of(const struct lk_health *h)
{
    return h->kinetic + fabs(h->potential) + fabs(h->work_input) + fabs(h->work_drive) +
           fabs(h->work_applied) + fabs(h->dissipated);
}

/* ---- in the last steps ---- */

/* Return the energy in the mechanism, plus the energy transferred in the step [J]. */
static double turnover(const struct lk_health *before, const struct lk_health *after)
{
    return fmax(before->kinetic, after->kinetic) + fabs(after->potential - before->potential) +
           fabs(after->work_input - before->work_input) +
           fabs(after->work_drive - before->work_drive) +
           fabs(after->work_applied - before->work_applied) +
           fabs(after->dissipated - before->dissipated);
}

LK_RT void lk_energy_account(struct lk_energy_watch *watch, const struct lk_health *health)
{
    LK_ARITHMETIC;
    const double memory = 1 - 1.0 / LK_ENERGY_STEPS;
    const struct lk_health *before = &watch->before;
    double dissipated = health->dissipated - before->dissipated;
    double appeared = health->kinetic - before->kinetic + health->potential - before->potential -
                      put_in(health) + put_in(before);
    double round_off;

    /* a law with a negative slope supplies energy, which the balance contains as negative
     * dissipation */
    appeared += fmin(dissipated, 0);
    watch->kinetic = fmax(watch->kinetic, health->kinetic);
    round_off = SUM_SHARE * sum_of(health) + PEAK_SHARE * watch->kinetic + LEAST_J;
    watch->turnover = fmax(memory * watch->turnover, turnover(before, health) + round_off);
    watch->jumped = fmax(memory * watch->jumped + appeared, 0);
    watch->jump = watch->jumped / watch->turnover;
    watch->before = *health;
}

/* ---- since the beginning ---- */

/* Compute the terms of the error of a step. @ret_beside: h^2/24 a.M a [J];  @ret_power: a.M
 * v [W].
 * Return: the body of the model with the largest share of the first term. */
static int swing(const struct lk_system *system, double *ret_beside, double *ret_power)
{
    double beside = 0, power = 0, most = 0;
    int body = 0;

    for (int b = 0; b < system->n_bodies; b++) {
        const struct lk_twist *a = &system->now.motion[b].a, *v = &system->now.motion[b].v;
        double mass = system->body[b].mass, torque[3], own;

        lk_sym_mul(system->body[b].inertia, a->w, torque);
        own = mass * lk_dot(a->v, a->v) + lk_dot(a->w, torque);
        beside += own;
        power += mass * lk_dot(a->v, v->v) + lk_dot(v->w, torque);
        if (own > most) {
            most = own;
            body = b;
        }
    }
    for (int k = 0; k < system->n_modes; k++) {
        beside += system->now.mode[k].a * system->now.mode[k].a;
        power += system->now.mode[k].a * system->now.mode[k].v;
    }
    *ret_beside = system->h * system->h / 24 * beside;
    *ret_power = power;
    return system->n_bodies > 0 ? system->body[body].of : 0;
}

/* Return the total of energy supplied and dissipated [J]. */
static double passed(const struct lk_health *start, const struct lk_health *now)
{
    return fabs(now->work_input - start->work_input) + fabs(now->work_drive - start->work_drive) +
           fabs(now->work_applied - start->work_applied) +
           fabs(now->dissipated - start->dissipated);
}

/* Return the energy in the compliances of rigid contacts [J], a deflection of 2 E lambda at the
 * force lambda. The balance contains it as dissipated, and not as a potential. */
static double stored(const struct lk_system *system)
{
    double sum = 0;

    for (int i = 0; i < system->n_contacts; i++) {
        const struct lk_contact_point *c = &system->contact[i];
        const double *lambda = system->now.lambda + system->joint[c->joint].row;

        for (int r = 0; r < 3; r++)
            sum += lk_min(c->soft[r], RIGID * c->inverse[r]) * lambda[r] * lambda[r];
    }
    return sum;
}

LK_RT void lk_energy_begin(struct lk_energy_watch *watch, const struct lk_system *system)
{
    LK_ARITHMETIC;

    *watch = (struct lk_energy_watch){0};
    lk_system_health(system, &watch->start);
    watch->before = watch->start;
    watch->body = swing(system, &watch->beside, &watch->power[0]);
    watch->beside_most = watch->beside;
    watch->power[1] = watch->power[0];
    watch->kinetic = watch->start.kinetic;
}

LK_RT void lk_energy_look(struct lk_energy_watch *watch, const struct lk_system *system,
                          const struct lk_health *health)
{
    LK_ARITHMETIC;
    const struct lk_health *start = &watch->start;
    double beside, power, gained = health->kinetic - start->kinetic;
    double driven = health->work_drive - watch->before.work_drive;

    lk_energy_account(watch, health);
    watch->body = swing(system, &beside, &power);
    watch->changes += fabs(beside - watch->beside);
    watch->changes += system->h / 12 * fabs(power - 2 * watch->power[1] + watch->power[0]);
    watch->changes += fabs(driven - 2 * watch->driven[1] + watch->driven[0]) / 12;
    watch->beside_most = fmax(watch->beside_most, beside);
    watch->beside = beside;
    watch->power[0] = watch->power[1];
    watch->power[1] = power;
    watch->driven[0] = watch->driven[1];
    watch->driven[1] = driven;

    gained += health->potential - start->potential;
    watch->appeared =
        gained - put_in(health) + put_in(start) + health->dissipated - start->dissipated;
    watch->stored = fmax(watch->stored, stored(system));
    watch->round_off = SUM_SHARE * sum_of(health) + LEAST_J + watch->stored;
    watch->explained = watch->beside_most + watch->changes + watch->round_off;
    watch->potential = fmax(watch->potential, fabs(health->potential - start->potential));
    watch->passed = fmax(watch->passed, passed(start, health));
    watch->moved = watch->kinetic + watch->potential + watch->passed;
}

LK_RT bool lk_energy_appears(const struct lk_energy_watch *watch)
{
    LK_ARITHMETIC;
    double appeared = watch->appeared;

    if (!(appeared > LK_ENERGY_FACTOR * watch->round_off))
        return false;
    return appeared > LK_ENERGY_MOST * watch->moved ||
           (appeared > LK_ENERGY_FACTOR * watch->explained &&
            appeared > LK_ENERGY_SHARE * watch->moved);
}

LK_RT bool lk_energy_explodes(const struct lk_energy_watch *watch)
{
    /* false if energy was lost before, because rows that yield store energy that the balance does
     * not contain */
    return watch->jump > LK_ENERGY_JUMP && watch->appeared > 0;
}

const char *lk_energy_known_source(const struct lk_system *system)
{
    bool by_centre = false;

    for (int i = 0; i < system->n_tyres; i++)
        by_centre = by_centre || system->tyre[i].is_by_centre;
    if (by_centre)
        return " (a tyre with deflection: centre gives energy where its wheel leans over: "
               "deflection: "
               "rim does not)";
    if (system->n_tyres > 0)
        return " (a tyre gets energy where the ground under it jumps within a step)";
    return "";
}
