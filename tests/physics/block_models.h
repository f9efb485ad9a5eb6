/* SPDX-License-Identifier: Apache-2.0 */
/* Models with blocks for several tests. */
#ifndef TESTS_PHYSICS_BLOCK_MODELS_H
#define TESTS_PHYSICS_BLOCK_MODELS_H

#include "linkage/linkage.h"

#define TEXT_MAX 6000

/** write_rotor() - text of a rotor of 2e-4 kg m^2 on a `shaft`, which starts with @speed [rad/s],
 * with a signal `u` and what @blocks says, of which `y` is shown. */
void write_rotor(double speed, double h, const char *blocks, char *text, size_t size);
/** compile_rotor() - the same, compiled. */
struct lk_system *compile_rotor(double speed, double h, const char *blocks);

/** compile_motor() - the rotor as one of a motor: L i' = u - 0.5 i - 0.05 w with @inductance L [H],
 * torque 0.05 i; `y` is i. */
struct lk_system *compile_motor(double inductance, double h);

/** compile_wild() - a valve and its chamber, with all kinds of blocks, by @engine.
 * step_wild() - step @i of a run in which its demand jumps once. */
struct lk_system *compile_wild(const char *engine);
void step_wild(struct lk_system *sys, int i);

#endif
