/* SPDX-License-Identifier: Apache-2.0 */
#include "block_models.h"
#include "cmocka_all.h"
#include "known_motion.h"
#include <stdio.h>

/* a rotor with a moment of inertia of 2e-4 kg m^2 on a shaft, initial speed @speed, and a signal
 * `u` */
static const char rotor[] =
    "linkage: 1\nname: rotor\ngravity: [0, 0, 0]\n"
    "bodies:\n"
    "  rotor: {mass: 1, inertia: [2e-4, 2e-4, 2e-4], position: [0, 0, 0], "
    "angular_velocity: [0, 0, %.17g]}\n"
    "joints:\n"
    "  shaft: {type: revolute, bodies: [ground, rotor], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "inputs:\n  u: {type: signal}\n"
    "outputs:\n  y: {type: block, block: y}\n"
    "  speed: {type: joint-velocity, joint: shaft}\n  angle: {type: joint-position, joint: shaft}\n"
    "  work: {type: work}\n  shown: {type: input, input: u}\n"
    "solver: {step: %.17g}\n%s";

void write_rotor(double speed, double h, const char *blocks, char *text, size_t size)
{
    snprintf(text, size, rotor, speed, h, blocks);
}

struct lk_system *compile_rotor(double speed, double h, const char *blocks)
{
    char text[TEXT_MAX];

    write_rotor(speed, h, blocks, text, sizeof(text));
    return compile_text(text, 0);
}

struct lk_system *compile_motor(double inductance, double h)
{
    char blocks[1024];

    snprintf(blocks, sizeof(blocks),
             "blocks:\n"
             "  emf: {type: gain, input: {velocity: shaft}, gain: 0.05, unit: V}\n"
             "  across: {type: sum, inputs: [u, emf], signs: \"+-\", unit: V}\n"
             "  y: {type: transfer-function, input: across, num: [1], den: [%.17g, 0.5], unit: A}\n"
             "  torque: {type: gain, input: y, gain: 0.05, unit: N m}\n"
             "forces:\n  drive: {type: impedance, joint: shaft, force: {block: torque}}\n",
             inductance);
    return compile_rotor(0, h, blocks);
}

static const char wild[] =
    "linkage: 1\nname: wild\ngravity: [0, -9.81, 0]\n"
    "bodies:\n"
    "  a: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [0.5, 0, 0]}\n"
    "  b: {mass: 1, inertia: [0.1, 0.1, 0.1], position: [3, 0.4, 0], velocity: [0, 1, 0]}\n"
    "joints:\n"
    "  arm: {type: revolute, bodies: [ground, a], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "  piston: {type: cylindrical, bodies: [ground, b], point: [3, 0, 0], axis: [0, 1, 0]}\n"
    "inputs:\n  demand: {type: signal, limits: [-1, 1], rate: 10}\n"
    "blocks:\n"
    "  error: {type: sum, inputs: [demand, {position: piston, coordinate: travel}], signs: "
    "\"+-\"}\n"
    "  late: {type: delay, input: error, time: 0.0137}\n"
    "  valve: {type: lag, input: late, gain: 3, time: 0.002, limits: [-1, 1]}\n"
    "  drop: {type: sum, inputs: [2e5, pressure], signs: \"+-\"}\n"
    "  root: {type: table, input: drop, curve: monotone, table: {input: [0, 1e4, 5e4, 2e5, 8e5], "
    "output: [0, 0.1, 0.22, 0.45, 0.9]}}\n"
    "  flow: {type: product, inputs: [valve, root, 1e-4]}\n"
    "  swept: {type: gain, input: {velocity: piston, coordinate: travel}, gain: 1e-3}\n"
    "  net: {type: sum, inputs: [flow, swept], signs: \"+-\"}\n"
    "  pressure: {type: integrator, input: net, gain: 5e12, limits: [0, 4e5], unit: Pa}\n"
    "  push: {type: gain, input: pressure, gain: 1e-3, unit: N}\n"
    "  brake: {type: saturation, input: band, limits: [0, 1]}\n"
    "  band: {type: dead-band, input: {velocity: arm}, limits: [-0.5, 0.5]}\n"
    "forces:\n"
    "  cylinder: {type: impedance, joint: piston, coordinate: travel, force: {block: push}}\n"
    "  brake: {type: friction, joint: arm, coulomb: 4, creep: 0.01, scale: {block: brake}}\n"
    "  spring: {type: joint-spring-damper, joint: piston, coordinate: travel, stiffness: 300}\n"
    "outputs:\n"
    "  force: {type: force, force: cylinder}\n"
    "  both: {type: force, force: spring}\n"
    "  x: {type: joint-position, joint: arm}\n"
    "  y: {type: joint-position, joint: piston}\n"
    "  p: {type: block, block: pressure}\n"
    "  late: {type: block, block: late}\n"
    "  work: {type: work}\n"
    "solver: {step: 0.001, engine: %s}\n";

struct lk_system *compile_wild(const char *engine)
{
    char text[TEXT_MAX];

    snprintf(text, sizeof(text), wild, engine);
    return compile_text(text, 0);
}

void step_wild(struct lk_system *sys, int i)
{
    double demand = i < 200 ? 0.6 : -0.2;

    assert_int_equal(lk_system_step(sys, &demand), 0);
}
