/* SPDX-License-Identifier: Apache-2.0 */
/* Applied forces: gravity, loads, input channels, forces of laws; and the energy balance. */
#ifndef LK_STEP_ELEMENTS_LOADS_H
#define LK_STEP_ELEMENTS_LOADS_H

#include "step/system.h"

/** lk_restitution() - return the fraction of a bounce, 0 to 1, at which the energy does not exceed
 * the energy of the last step plus the @work done since [J]. The bounce is @sign times
 * system->correction, the change of the velocities of @state that gives the rows of stops their
 * rebound rates. The coordinates of @state match its poses. */
LK_RT double lk_restitution(const struct lk_system *system, double sign,
                            const struct lk_state *state, double work);

/** lk_loads_wrench() - compute the force and torque on the body of @load in its six directions, for
 * the force or torque @vector of a load or input. @R: orientation of the body. RT: yes. */
LK_RT void lk_loads_wrench(const struct lk_load *load, const double R[9], const double vector[3],
                           struct lk_twist *ret);
/** lk_loads_along() - compute the forces and torques on both bodies of a joint for a unit force (1
 * N or 1 N m) along coordinate @which. @pose: poses of both bodies.
 * RT: yes. */
LK_RT void lk_loads_along(const struct lk_joint *joint, const struct lk_pose *const *pose,
                          int which, struct lk_twist ret[2]);
/** lk_loads_scale() - return the factor on the vector of a load at time @t [s]. RT: yes. */
LK_RT double lk_loads_scale(const struct lk_load *load, double t);

/** lk_loads_subtract() - subtract the applied forces Q of gravity, of loads at time @t [s] and of
 * @inputs from @sum, at the current poses.
 * @inputs: may be NULL. */
LK_RT void lk_loads_subtract(const struct lk_system *system, double t, const double *inputs,
                             struct lk_twist *sum);
/** lk_loads_subtract_applied() - subtract the applied forces Q of loads at time @t [s] and of
 * @inputs, without gravity, from @sum, at the current poses. */
LK_RT void lk_loads_subtract_applied(const struct lk_system *system, double t, const double *inputs,
                                     struct lk_twist *sum);

/** lk_loads_subtract_input() - subtract the force Q of an input that is a load, with @value, from
 * @sum. RT: yes. */
LK_RT void lk_loads_subtract_input(const struct lk_system *system, const struct lk_input *in,
                                   const double *value, struct lk_twist *sum);
/** lk_loads_input_power() - return the power [W] at @twist of an input that is a load, with @value.
 * RT: yes. */
LK_RT double lk_loads_input_power(const struct lk_system *system, const struct lk_input *in,
                                  const double *value, const struct lk_twist *twist);

/** lk_loads_subtract_jumps() - subtract from @sum the change of Q due to the jump of the inputs at
 * the start of a step. On return, system->next contains the new inputs. */
LK_RT void lk_loads_subtract_jumps(struct lk_system *system, const double *inputs,
                                   struct lk_twist *sum);

/** lk_loads_stop_force() - return the contribution of the stops to the multiplier of the row of
 * @law in system->now; poses and twists are those of system->now. */
LK_RT double lk_loads_stop_force(const struct lk_system *system, const struct lk_law *law);

/** lk_loads_subtract_stops() - remove forces of stops at the start of a step: subtract these forces
 * from @sum, and their multipliers from the multipliers in system->next.
 * @leaving: 0: all stops; 1: stops whose contact ends, except for the fraction lk_stop.keep of the
 *           force; call after lk_loads_decide_stops() */
LK_RT void lk_loads_subtract_stops(struct lk_system *system, int leaving, struct lk_twist *sum);

/** lk_loads_decide_stops() - decide the state of every stop in the step, from the
 * accelerations without stops in system->next, and compute E of the rows of stops for the step.
 * @again: the accelerations include the active stops. Only stops that are not active are decided
 *         again, because one stop may press a coordinate against another */
LK_RT void lk_loads_decide_stops(struct lk_system *system, int again);

/** lk_loads_release_stops() - compute E of rows with stops for the projections, without the stops,
 * at the current poses and twists. @keep_impacts: rows with a stop in an impact get E of rigid
 * rows. */
LK_RT void lk_loads_release_stops(struct lk_system *system, int keep_impacts);

/** lk_loads_slide() - compute E of rows with friction that creeps for the projections, from its
 * slope at the current poses and twists. E of the iterations belongs to a predicted rate; with that
 * E a sliding row would stick. */
LK_RT void lk_loads_slide(struct lk_system *system);

/** lk_loads_hold_stop() - set E of the row of a hard stop in an impact to the value for rigid rows.
 */
LK_RT void lk_loads_hold_stop(struct lk_system *system, const struct lk_law *law);

/** struct lk_law_powers - powers of the laws of compliant rows [W]. @damping: dissipated
 * power
 * @carried: power from moving surroundings: the force of a row times the motion of its
 *           surroundings */
struct lk_law_powers {
    double damping;
    double carried;
};

/** lk_loads_law_multipliers() - compute the multipliers of compliant rows from their laws, at the
 * current poses and twists with the coordinates of @state, into @lambda. @stops_act: include hard
 * stops. Return: powers of the laws. */
LK_RT struct lk_law_powers lk_loads_law_multipliers(const struct lk_system *system,
                                                    const struct lk_state *state, int stops_act,
                                                    double *lambda);

/** lk_loads_accelerate() - compute the multipliers of compliant rows from their laws into @state,
 * then its accelerations without joints, a = W (Q - gyroscopic - Phi_q^T lambda) with all present
 * multipliers, loads at time @t [s]. Forces do not determine accelerations in directions without
 * inertia; these accelerations stay unchanged. Return: powers of the laws at these poses and
 * twists. */
LK_RT struct lk_law_powers lk_loads_accelerate(struct lk_system *system, struct lk_state *state,
                                               double t, const double *inputs);

/** struct lk_powers - power into a mechanism [W]. @input: power of input channels;  @drive: power
 * of drives
 * @applied: power of loads without a potential and of moving rails;  @damping: power dissipated by
 *           the laws of compliant rows. */
struct lk_powers {
    double input;
    double drive;
    double applied;
    double damping;
};

/** lk_loads_law_place() - compute value and rate of the row of @law at the current poses and
 * twists, with the coordinates of @state. RT: yes. */
LK_RT double lk_loads_law_place(const struct lk_system *system, const struct lk_state *state,
                                const struct lk_law *law, double *ret_rate);

/** struct lk_law_places - values and rates of the rows of one joint, for loops over all laws: those
 * of a joint are neighbours. @joint: that they belong to, -1 at first */
struct lk_law_places {
    int joint;
    double x[LK_ROWS_MAX];
    double rate[LK_ROWS_PAD];
};

/** lk_loads_next_place() - return what lk_loads_law_place() does, and compute it once for all rows
 * of a joint. @places: kept by the caller while poses and twists stay the same. */
LK_RT double lk_loads_next_place(const struct lk_system *system, const struct lk_state *state,
                                 const struct lk_law *law, struct lk_law_places *places,
                                 double *ret_rate);

/** lk_loads_powers() - compute the powers at the current poses and twists, with multipliers
 * and coordinates of @state, at time @t [s].  lk_loads_powers_with() - do the same with known
 * powers of the @laws. */
LK_RT void lk_loads_powers(const struct lk_system *system, const struct lk_state *state, double t,
                           const double *inputs, struct lk_powers *ret);
LK_RT void lk_loads_powers_with(const struct lk_system *system, const struct lk_state *state,
                                double t, const double *inputs, const struct lk_law_powers *laws,
                                struct lk_powers *ret);
/** lk_loads_drive_power() - return the power of the drives with the multipliers @lambda [W].
 * @before: share of the rates at the start of the step, besides those at its end. RT: yes. */
LK_RT double lk_loads_drive_power(const struct lk_system *system, const double *lambda,
                                  double before);
/** lk_loads_impacts() - return whether a contact of a hard stop acted or ended in the step. RT:
 * yes. */
LK_RT int lk_loads_impacts(const struct lk_system *system);
/** lk_loads_potential() - return the potential energy of the laws and loads in @state [J]. */
LK_RT double lk_loads_potential(const struct lk_system *system, const struct lk_state *state);
/** lk_loads_energies() - compute kinetic and potential energy of @state [J], with its
 * coordinates. */
LK_RT void lk_loads_energies(const struct lk_system *system, const struct lk_state *state,
                             double *ret_kinetic, double *ret_potential);

/** lk_bounce_back() - add the restitution of impacts to the velocities of @state, after the
 * projection of velocities: system->correction, scaled down if the energy would exceed the energy
 * of the last step. RT: yes. */
LK_RT void lk_bounce_back(struct lk_system *system, struct lk_state *state);

#endif
