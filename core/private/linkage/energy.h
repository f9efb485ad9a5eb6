/* SPDX-License-Identifier: Apache-2.0 */
/* Energy that appears: energy balance above 0 that no work explains. It is the symptom of a wrong
 * step whose numbers are finite and whose joints are closed. Two tests detect it.
 *
 * Test since the beginning. The balance is the energy gained, less the work of inputs, drives and
 * loads, plus the energy dissipated. To leading order, a step of second order leaves three terms
 * in it:
 *   - h^2/24 a.M a, the difference between the energy that the step conserves and the true energy
 *     (doc/method.md, section 4; Hairer, Lubich, Wanner, Geometric Numerical Integration, IX.3).
 *     Its largest value counts, and all its changes, because forces without a potential restore
 *     only a fraction of it;
 *   - h/12 of each second difference of the power a.M v, the error h^3/12 P'' of the trapezoidal
 *     rule for the kinetic energy over a step. This term includes kinks of a force: at a stop, at a
 *     contact, or at a jump of an input;
 *   - the same of the power of the drives: their work is summed by the trapezoidal rule, also where
 *     a drive that begins to move carries a load.
 * The order of the step explains the sum of these terms. A balance above LK_ENERGY_FACTOR times
 * this sum and above LK_ENERGY_SHARE of the energy that moved has another cause: a law whose force
 * and energy differ, or a step too long for its order. A balance above LK_ENERGY_MOST of the energy
 * that moved is wrong in any case.
 *
 * Test of the last steps. An exploding motion has large accelerations, which explain a large
 * balance. So the energy that appears is also summed with weights that decay over LK_ENERGY_STEPS
 * steps. In this sum a loss cancels a gain. The sum is compared with the energy in the mechanism:
 * its kinetic energy, and the energy moved between potential, work and dissipation, the largest
 * with the same decay. Growth by 10 % in every step gives a ratio of 0.5; growth by any factor in
 * one step gives a ratio of at most 1. Dissipation does not count as gain, although its balance may
 * contain more than was available. Energy that vanishes brakes the motion, which is not dangerous.
 *
 * The first test costs a pass over the bodies, the second a few operations, the same in every step.
 */
#ifndef LINKAGE_ENERGY_H
#define LINKAGE_ENERGY_H

#include "linkage/linkage.h"
#include <stdbool.h>

#define LK_ENERGY_FACTOR 4
#define LK_ENERGY_SHARE  0.01
#define LK_ENERGY_MOST   0.5
#define LK_ENERGY_STEPS  10
#define LK_ENERGY_JUMP   0.9 /* value of @jump above which a motion explodes */

/** struct lk_energy_watch - the energy balance of a run, filled by lk_energy_begin().
 * @appeared:  energy balance since the beginning [J]; less than 0: energy vanished
 * @explained: balance that the order of the step explains [J]
 * @moved:     sum of the largest kinetic energy, the largest change of the potential energy, and
 *             the largest work or dissipation [J]
 * @body:      index of the body with the largest a.M a in the last step
 * @jumped:    energy that appeared in the last steps [J]
 * @jump:      ratio of @jumped to the energy in the mechanism
 * The remaining fields are private.
 * @start, @before: health at the beginning, and after the last step
 * @round_off: round-off error, contained in @explained [J]
 * @stored:    largest energy in the compliances of contacts, contained in @round_off [J]
 * @beside, @beside_most: h^2/24 a.M a of the last step, and its maximum [J]
 * @changes:   sum of the changes of @beside and of the power so far [J]
 * @power:     a.M v of the last two steps [W]
 * @driven:    work of the drives in the last two steps [J]
 * @kinetic, @potential, @passed: terms of @moved [J]
 * @turnover:  largest energy in the mechanism in about the last LK_ENERGY_STEPS steps [J] */
struct lk_energy_watch {
    double appeared;
    double explained;
    double moved;
    int body;
    double jump;
    double jumped;
    struct lk_health start;
    struct lk_health before;
    double round_off;
    double stored;
    double beside;
    double beside_most;
    double changes;
    double power[2];
    double driven[2];
    double kinetic;
    double potential;
    double passed;
    double turnover;
};

/** lk_energy_balance() - return the energy in the mechanism, less the work that inputs, drives and
 * loads have put in, plus what was dissipated [J]. Without errors it is constant, except for the
 * work of closing the joints.  RT: yes. */
LK_RT double lk_energy_balance(const struct lk_health *health);

/** lk_energy_begin() - start the balance at the present state.  Thread: the stepping thread.  RT:
 * yes. */
LK_RT void lk_energy_begin(struct lk_energy_watch *watch, const struct lk_system *system);

/** lk_energy_look() - update the balance. Call after each step.
 * @health: health of the step, see lk_system_health()
 * Thread: the stepping thread.  RT: yes, O(bodies). */
LK_RT void lk_energy_look(struct lk_energy_watch *watch, const struct lk_system *system,
                          const struct lk_health *health);

/** lk_energy_account() - update only @jump and @jumped, for the test of the last steps. Called by
 * lk_energy_look(). RT: yes. */
LK_RT void lk_energy_account(struct lk_energy_watch *watch, const struct lk_health *health);

/** lk_energy_appears() - return whether energy has appeared since the beginning that the order of
 * the step does not explain.  RT: yes. */
LK_RT bool lk_energy_appears(const struct lk_energy_watch *watch);

/** lk_energy_explodes() - return whether @jump exceeds LK_ENERGY_JUMP and the balance since the
 * beginning is above 0.  RT: yes. */
LK_RT bool lk_energy_explodes(const struct lk_energy_watch *watch);

/** lk_energy_known_source() - return a remark on an element of @system that is known to generate
 * energy, to append to the advice to shorten the step; "" for none. Static text. */
const char *lk_energy_known_source(const struct lk_system *system);

#endif
