/* SPDX-License-Identifier: Apache-2.0 */
/* The laboratory: simulate one model with any formulation and integrator of the literature, to
 * compare methods. For offline use: it allocates memory, and uses LAPACK and SUNDIALS.
 *
 *     lk_laboratory_open()     start a run at t = 0 from a model and a method
 *     lk_laboratory_advance()  integrate the run to a time
 *     lk_laboratory_system()   return the compiled model with its state: outputs, bodies, health */
#ifndef LINKAGE_LABORATORY_H
#define LINKAGE_LABORATORY_H

#include "linkage/linkage.h"

struct lk_laboratory;

/** struct lk_method - formulation, integrator and settings of a run. NULL is the same as "".
 * @formulation:        "ali3", "hdca", "complement:qr" ..; "": the formulation of the model, or
 *                      absolute if another setting needs an integrator
 * @integrator:         "rk4", "generalized-alpha:index-2" ..; "": the default: dormand-prince if
 *                      there is a tolerance, else rk4
 * @orientation:        "lie", "parameters", "angles" (yaw, pitch, roll), "euler" (z-x-z), "resal"
 *                      (yaw, pitch, roll, with velocities in axes that do not roll, for bodies that
 *                      spin about x); "": "lie"
 * @stabilisation:      "none", "baumgarte", "projection", "position"; "": "none"
 * @step:               length of a step [s]; 0: the step of the model
 * @tolerance:          relative tolerance of methods with error control; 0: fixed steps
 * @absolute_tolerance: absolute tolerance; 0: equal to @tolerance
 * @baumgarte:          alpha and beta of the stabilisation [1/s]; 0: 5 for both
 * @spectral_radius:    spectral radius of generalized-alpha at infinite frequency, up to 1 (no
 *                      damping); 0: 0.9
 * @kappa:              error at which the Newton iteration of implicit integrators ends, as a
 *                      fraction of the tolerance; 0: the default of the integrator
 * @engine, @all_rows:  settings of formulations that the daemon runs, see struct lk_options; an
 *                      engine of NULL means the engine of the model */
struct lk_method {
    const char *formulation;
    const char *integrator;
    const char *orientation;
    const char *stabilisation;
    double step;
    double tolerance;
    double absolute_tolerance;
    double baumgarte[2];
    double spectral_radius;
    double kappa;
    const char *engine;
    int all_rows;
};

/** struct lk_lab_report - result of a run so far: counts of work, and errors.
 * @position, @velocity, @acceleration: largest |Phi|, |dPhi/dt|, |d2Phi/dt2| of a rigid row after
 *          any step
 * @energy: largest |energy - work put in + dissipated - energy at the start| [J]
 * @cpu_s:  processor time [s] */
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

/** lk_laboratory_open() - start a run at t = 0.
 * Return: 0, -ENOMEM, LK_E_MODEL: the formulation or the integrator does not fit the model, or they
 * do not fit each other; @ret_error states why, and which methods would fit. */
int lk_laboratory_open(const struct lk_model *model, const struct lk_method *method,
                       struct lk_laboratory **ret, struct lk_error *ret_error);

/** lk_laboratory_keep_inputs() - declare that all calls of lk_laboratory_advance() pass the same
 * inputs. Methods with error control then choose their steps independently of the times of these
 * calls, and interpolate the state at these times (dense output). A model without inputs does not
 * need this declaration. Call before the first advance. */
void lk_laboratory_keep_inputs(struct lk_laboratory *laboratory);

/** lk_laboratory_advance() - integrate exactly to @t [s].
 * @inputs: as for lk_system_step(), held constant; NULL: the initial values of all inputs
 * Return: 0, LK_E_SINGULAR, LK_E_NOT_FINITE, LK_E_STALLED with a message in @ret_error. */
int lk_laboratory_advance(struct lk_laboratory *laboratory, double t, const double *inputs,
                          struct lk_error *ret_error);

/** lk_laboratory_change_step() - use steps of @step [s] from the present time on.
 * Return: 0, LK_E_MODEL: the integrator cannot change its step; @ret_error lists integrators
 * that can. */
int lk_laboratory_change_step(struct lk_laboratory *laboratory, double step,
                              struct lk_error *ret_error);

/** lk_laboratory_system() - return the system that contains the state of the run. The caller must
 * not step it. */
const struct lk_system *lk_laboratory_system(const struct lk_laboratory *laboratory);

/** lk_laboratory_time() - return the time of the present state [s]. */
double lk_laboratory_time(const struct lk_laboratory *laboratory);

/** lk_laboratory_report() - write the report of the run so far to @ret. */
void lk_laboratory_report(const struct lk_laboratory *laboratory, struct lk_lab_report *ret);

/** lk_laboratory_close() - end the run and free @laboratory, which may be NULL. */
void lk_laboratory_close(struct lk_laboratory *laboratory);

/** struct lk_lab_name - a formulation or integrator that a method can name.
 * @name:              name with variant
 * @paper:             description and source, or ""
 * @is_default:        the variant is the default
 * @is_own:            a formulation with an integrator of its own
 * @is_fixed:          the daemon can run the formulation
 * @constrained:       an integrator that can be combined with the formulation `absolute` only
 * @has_error_control: an integrator with error control */
struct lk_lab_name {
    char name[LK_NAME_SIZE];
    const char *paper;
    int is_default;
    int is_own;
    int is_fixed;
    int constrained;
    int has_error_control;
};

/** lk_laboratory_formulations(), lk_laboratory_integrators() - return all formulations or
 * integrators with their variants. The first call creates the static tables.
 * @ret_n: number of entries
 * Thread: any. */
const struct lk_lab_name *lk_laboratory_formulations(int *ret_n);
const struct lk_lab_name *lk_laboratory_integrators(int *ret_n);

/** lk_laboratory_blas() - describe the BLAS and LAPACK in use: version of OpenBLAS, its build
 * options, and the processor for which it chose its kernels.
 * @text: receives the text, at most @size bytes
 * Thread: any. */
void lk_laboratory_blas(char *text, size_t size);

#endif
