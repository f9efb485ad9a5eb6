/* SPDX-License-Identifier: Apache-2.0 */
/* Tyres in a step of `rattle`: a law of core/tyre at the slips of a flexible carcass.
 *
 * The contact patch lags behind the rim by u ahead and v to the left [m], and by psi about the
 * normal. Let Vc be the velocity of the wheel over the road at the contact [m/s], Re the effective
 * radius, Omega the spin and wn the yaw rate of the wheel [rad/s], Vsx = Vcx - Re Omega, s the
 * relaxation lengths [m], t the damping times [s], L the length of the patch [m], and k and Mmax
 * the stiffness and the largest moment against turning on the spot. Then
 *
 *     Vr = max(|Vcx|, |Re Omega| / 2.5, |Vcy| / 3)
 *     u' = -Vsx - Vr / s_x u      kappa     = (u + t_x u') / s_x
 *     v' =  Vcy - Vr / s_y v      tan alpha = (v + t_y v') / s_y
 *     psi' = wn - (|wn| k / Mmax + 2 Vr / L) psi      Mz -= k (psi + t psi')
 *
 * and the law yields the forces at these slips. A wheel rolling steadily has the slips as usually
 * defined, up to kappa = 1.5 and tan alpha = 3. At standstill the carcass acts as a spring with a
 * damper: the wheel stays at rest on a slope without creep, and slides when the force reaches the
 * peak of the law. No further equations are needed (H. B. Pacejka, Tyre and Vehicle Dynamics, 2012,
 * chapter 7, single contact point; the damper after G. Rill, Road Vehicle Dynamics, 2011). In the
 * air u, v and psi decay with a time constant of 10 ms.
 *
 * The velocities are means over the step. Each iteration computes u, v and psi by the midpoint rule
 * in closed form; the rule has order 2 and is symmetric. The normal force is the difference of
 * stored energy over the change of the depth, as for other laws (lk_law_step()). Magic Formula 6.1
 * multiplies it by a function of the spin and of the forces along the road, which has no potential.
 * The work of this factor counts as dissipated. */
#ifndef LK_STEP_TYRES_H
#define LK_STEP_TYRES_H

#include "rows/wheel.h"
#include "tyre/road.h"
#include "tyre/tyre.h"

struct lk_system;
struct lk_state;

#define LK_TYRE_ROWS 6

/** struct lk_carcass - state of a tyre. @shift: u, v [m];  @turn: psi [rad];  @length:
 * relaxation lengths s_x and s_y at the load of the last evaluation [m] */
struct lk_carcass {
    double shift[2];
    double turn;
    double length[2];
};

/** struct lk_grip - factor on the friction of the tyre's parameters. @value: the factor, unless an
 * input sets it;  @input: index of this input, or -1 */
struct lk_grip {
    double value;
    int input;
};

#define LK_GROUND_VALUES                                                                           \
    5 /* of an input: x, y, z of a point [m], slopes along x and y [1], world */

/** struct lk_tyre_now - scratch of a tyre. @plane: plane of the road at the present pose, road
 * axes;
 * @ground: the plane of an external road, as its input has it
 * @start: contact at the start of the step */
struct lk_tyre_now {
    struct lk_road_plane plane;
    double ground[LK_GROUND_VALUES];
    struct lk_wheel start;
};

/** struct lk_tyre - one tyre. @joint: index of the joint of its rows, with the road as side 0;
 * @road, @track: index of the road, and track on it
 * @radius, @width: [m];  @stiffness: coefficients of the depth and of its square [N/m, N/m^2];
 *                  @damping: [N s/m]
 * @swell: relative increase of the force of the depth with the spin [s]
 * @sag:   the relative decrease of this force is the sum of squares of @sag times the forces
 *         ahead and to the left [1/N]; Magic Formula 6.1, else 0
 * @rim_depth: depth at rim contact [m], INFINITY: never;  @rim_stiffness: additional stiffness
 *         beyond it [N/m]
 * @delay: t_x, t_y, t [s]
 * @length: relaxation lengths [m]; 0: no carcass; negative: from the law or @carcass
 * @carcass: stiffness along and across [N/m] from which lengths follow, or 0
 * @bore:  k, stiffness about the normal [N m/rad], or 0
 * @is_by_centre: slips are computed from the motion of the centre, not of the contact point
 * @speed: TMeasy: its slips are divided by the sum of the speed of rolling and this speed [m/s],
 *         see find_slip() in tyres.c
 * @grip:  factors of the road and of the tyre
 * @ground: index of the first value of the input that has the plane under the tyre, on an external
 *         road; else -1
 * @held:  poses of road and wheel without deflection of the carcass, see lk_tyres_hold() */
struct lk_tyre {
    int joint;
    int road;
    enum lk_track track;
    struct lk_tyre_law law;
    double radius;
    double width;
    double stiffness[2];
    double damping;
    double swell;
    double sag[2];
    double rim_depth;
    double rim_stiffness;
    double delay[3];
    double length[2];
    double carcass[2];
    double bore;
    int is_by_centre;
    double speed;
    struct lk_grip grip[2];
    int ground;
    struct lk_pose held[2];
    struct lk_tyre_now *now;
};

/** struct lk_tyre_view - values for outputs: forces and moments of the road on the wheel in the
 * axes of the contact, slips, camber, depth, contact point. */
struct lk_tyre_view {
    double force[LK_TYRE_ROWS];
    double kappa;
    double slope;
    double camber;
    double depth;
    double point[3];
};

/** lk_tyre_place(), lk_tyres_place() - compute the plane of the road below tyre @index, or below
 * all tyres, at the present poses. The Jacobians depend on this plane. Cycle, RT: yes. */
void lk_tyre_place(struct lk_system *system, int index);
void lk_tyres_place(struct lk_system *system);

/** lk_tyres_ground() - take the planes of external roads from @inputs. Cycle, RT: yes. */
void lk_tyres_ground(struct lk_system *system, const double *inputs);

/** lk_tyres_stored() - return the energy of all tyres on external roads at the present poses [J].
 * Cycle, RT: yes. */
double lk_tyres_stored(struct lk_system *system);

/** lk_tyres_iterate() - evaluate the law of tyre @i over the step to the present poses, with the
 * present estimate of the velocities. @is_first: keep the road planes of the start of the step
 * @ret_lambda: multipliers of its rows;  @ret_regular: E of these rows. Cycle, RT: yes. */
void lk_tyres_iterate(struct lk_system *system, int i, int is_first,
                      double ret_lambda[LK_TYRE_ROWS], double ret_regular[LK_TYRE_ROWS]);

/** lk_tyres_settle() - compute the multipliers of the rows of tyres, and lengths of relaxation,
 * into @ret, from their laws at the present poses and twists with the carcasses of @state. Cycle,
 * RT: yes. */
void lk_tyres_settle(struct lk_system *system, const struct lk_state *state, struct lk_state *ret);

/** lk_tyres_hold() - fix the contact patches at the present poses, see lk_tyres_rest(). Not for the
 * cycle. */
void lk_tyres_hold(struct lk_system *system);

/** lk_tyres_rest() - deflect the carcasses of system->now by the motion from the poses at
 * lk_tyres_hold() to the present poses, and compute the multipliers of the rows of tyres from their
 * laws at rest. Not for the cycle. */
void lk_tyres_rest(struct lk_system *system);

/** lk_tyres_view() - compute the output values of tyre @i in system->now. RT: yes. */
void lk_tyres_view(const struct lk_system *system, int i, struct lk_tyre_view *ret);

#endif
