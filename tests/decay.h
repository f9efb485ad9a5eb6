/* SPDX-License-Identifier: Apache-2.0 */
/* A model with a decaying motion: a pendulum without gravity, which a spring and a damper bring to
 * rest. Between steps 7000 and 8000 the whole motion consists of denormal numbers, and then of
 * zeros. */
#ifndef TESTS_DECAY_H
#define TESTS_DECAY_H

static const char decay_text[] =
    "linkage: 1\n"
    "name: decay\n"
    "gravity: [0, 0, 0]\n"
    "bodies:\n"
    "  link: {mass: 1, inertia: [1, 1, 1], position: [0.5, 0, 0], angular_velocity: [0, 0, 1],\n"
    "         velocity: [0, 0.5, 0]}\n"
    "joints:\n"
    "  hinge: {type: revolute, bodies: [ground, link], point: [0, 0, 0], axis: [0, 0, 1]}\n"
    "forces:\n"
    "  bush: {type: joint-spring-damper, joint: hinge, stiffness: 3125, damping: 125}\n"
    "inputs:\n"
    "  motor: {type: joint-torque, joint: hinge}\n"
    "outputs:\n"
    "  phi: {type: joint-position, joint: hinge}\n"
    "  phi_rate: {type: joint-velocity, joint: hinge}\n"
    "  phi_acceleration: {type: joint-acceleration, joint: hinge}\n"
    "  tip: {type: point-acceleration, body: link, point: [1, 0, 0]}\n"
    "  sensor: {type: inertial-sensor, body: link, point: [1, 0, 0]}\n"
    "  link_velocity: {type: body-velocity, body: link}\n"
    "  link_acceleration: {type: body-acceleration, body: link}\n"
    "  hinge_load: {type: joint-reaction, joint: hinge}\n"
    "  bush_load: {type: force, force: bush}\n"
    "  energy: {type: energy}\n"
    "  residual: {type: residual}\n"
    "solver: {formulation: ali3, step: 0.001, iterations: 3}\n";

#endif
