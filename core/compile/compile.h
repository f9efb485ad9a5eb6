/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a model into a system that steps it. The caller chooses the formulation; methods/ has
 * the table of their names. Everything here allocates: not for the cycle. */
#ifndef LK_COMPILE_COMPILE_H
#define LK_COMPILE_COMPILE_H

#include "model/model.h"
#include "step/system.h"

/** struct lk_compile_how - how a model is compiled.
 * @formulation: steps the system
 * @is_bare:   overrides the solver section: order 2, no body a hub or split, nothing batched
 * @without:   bits of enum lk_reduction that are not used, for comparison
 * @flops_max: bound on the operations of a step, 0: none, see struct lk_bounds */
struct lk_compile_how {
    const struct lk_formulation *formulation;
    int is_bare;
    unsigned without;
    double flops_max;
};

/** lk_compile() - compile @model; see lk_system_new() in linkage/linkage.h. Return: as there, or
 * -ECANCELED once lk_effort_spend() returns true. */
int lk_compile(const struct lk_model *model, const struct lk_options *options,
               struct lk_compile_how how, struct lk_system **ret_system,
               struct lk_error *ret_error);

/* ---- start.c ---- */

/** lk_start_consistent() - make the initial configuration in system->now consistent: assemble the
 * positions, project the velocities, solve for accelerations and multipliers. Return: 0,
 * LK_E_ASSEMBLY. */
int lk_start_consistent(struct lk_system *system, struct lk_error *ret_error);

/** lk_start_size() - the size of the model at the positions of system->now [m]. */
double lk_start_size(const struct lk_system *system);
/** lk_start_again() - the same for other positions and velocities in system->now, of a system that
 * had its start: no equilibrium is sought, no joint absorbs a misfit, and what the compiler has
 * decided stays. After an error system->now is to be replaced.
 * @size: of the model at its own start
 * Return: 0, LK_E_ASSEMBLY, -ENOMEM */
int lk_start_again(struct lk_system *system, double size, struct lk_error *ret_error);

/** lk_start_is_open() - whether joints are open, as the model file has them, by more than a misfit
 * that they could absorb. Return: 0, 1. */
int lk_start_is_open(struct lk_system *system);

/** lk_start_beside() - velocities that the joints allow next to those of system->now, then
 * accelerations, multipliers and coordinates, where poses, velocities and inputs were changed by a
 * little after lk_start_consistent(). Positions stay as they are, open joints too. What acts on
 * bodies without inertia moves them as if they had the artificial mass of W, 1e-6 of a neighbour's.
 * Friction that winds up and carcasses of tyres follow as at rest. The system is not ready to step
 * after it. */
void lk_start_beside(struct lk_system *system);

/** lk_start_assemble() - assemble the positions only. Return: 0, LK_E_ASSEMBLY. */
int lk_start_assemble(struct lk_system *system, struct lk_error *ret_error);

/* ---- channels.c: names, units and sizes ---- */

void lk_channels_describe_input(const struct lk_model *model, const struct lk_input_def *def,
                                int offset, struct lk_channel *ret_channel);
void lk_channels_describe_output(const struct lk_model *model, const struct lk_output_def *def,
                                 int offset, struct lk_channel *ret_channel);

/* ---- sequences.c: steps of a higher order, see step/scripts/extrapolate.h ---- */

/** lk_extrapolate_check() - check that @model moves smoothly enough for a step of higher order: no
 * friction, end stop or table, no drive from an input, no mode of its springs and dampers, turn of
 * an unbalanced body, nutation or swing across a tension faster than the step as it starts.
 * @system: of such an order, or `rk4`, at its start. Return: 0, LK_E_MODEL (@ret_error names the
 * element). */
int lk_extrapolate_check(struct lk_system *system, const struct lk_model *model,
                         struct lk_error *ret_error);

/** lk_extrapolate_adopt() - let @sequence, compiled from the same model with a shorter step, step
 * from the states of @system: copy its joint points and axes, scale E of its rows to the step. */
void lk_extrapolate_adopt(const struct lk_system *system, struct lk_system *sequence);

/** lk_start_hold_upright() - W M t, what a body @b that is held upright keeps of the given twist
 * @twist, as rows would leave it that are not there, see compile/passes/plane.h. */
void lk_start_hold_upright(const struct lk_system *system, int b, struct lk_twist *twist);

#endif
