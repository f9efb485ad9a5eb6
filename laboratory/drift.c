/* SPDX-License-Identifier: Apache-2.0 */
#include "laboratory/drift.h"
#include "step/kinematics.h"
#include "step/one/evaluate.h"
#include "step/system.h"
#include <math.h>
#include <time.h>

double lk_lab_cpu(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Return the energy balance: stored energy plus dissipated energy minus supplied energy. */
static double energy_balance(const struct lk_health *h)
{
    return h->kinetic + h->potential + h->dissipated - h->work_input - h->work_drive -
           h->work_applied;
}

void lk_lab_drift_start(struct lk_lab_drift *drift, struct lk_system *sys)
{
    struct lk_health health;

    *drift = (struct lk_lab_drift){.system = sys};
    lk_system_health(sys, &health);
    drift->position = health.residual_position;
    drift->energy_start = energy_balance(&health);
}

/* Return the largest violation of the rows at acceleration level. Evaluates poses and Jacobians
 * again, because not every step evaluates them at its end. */
static double acceleration_violation(struct lk_system *sys)
{
    double largest = 0;

    lk_evaluate_poses(sys, &sys->now);
    lk_evaluate_twists(sys, &sys->now);
    lk_evaluate_jacobians(sys);
    lk_evaluate_acceleration_violation(sys, &sys->now, NULL);
    for (int r = 0; r < sys->n_rows; r++)
        largest = fmax(largest, fabs(sys->solution[r]));
    return largest;
}

static void measure_drift(struct lk_lab_drift *drift)
{
    struct lk_health h;

    lk_system_health(drift->system, &h);
    drift->position = fmax(drift->position, h.residual_position);
    drift->velocity = fmax(drift->velocity, h.residual_velocity);
    drift->acceleration = fmax(drift->acceleration, acceleration_violation(drift->system));
    drift->energy = fmax(drift->energy, fabs(energy_balance(&h) - drift->energy_start));
}

void lk_lab_drift_measure(struct lk_lab_drift *drift)
{
    double begin;

    if (drift->n_evaluations++ % LK_LAB_DRIFT_EVERY != 0) {
        measure_drift(drift);
        return;
    }
    begin = lk_lab_cpu();
    measure_drift(drift);
    drift->measured_s += lk_lab_cpu() - begin;
    drift->n_measured++;
}

double lk_lab_drift_time(const struct lk_lab_drift *drift)
{
    return drift->n_measured > 0
               ? drift->measured_s * (double)drift->n_evaluations / (double)drift->n_measured
               : 0;
}
