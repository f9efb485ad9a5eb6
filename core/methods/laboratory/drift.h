/* SPDX-License-Identifier: Apache-2.0 */
/* How far a run has drifted from what it should keep: joints at three levels, energy. */
#ifndef LK_METHODS_LABORATORY_DRIFT_H
#define LK_METHODS_LABORATORY_DRIFT_H

#include "linkage/laboratory.h"

/** struct lk_lab_drift - looks at a system after each accepted step. Looking takes time that is not
 * the method's: it is measured at one look of @LK_LAB_DRIFT_EVERY, to be taken off.
 * @energy_start: of lk_lab_drift_start() [J];  @n_evaluations;  @n_measured, @measured_s: of them
 */
struct lk_lab_drift {
    struct lk_system *system;
    double energy_start;
    double position;
    double velocity;
    double acceleration;
    double energy;
    unsigned long long n_evaluations;
    unsigned long long n_measured;
    double measured_s;
};

#define LK_LAB_DRIFT_EVERY 16

/** lk_lab_drift_start() - @system: at its start; stays the caller's, and in motion until
 * lk_lab_drift_measure(). */
void lk_lab_drift_start(struct lk_lab_drift *drift, struct lk_system *system);

/** lk_lab_drift_measure() - at the state that was accepted last. The scratch of the system is
 * written; what the next step goes on from is not. */
void lk_lab_drift_measure(struct lk_lab_drift *drift);

/** lk_lab_drift_time() - processor time of all looks [s]. */
double lk_lab_drift_time(const struct lk_lab_drift *drift);

/** lk_lab_cpu() - processor time of the calling thread [s]. */
double lk_lab_cpu(void);

#endif
