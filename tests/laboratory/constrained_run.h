/* SPDX-License-Identifier: Apache-2.0 */
/* A model run by an integrator of the constrained equations, or by formulation absolute and the
 * classical Runge-Kutta method, against a reference trajectory. */
#ifndef TESTS_LABORATORY_CONSTRAINED_RUN_H
#define TESTS_LABORATORY_CONSTRAINED_RUN_H

#include "laboratory/methods.h"

/** enum lab_quantity - POSITION: metres and parts of quaternions, VELOCITY, MULTIPLIER: forces,
 * or the multiplier of the pendulum [N/m] */
enum lab_quantity { LAB_POSITION, LAB_VELOCITY, LAB_MULTIPLIER, LAB_QUANTITIES };

/** struct lab_column - of the reference. @csv: its name, without unit;  @element: body or joint
 * @component: of a body 0: x, 1: y, 2: z, 3 to 6: quaternion, 7 to 9: velocity, 10 to 12: angular
 *             velocity; of a joint LAB_FORCE + 0, 1, 2: force on its second body, world;
 *             LAB_TENSION: tension a metre of a rod from the origin to a body */
struct lab_column {
    const char *csv;
    const char *element;
    int component;
};
#define LAB_FORCE   20
#define LAB_TENSION 30

/** struct lab_case - @model: config/models/;  @reference: tests/reference/;  @replace: pairs of
 * texts of the model, ended by NULL, or NULL;  @columns: ended by NULL */
struct lab_case {
    const char *model;
    const char *reference;
    const char *const *replace;
    const struct lab_column *columns;
};

/** struct lab_method - @integrator: NULL: formulation absolute and Runge-Kutta;  @variant: of the
 * integrator, or of absolute;  the others as in struct lk_problem */
struct lab_method {
    const struct lk_integrator *integrator;
    const char *variant;
    enum lk_orientation orientation;
    enum lk_stabilisation stabilisation;
    double step;
    double tolerance;
    double spectral_radius;
    double baumgarte[2];
};

/** struct lab_result - @error: largest at the times of the reference;  @phi: violation of positions
 * at the end;  @worst_phi, @worst_rate: largest after any step;  @status: 0, or why it stopped */
struct lab_result {
    int status;
    double t;
    double error[LAB_QUANTITIES];
    double phi;
    double worst_phi;
    double worst_rate;
    struct lk_lab_counts counts;
    struct lk_error text;
};

/** lab_run() - from @from to @end [s], errors counted from @from on. Fails the test where the model
 * or the method is refused; a run that stops early says so in status. */
void lab_run(const struct lab_case *c, const struct lab_method *method, double from, double end,
             struct lab_result *ret);

/** lab_run_well() - the same; fails the test where the run stops early. */
void lab_run_well(const struct lab_case *c, struct lab_method method, double from, double end,
                  struct lab_result *ret);

/** lab_orders() - of convergence of all quantities between steps @h and @h / 2, to @end. */
void lab_orders(const struct lab_case *c, struct lab_method method, double h, double end,
                double ret[LAB_QUANTITIES]);

/** lab_assert_orders() - those of positions and velocities are between @low and @high. */
void lab_assert_orders(const struct lab_case *c, struct lab_method method, double h, double end,
                       double low, double high);

/** lab_transient() - largest error of the multipliers of @c after each of the first @n steps,
 * against half-explicit steps of the same length, which err by O(h^5). Fails the test where a step
 * fails. */
double lab_transient(const struct lab_case *c, const struct lab_method *method, int n);

/** lab_damping() - by which factor the last of @n steps multiplies the speed of the first body of
 * @model, with @replace as in struct lab_case. */
double lab_damping(const char *model, const char *const *replace, const struct lab_method *method,
                   int n);

/** lab_open() - what opening says; nothing is run. */
int lab_open(const char *model, const char *const *replace, const struct lab_method *method,
             struct lk_error *ret_error);

/** the integrators */
extern const struct lk_integrator lk_integrator_generalized_alpha;
extern const struct lk_integrator lk_integrator_half_explicit;
extern const struct lk_integrator lk_integrator_hht_alpha;

/** cases; columns of all bodies that the reference knows in full, and reactions */
extern const struct lab_case lab_pendulum_ex8a;
extern const struct lab_case lab_pendulum_ex8b;
extern const struct lab_case lab_heavy_top;
extern const struct lab_case lab_double_pendulum;
/** rheonomic rows; without a reference of its own */
extern const struct lab_case lab_driven_pendulum;
extern const struct lab_case lab_four_bar;
extern const struct lab_case lab_slider_crank;
extern const struct lab_case lab_closed_loop;

#endif
