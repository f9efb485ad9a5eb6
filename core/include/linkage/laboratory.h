/* SPDX-License-Identifier: Apache-2.0 */
/* The laboratory: one model stepped by any formulation and integrator of the literature, so that
 * one method can be checked against another. Offline: allocates, uses LAPACK and SUNDIALS.
 *
 *     lk_laboratory_open()     model + method -> a run at t = 0
 *     lk_laboratory_advance()  to a time
 *     lk_laboratory_system()   the compiled model with the state of the run: outputs, bodies,
 * health
 */
#ifndef LINKAGE_LABORATORY_H
#define LINKAGE_LABORATORY_H

#include "linkage/linkage.h"

struct lk_laboratory;

/** struct lk_method - which way to step.
 * @formulation: "ali3", "hdca", "complement:qr" ..; @integrator: "rk4", "generalized-alpha:index-2"
 *               .., "" takes the one that goes with the formulation
 * @orientation: "lie", "parameters", "angles" (yaw, pitch, roll), "euler" (z-x-z); "" takes "lie"
 * @stabilisation: "none", "baumgarte", "projection"; "" takes "none"
 * @step: [s], 0 takes the model's;  @tolerance: of methods with error control, 0: fixed steps
 * @baumgarte: alpha and beta [1/s], 0 takes 5 and 5
 * @spectral_radius: of generalized-alpha at infinite frequency, up to 1: how little it damps; 0:
 * 0.9
 * @kappa: where the Newton iteration of implicit integrators ends, of the tolerance; 0: their own
 * @engine: of formulations that the daemon runs, see struct lk_options; NULL takes the model's */
struct lk_method {
    const char *formulation;
    const char *integrator;
    const char *orientation;
    const char *stabilisation;
    double step;
    double tolerance;
    double baumgarte[2];
    double spectral_radius;
    double kappa;
    const char *engine;
};

/** struct lk_lab_report - of a run so far. Work as counted; @position, @velocity, @acceleration:
 * largest |Phi|, |dPhi/dt|, |d2Phi/dt2| of a rigid row after any step; @energy: largest
 * |energy - work put in + dissipated - energy at the start| [J];  @cpu_s: processor time */
struct lk_lab_report {
    unsigned long long steps;
    unsigned long long rejected;
    unsigned long long rates;
    unsigned long long jacobians;
    unsigned long long factorisations;
    unsigned long long iterations;
    double position;
    double velocity;
    double acceleration;
    double energy;
    double cpu_s;
};

/** lk_laboratory_open() - Return: 0, -ENOMEM, LK_E_MODEL: the combination does not fit the model,
 * or one method not the other; @ret_error says why and what does. */
int lk_laboratory_open(const struct lk_model *model, const struct lk_method *method,
                       struct lk_laboratory **ret, struct lk_error *ret_error);

/** lk_laboratory_advance() - to @t [s], exactly. @inputs: as lk_system_step() takes them, and
 * held; NULL: the initial values of all.
 * Return: 0, LK_E_SINGULAR, LK_E_NOT_FINITE, LK_E_STALLED with a line in @ret_error. */
int lk_laboratory_advance(struct lk_laboratory *laboratory, double t, const double *inputs,
                          struct lk_error *ret_error);

/** lk_laboratory_system() - shows the state of the run; not to be stepped. */
const struct lk_system *lk_laboratory_system(const struct lk_laboratory *laboratory);

/** lk_laboratory_time() - [s]. */
double lk_laboratory_time(const struct lk_laboratory *laboratory);

/** lk_laboratory_report() - see struct lk_lab_report. */
void lk_laboratory_report(const struct lk_laboratory *laboratory, struct lk_lab_report *ret);

/** lk_laboratory_close() - NULL is allowed. */
void lk_laboratory_close(struct lk_laboratory *laboratory);

/** struct lk_lab_name - something to choose from. @name: with variant;  @paper: what it is and
 * where it comes from, "" where nothing is said;  @is_own: a formulation that brings its own
 * integrator
 * @is_fixed: the daemon runs it;  @constrained: integrators only, it goes with the formulation
 * `absolute` alone;  @has_error_control: integrators only */
struct lk_lab_name {
    char name[LK_NAME_SIZE];
    const char *paper;
    int is_default;
    int is_own;
    int is_fixed;
    int constrained;
    int has_error_control;
};

/** lk_laboratory_formulations(), lk_laboratory_integrators() - all of them, with their variants;
 * static tables, made at the first call. @ret_n: how many. Thread: any. */
const struct lk_lab_name *lk_laboratory_formulations(int *ret_n);
const struct lk_lab_name *lk_laboratory_integrators(int *ret_n);

#endif
