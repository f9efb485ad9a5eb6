/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles a model into a system that steps it. The caller chooses the formulation; methods/ has
 * the table of their names. Everything here allocates: not for the cycle. */
#ifndef LK_COMPILE_COMPILE_H
#define LK_COMPILE_COMPILE_H

#include "model/model.h"
#include "step/system.h"

/** struct lk_compile_request - how a model is compiled.
 * @formulation: formulation that steps the system
 * @is_bare:   overrides the solver section: order 2, no hubs, no split bodies, no batches
 * @without:   reductions to switch off, for comparison: bits of enum lk_reduction
 * @flops_max: bound on the operations of a step, 0: none, see struct lk_bounds */
struct lk_compile_request {
    const struct lk_formulation *formulation;
    int is_bare;
    unsigned without;
    double flops_max;
};

/** lk_compile() - compile @model; see lk_system_new() in linkage/linkage.h. Return: as
 * lk_system_new(), or -ECANCELED once lk_effort_spend() returns true. */
int lk_compile(const struct lk_model *model, const struct lk_options *options,
               struct lk_compile_request how, struct lk_system **ret_system,
               struct lk_error *ret_error);

/* ---- start.c ---- */

/** lk_start_consistent() - make the initial configuration in system->now consistent: assemble the
 * positions, project the velocities, solve for accelerations and multipliers. Return: 0,
 * LK_E_ASSEMBLY. */
int lk_start_consistent(struct lk_system *system, struct lk_error *ret_error);

/** lk_start_size() - compute the size of the model at the positions of system->now [m]. */
double lk_start_size(const struct lk_system *system);
/** lk_start_again() - make other positions and velocities in system->now consistent, after
 * lk_start_consistent() for the initial ones. The function seeks no equilibrium, joints absorb no
 * misfit, and all decisions of the compiler remain. After an error the caller must replace
 * system->now.
 * @size: size of the model in its initial configuration [m]
 * Return: 0, LK_E_ASSEMBLY, -ENOMEM */
int lk_start_again(struct lk_system *system, double size, struct lk_error *ret_error);

/** lk_start_is_open() - return 1 if joints are open in the initial configuration by more than the
 * misfit that joints absorb, else 0. */
int lk_start_is_open(struct lk_system *system);

/** lk_start_beside() - make a slightly changed state consistent. Call after lk_start_consistent()
 * and a small change of poses, velocities or inputs. Projects the velocities of system->now onto
 * the joints, then computes accelerations, multipliers and coordinates. Positions remain
 * unchanged, also those of open joints. Forces on bodies without inertia act on the artificial
 * mass of W, 1e-6 of a neighbour's mass. The presliding states of friction and the carcasses of
 * tyres are at rest. The system cannot step afterwards. */
void lk_start_beside(struct lk_system *system);

/** lk_start_assemble() - assemble the positions only. Return: 0, LK_E_ASSEMBLY. */
int lk_start_assemble(struct lk_system *system, struct lk_error *ret_error);

/* ---- channels.c: names, units and sizes ---- */

void lk_channels_describe_input(const struct lk_model *model, const struct lk_input_def *def,
                                int offset, struct lk_channel *ret_channel);
void lk_channels_describe_output(const struct lk_model *model, const struct lk_output_def *def,
                                 int offset, struct lk_channel *ret_channel);

/* ---- sequences.c: steps of a higher order, see step/scripts/extrapolate.h ---- */

/** lk_extrapolate_check() - check that @model moves smoothly enough for a step of higher order. The
 * model must have no friction, end stop or table, and no drive from an input. At the start, none of
 * these may be too fast for the step: modes of springs and dampers, rotation of an unbalanced body,
 * nutation, swing of a body under tension.
 * @system: a system of higher order, or of `rk4`, at its start. Return: 0, LK_E_MODEL
 *          (@ret_error names the element). */
int lk_extrapolate_check(struct lk_system *system, const struct lk_model *model,
                         struct lk_error *ret_error);

/** lk_extrapolate_adopt() - let @sequence, compiled from the same model with a shorter step, step
 * from the states of @system: copy its joint points and axes, scale E of its rows to the step. */
void lk_extrapolate_adopt(const struct lk_system *system, struct lk_system *sequence);

/** lk_start_hold_upright() - replace @twist of body @b with W M @twist. For a body with planar
 * reduction this removes the components that the omitted rows would remove, see
 * compile/passes/plane.h. */
void lk_start_hold_upright(const struct lk_system *system, int b, struct lk_twist *twist);

#endif
