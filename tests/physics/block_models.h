/* SPDX-License-Identifier: Apache-2.0 */
/* Models with blocks for several tests. */
#ifndef TESTS_PHYSICS_BLOCK_MODELS_H
#define TESTS_PHYSICS_BLOCK_MODELS_H

#include "linkage/linkage.h"

#define TEXT_MAX 6000

/** write_rotor() - Write the text of a model: a rotor with a moment of inertia of 2e-4 kg m^2 on a
 * `shaft`, with initial speed @speed [rad/s], a signal `u` and the blocks @blocks. The block `y` is
 * an output. */
void write_rotor(double speed, double h, const char *blocks, char *text, size_t size);
/** compile_rotor() - Write and compile this model. */
struct lk_system *compile_rotor(double speed, double h, const char *blocks);

/** compile_motor() - Compile the rotor as part of a motor: L i' = u - 0.5 i - 0.05 w with
 * @inductance L [H], torque 0.05 i. The output `y` is the current i. */
struct lk_system *compile_motor(double inductance, double h);

/** compile_wild() - Compile a valve and its chamber, with all kinds of blocks, stepped by @engine.
 * step_wild() - Make step @i of a run in which its demand jumps once. */
struct lk_system *compile_wild(const char *engine);
void step_wild(struct lk_system *sys, int i);

#endif
