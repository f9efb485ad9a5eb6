/* SPDX-License-Identifier: Apache-2.0 */
/* Drift of a run: violation of the joints in position, velocity and acceleration, and change of
 * energy. */
#ifndef LK_METHODS_LABORATORY_DRIFT_H
#define LK_METHODS_LABORATORY_DRIFT_H

#include "linkage/laboratory.h"

/** struct lk_lab_drift - drift of a system, measured after each accepted step. The CPU time of a
 * method must not include these measurements. One in LK_LAB_DRIFT_EVERY measurements is timed, so
 * that the time of all can be estimated and subtracted.
 * @energy_start:  energy balance at lk_lab_drift_start() [J]
 * @position, @velocity, @acceleration: largest violation so far
 * @energy:        largest change of the energy balance so far [J]
 * @n_evaluations: number of measurements
 * @n_measured, @measured_s: number and total time [s] of the timed measurements */
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

/** lk_lab_drift_start() - begin to measure the drift of @system, which must be in its initial
 * state. The caller keeps @system until the last lk_lab_drift_measure(). */
void lk_lab_drift_start(struct lk_lab_drift *drift, struct lk_system *system);

/** lk_lab_drift_measure() - measure the drift at the last accepted state. Overwrites scratch memory
 * of the system that the next step does not need. */
void lk_lab_drift_measure(struct lk_lab_drift *drift);

/** lk_lab_drift_time() - return the estimated CPU time of all measurements [s]. */
double lk_lab_drift_time(const struct lk_lab_drift *drift);

/** lk_lab_cpu() - return the CPU time of the calling thread [s]. */
double lk_lab_cpu(void);

#endif
