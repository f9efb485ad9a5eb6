/* SPDX-License-Identifier: Apache-2.0 */
/* Laws of compliant rows: the force in a row, as a function of its deflection and its rate.
 *
 * A law is a sum of terms: springs and dampers that act along the same row, friction, end stops.
 * The row is solved with the constraints: lambda = f(x, v), linearised as lambda + dlambda = f + k
 * dx + c dv, with E = 1 / (k + 2 c / h) (trapezoidal rule: dv = 2/h dx). So the tangent determines
 * the rate of convergence only; the value of the law determines the solution. */
#ifndef LK_STEP_LAWS_H
#define LK_STEP_LAWS_H

#include "linkage/error.h"
#include "linkage/kinds.h"
#include "linkage/linkage.h"
#include <math.h>
#include <stdbool.h>

enum lk_term_kind {
    LK_TERM_LINEAR,
    LK_TERM_TABLE_STIFFNESS,
    LK_TERM_TABLE_DAMPING,
    LK_TERM_FRICTION,
    LK_TERM_STOP,
    LK_TERM_CREEP,
    LK_TERM_IMPEDANCE,
    LK_TERM_MAP,
    LK_TERM_CALLBACK,
    LK_TERM_AIR,
    LK_TERM_LINE,
    LK_TERM_SWAY
};

/** struct lk_answer - a force as a linear function of the value x and rate v of its row: @value -
 * @stiffness (x - @place) - @damping (v - @rate);  @tangent: stiffness + 2 damping / h, never
 * negative */
struct lk_answer {
    double value;
    double stiffness;
    double damping;
    double place;
    double rate;
    double tangent;
};

/** struct lk_term_now - values of a term that inputs or the last step may change: scratch of the
 * step, see struct lk_term.
 * @push, @stiffness, @damping, @rest, @limit: values from the model or inputs
 * @scale:  factor of a table, of friction or of the wind; level of a map
 * @load:   FRICTION of a bearing: its normal force, times the radius of its pin;  @load_start,
 *          @load_end: at the ends of a step
 * @wound, @slip: FRICTION with wind-up: wind-up and rate of sliding after the last step, in which
 *          the row had the value @from
 * @from:   IMPEDANCE: x at the start of the step; SWAY: delta' of the step, with @stiffness K+
 * @speed:  AIR: |V| of all rows of its element
 * @over_step, @at_end: IMPEDANCE: additional push of a block, over the step and at its end */
struct lk_term_now {
    double push;
    double stiffness;
    double damping;
    double rest;
    double limit;
    double scale;
    double load;
    double load_start;
    double load_end;
    double wound;
    double slip;
    double from;
    double speed;
    struct lk_answer over_step;
    struct lk_answer at_end;
};

/** struct lk_term - one term of a law: its constants. x is the row's value [m or rad], v its
 * rate.
 * @force: index of its force element in the model, or -1
 * @now: values that may change: stiffness, damping, rest, push, limit, scale, speed and from
 * - LINEAR: stiffness (x - rest) + damping v;  @port: index of these values in the inputs, or -1
 * - tables: scale times @n_points points @x, @y with @slope, and @area, the integral of y from the
 *       first point;  @input: index of scale in the inputs, or -1
 * - FRICTION: @coulomb, @stick, @stribeck, @creep, times scale;  @late: rate above which the level
 *       falls;  @wind: index of its state of wind-up, or -1. With wind-up: stiffness and @give:
 *       spring and damper in series with the slider;  @yield: decrease of the force of both over a
 *       step with the rate of sliding [N s/m]. If @contact is a joint and not -1, @mu and @mu_stick
 *       times now.load are added to @coulomb and @stick, see bearing.h; @radius: of the pin [m], 0:
 *       the coordinate is a length; @reach: 2 / length [1/m]; @load: creep rate for each unit of
 *       the level
 * - CREEP: limit tanh(damping v / limit), damping v without a limit. If @contact is a joint and not
 *   -1, both follow its normal force, see creep.h: @coulomb and @stick are damping and limit at the
 *   normal force @load [N], scale is N / load. @spin: c C23 / C22 at this force [m]
 * - IMPEDANCE: stiffness (x - rest) + damping v - push; its work counts as work of the inputs at
 *   @port
 * - MAP: force over the rate at each @level of @n_levels. Each level has @n_points values of @x, y,
 *       slope and area; the levels are stored one after another. The map is evaluated at the level
 *       scale. All of its work counts as work of its input
 * - CALLBACK: the force that @callback returns; all of its work counts as work of inputs
 * - AIR: drag, damping times |V| V_i, V: velocity relative to the air;  now.speed: |V|;
 *       @wind_velocity: velocity of the air, world [m/s], to be multiplied by scale
 * - LINE: damping v - push; the line stores its work, see lines.c
 * - SWAY: a function of stiffness and from; acts only over a step, see sway.h
 * - STOP: stiffness beyond @lower and @upper, which grows to its full value over the depth @onset.
 *       @is_hard: too stiff for the step to resolve. Such a stop is an impact with the coefficient
 *                 of restitution @restitution, at the pose at the start of the step. The
 *                 restitution replaces the damper @loss */
struct lk_term {
    enum lk_term_kind kind;
    int force;
    struct lk_term_now *now;
    int n_points;
    const double *x;
    const double *y;
    const double *slope;
    const double *area;
    double coulomb;
    double stick;
    double mu;
    double mu_stick;
    double radius;
    double reach;
    double stribeck;
    double creep;
    double late;
    int input;
    int wind;
    double give;
    double yield;
    int port[LK_PORT_VALUES];
    int n_levels;
    const double *level;
    struct lk_callback callback;
    double wind_velocity[3];
    int contact;
    double load;
    double spin;
    double lower;
    double upper;
    double onset;
    int is_hard;
    double restitution;
    double loss;
};

/** lk_term_creeps() - return whether the term is friction without wind-up, which creeps at rest,
 * see lk_force_def.creep. RT: yes. */
static inline bool lk_term_creeps(const struct lk_term *term)
{
    return term->kind == LK_TERM_FRICTION && term->wind < 0;
}

/** lk_term_drags() - return whether the tangent of the term damps at any rate. False for
 * friction, which may slide, for stops, which may separate, and for lines, which store energy.
 * RT: yes. */
static inline bool lk_term_drags(const struct lk_term *term)
{
    return term->kind != LK_TERM_FRICTION && term->kind != LK_TERM_STOP &&
           term->kind != LK_TERM_LINE;
}

/** struct lk_stop - state of the stops of a row in the present step.
 * @counts: ali3: the law of the row and its tangent include the stops
 * @acts:  the step includes the force of the stops, with the stiffness at @reach
 * @reach: estimate of the row's value at the end of the step
 * @ends:  a contact ends in the step
 * @is_impact: the stops are too stiff for the step to resolve; the rate of the row at the end of
 *         the step is then @rate
 * @keep:  fraction of the last step's force that still acts in the first half of this step, 0 to
 *         1. When a contact ends within the step, the whole force would create energy. This
 *         fraction releases exactly the energy that the stops have stored */
struct lk_stop {
    int counts;
    int acts;
    int ends;
    int is_impact;
    double rate;
    double reach;
    double keep;
};

/** struct lk_law_now - values of a law that change in a step: scratch of the step. @stop: state of
 * the stops of the row
 * @carry: value added to the rate of the row [m/s]: minus the speed of a rail that moves past
 *         the bodies, or of the air */
struct lk_law_now {
    double carry;
    struct lk_stop stop;
};

/** struct lk_law - the terms of one row. @joint, @row: index of the joint, and of the row in this
 * joint
 * @is_tuned: inputs change a spring of the law;  @is_nonlinear: the tangent is not constant
 * @is_hard: a term is a hard end stop
 * @by_load: friction follows the reaction of the joint, see bearing.h
 * @now:   values of the law that change in a step
 * @mobility: of nonlinear rows: inverse effective mass of the row in the mechanism at the start
 *            [1/kg, 1/(kg m^2)]
 * @free_mobility: inverse effective mass without compliant rows, estimated for any pose, see
 *            lk_fill_dampers()
 * @strain: of a row of an element of a beam: strain for each unit of its force, else 0 */
struct lk_law {
    int joint;
    int row;
    int first_term;
    int n_terms;
    int is_tuned;
    int is_nonlinear;
    int is_hard;
    bool by_load;
    struct lk_law_now *now;
    double mobility;
    double free_mobility;
    double strain;
};

/** struct lk_law_value - result of a law at the value x and rate v of its row. @elastic +
 * @dissipative: force;
 * @potential: stored energy [J];  @stiffness, @damping: tangent, never negative */
struct lk_law_value {
    double elastic;
    double dissipative;
    double potential;
    double stiffness;
    double damping;
};

/** lk_term_evaluate() - add one term at (x, v) to @sum. Thread: cycle.  RT: yes. */
LK_RT void lk_term_evaluate(const struct lk_term *term, double x, double v,
                            struct lk_law_value *sum);

/** lk_wind_up_evaluate() - add friction with wind-up at (x, v), see wind_up.c. The work of this
 * friction is not dissipative * v; wind_up.c books the work at the end of the step. Thread: cycle.
 * RT: yes. */
LK_RT void lk_wind_up_evaluate(const struct lk_term *term, double x, double v,
                               struct lk_law_value *sum);
/** lk_wind_up_step() - add friction with wind-up over a step, with the arguments of lk_law_step().
 * Thread: cycle.  RT: yes. */
LK_RT void lk_wind_up_step(const struct lk_term *term, double before, double after, double v,
                           struct lk_law_value *sum);

/** lk_sway_step() - add the force of geometric stiffness (a sway term) over a step in which the row
 * changes by @delta, see sway.h. Thread: cycle.  RT: yes. */
LK_RT void lk_sway_step(const struct lk_term *term, double delta, struct lk_law_value *sum);

/** lk_impedance_step() - add an impedance over a step with the mean value @x and mean rate @v.
 * Thread: cycle.  RT: yes. */
LK_RT void lk_impedance_step(const struct lk_term *term, double x, double v,
                             struct lk_law_value *sum);

/** lk_law_evaluate() - evaluate all terms of a law. @stops: include stops. Thread: cycle.  RT: yes.
 */
LK_RT void lk_law_evaluate(const struct lk_law *law, const struct lk_term *terms, double x,
                           double v, int stops, struct lk_law_value *ret);

/** lk_law_tangent() - compute the tangent of a law at the predicted value @x and rate @v of a step;
 * the tangent of active stops is computed at law.now.stop.reach. Thread: cycle.  RT: yes. */
LK_RT void lk_law_tangent(const struct lk_law *law, const struct lk_term *terms, double x, double v,
                          struct lk_law_value *ret);

/** lk_law_slope() - compute the tangent for the projections, at the rate @v at the end of a
 * step. Friction that creeps then has its true slope. Thread: cycle.  RT: yes. */
LK_RT void lk_law_slope(const struct lk_law *law, const struct lk_term *terms, double x, double v,
                        struct lk_law_value *ret);

/** lk_law_step() - evaluate a law over a step in which the row changes from @before to @after with
 * the mean rate @v. The elastic force is the mean over the displacement, so that its work equals
 * the change of stored energy (a discrete gradient along one row; O. Gonzalez, Time integration and
 * discrete Hamiltonian systems, 1996). The dissipative force is evaluated at the mean rate.
 * Stiffness: twice the derivative of the mean force with respect to @after. Potential: not set.
 * Hard stops are excluded.
 * Thread: cycle.  RT: yes. */
LK_RT void lk_law_step(const struct lk_law *law, const struct lk_term *terms, double before,
                       double after, double v, struct lk_law_value *ret);

/** lk_law_stop() - decide the state of the stops for a step of @h [s]. @x, @v, @a: value, rate and
 * acceleration of the row after the last step;  @free_a: acceleration of the row without the stops,
 * with the inputs of this step;  @force: force of the stops after the last step;  @yield: s Phi_q W
 * Phi_q^T of the row [m/N, rad/(N m)]. Thread: cycle.  RT: yes. */
LK_RT struct lk_stop lk_law_stop(const struct lk_law *law, const struct lk_term *terms, double h,
                                 double x, double v, double a, double free_a, double force,
                                 double yield);

/** lk_law_restitution() - return the ratio of the speeds after and before half an oscillation of a
 * mass on a stop with @stiffness and @damping. @mobility: inverse of the mass [1/kg, 1/(kg m^2)].
 * RT: yes. */
LK_RT double lk_law_restitution(double stiffness, double damping, double mobility);

/** lk_law_regular() - return the regularisation E of a row with the tangent @value for the step @h
 * [s], at most LK_DECOUPLED. */
LK_RT double lk_law_regular(const struct lk_law_value *value, double h);

/** lk_law_drag() - return the tangent of the dampers of a law at (@x, @v) [N s/m, N m s], without
 * terms that lk_term_drags() excludes. Thread: cycle.  RT: yes. */
LK_RT double lk_law_drag(const struct lk_law *law, const struct lk_term *terms, double x, double v);

#define LK_RINGS_FROM 1.5 /* value of a at which a velocity oscillates with factor 1/5 per step */

/** lk_law_closing() - return E of a row with the damper @c [N s/m, N m s] in the factor for the
 * projection of velocities, after a step of @h [s]: h / (2 c w), w = b^2 / (1 + b^2), b = a -
 * LK_RINGS_FROM, not below 0, a = h c / 2 times free_mobility; at most LK_DECOUPLED. Thread: cycle.
 * RT: yes. */
LK_RT double lk_law_closing(const struct lk_law *law, double c, double h);

/** lk_friction_stick() - return the level of friction at rest, without its scale. */
static inline double lk_friction_stick(const struct lk_term *term)
{
    return term->stick + term->mu_stick * term->now->load;
}

/** lk_friction_level() - return the friction force or torque at the rate @v, without the damper. */
static inline double lk_friction_level(const struct lk_term *term, double v)
{
    double ratio = v / term->stribeck, slides = term->coulomb + term->mu * term->now->load;

    /* the model fixes this branch: same work in every step */
    if (term->stick == term->coulomb && term->mu_stick == term->mu)
        return term->now->scale * slides;
    return term->now->scale * (slides + (lk_friction_stick(term) - slides) * exp(-ratio * ratio));
}

/* slip / creep rate at which friction is nearly at its limit: tanh(3) = 0.995 */
#define LK_FRICTION_RISEN 3

#define LK_DECOUPLED 1e100 /* E of a row that is decoupled from all others */

/** lk_table_slopes() - compute the slopes at the @n points of their monotone cubic
 * interpolant (F. N. Fritsch, R. E. Carlson, Monotone piecewise cubic interpolation, 1980), and
 * its integral to each point. Not for the cycle. */
void lk_table_slopes(int n, const double *x, const double *y, double *ret_slope, double *ret_area);

#endif
