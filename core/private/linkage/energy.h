/* SPDX-License-Identifier: Apache-2.0 */
/* Whether energy appears in a mechanism that nothing put in: the sign of a step that is wrong while
 * its numbers are finite and its joints closed.
 *
 * Since the beginning. The balance is the energy gained, less what inputs, drives and loads put in,
 * plus what was taken out. To leading order a step of second order leaves in it
 *   - h^2/24 a.M a, by which the energy that the step keeps differs from the one that is looked at
 *     (doc/method.md, section 4; Hairer, Lubich, Wanner, Geometric Numerical Integration, IX.3):
 *     its largest value, and all its changes, as a force without a potential brings back only some;
 *   - h/12 of each second difference of the power a.M v, the error h^3/12 P'' of the trapezoidal
 *     rule for the kinetic energy over a step: it also sees where a force has a kink, at a stop, at
 *     a contact, or where an input jumps.
 * The sum of these is explained. What is LK_ENERGY_FACTOR times as much, and LK_ENERGY_SHARE of the
 * energy that moved, has another cause: a law whose force and account differ, or a step so long
 * that there is no order. What is LK_ENERGY_MOST of the energy that moved is wrong with any cause.
 *
 * In the last steps. What explodes has large accelerations, which explain much. So what appears is
 * also summed up with a memory of LK_ENERGY_STEPS steps, in which a loss cancels a gain, and
 * compared with the energy in the mechanism: its kinetic energy, and what moved between potential,
 * work and dissipation, the largest within the same memory. Growth by a tenth every step shows as
 * one half, growth by any factor in one step as up to one. Dissipation is no gain here, although an
 * account may book more of it than was there; energy that vanishes brakes, and is no danger.
 *
 * The first costs a pass over the bodies, the second a few numbers, the same in every step. */
#ifndef LINKAGE_ENERGY_H
#define LINKAGE_ENERGY_H

#include "linkage/linkage.h"
#include <stdbool.h>

#define LK_ENERGY_FACTOR 4
#define LK_ENERGY_SHARE  0.01
#define LK_ENERGY_MOST   0.5
#define LK_ENERGY_STEPS  10
#define LK_ENERGY_JUMP   0.9 /* share of @jump at which a mechanism explodes */

/** struct lk_energy_watch - the energy balance of a run, filled by lk_energy_begin().
 * @appeared:  since the beginning [J]; less than 0: energy vanished
 * @explained: by the order of the step [J];  @moved: largest kinetic energy, largest change of the
 *             potential one, and most that was put in or taken out [J]
 * @body:      index of the body with the largest a.M a in the last step
 * @jump, @jumped: in the last steps, as a share of the energy in the mechanism, and [J]
 * What follows is private. @start, @before: at the beginning, after the last step
 * @round_off: part of @explained;  @beside, @beside_most: h^2/24 a.M a;  @changes: of it, and of
 * the power, so far;  @power: of the last two steps;  @kinetic, @potential, @passed: parts of
 * @moved
 * @turnover: largest with memory [J] */
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
    double beside;
    double beside_most;
    double changes;
    double power[2];
    double kinetic;
    double potential;
    double passed;
    double turnover;
};

/** lk_energy_begin() - from the present state on.  Thread: whoever steps.  RT: yes. */
LK_RT void lk_energy_begin(struct lk_energy_watch *watch, const struct lk_system *system);

/** lk_energy_look() - after each step.
 * @health: of it, see lk_system_health()
 * Thread: whoever steps.  RT: yes, O(bodies). */
LK_RT void lk_energy_look(struct lk_energy_watch *watch, const struct lk_system *system,
                          const struct lk_health *health);

/** lk_energy_account() - the part of lk_energy_look() about the last steps: @jump and @jumped.
 * RT: yes. */
LK_RT void lk_energy_account(struct lk_energy_watch *watch, const struct lk_health *health);

/** lk_energy_appears() - whether energy has appeared since the beginning that the order of the step
 * does not explain.  RT: yes. */
LK_RT bool lk_energy_appears(const struct lk_energy_watch *watch);

/** lk_energy_explodes() - whether so much has appeared in the last steps, and more since the
 * beginning than was lost.  RT: yes. */
LK_RT bool lk_energy_explodes(const struct lk_energy_watch *watch);

/** lk_energy_known_source() - what in @system is known to give energy: "", or a remark to put
 * behind the advice to shorten the step; static text. */
const char *lk_energy_known_source(const struct lk_system *system);

#endif
