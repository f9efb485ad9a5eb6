/* SPDX-License-Identifier: Apache-2.0 */
/* A model with a reference, stepped by a method of the laboratory. */
#ifndef TESTS_LABORATORY_LAB_CASE_H
#define TESTS_LABORATORY_LAB_CASE_H

#include "../physics/reference_cases.h"
#include "laboratory/integrator.h"
#include "linkage/laboratory.h"

/** struct lab_run - @error: largest, of each quantity, NAN where the reference has none;  @report:
 * work and drift */
struct lab_run {
    double error[QUANTITIES];
    struct lk_lab_report report;
};

/** lab_case_try() - @case of reference_case() up to @end [s]. Return: 0, or what open or advance
 * said, with the line in @ret_error. */
int lab_case_try(const char *name, const struct lk_method *method, double end, struct lab_run *ret,
                 struct lk_error *ret_error);

/** lab_case_run() - the same, which must work. */
void lab_case_run(const char *name, const struct lk_method *method, double end,
                  struct lab_run *ret);

/** lab_case_absolute - formulation absolute, without integrator and tolerance. */
extern const struct lk_method lab_case_absolute;

/** lab_case_of() - a case in formulation absolute, printed. @kappa: see struct lk_method. */
struct lab_run lab_case_of(const char *name, const char *integrator, double step, double tolerance,
                           double kappa, double end);

#endif
