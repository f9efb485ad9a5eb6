/* SPDX-License-Identifier: Apache-2.0 */
/* The model of most tests of benches: a double pendulum.
 *
 *     input    scalars  limits        initial  rate
 *     torque   1        -10 to 10     1        any
 *     push     3        -100 to 100   0        any
 *     motor    1        any           0        as MOTOR says
 *
 * and one output, the angle of the first joint. */
#ifndef TESTS_RIG_ARM_H
#define TESTS_RIG_ARM_H

/** RIG_ARM() - text of the model as a string literal. All parameters are literals: @name; @forces:
 * a section, or ""; @motor: further keys of that input, ", rate: 500"; @outputs: further lines, or
 * "";  @step [s] */
#define RIG_ARM(name, forces, motor, outputs, step)                                                \
    "linkage: 1\nname: " name "\n"                                                                 \
    "bodies:\n"                                                                                    \
    "  arm: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0]}\n"                                \
    "  rod: {mass: 1, inertia: [1, 1, 1], position: [1.5, 0, 0]}\n"                                \
    "joints:\n"                                                                                    \
    "  pin: {type: revolute, bodies: [ground, arm], point: [0, 0, 0], axis: [0, 0, 1]}\n"          \
    "  elbow: {type: revolute, bodies: [arm, rod], point: [1, 0, 0], axis: [0, 0, 1]}\n" forces    \
    "inputs:\n"                                                                                    \
    "  torque: {type: joint-torque, joint: pin, limits: [-10, 10], initial: 1}\n"                  \
    "  push: {type: body-force, body: rod, limits: [-100, 100]}\n"                                 \
    "  motor: {type: joint-torque, joint: elbow" motor "}\n"                                       \
    "outputs:\n"                                                                                   \
    "  angle: {type: joint-position, joint: pin}\n" outputs "solver: {step: " step "}\n"

#endif
