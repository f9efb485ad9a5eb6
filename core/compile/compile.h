/* SPDX-License-Identifier: Apache-2.0 */
/* From a model to a system that steps it. Who calls says by which formulation: methods/ has the
 * table of names. Nothing here is for the cycle. */
#ifndef LK_COMPILE_COMPILE_H
#define LK_COMPILE_COMPILE_H

#include "model/model.h"
#include "step/system.h"

/** struct lk_compile_how - in which way a model is compiled.
 * @formulation: that steps it
 * @is_bare:   whatever else the solver section says: order 2, no body split, nothing batched
 * @flops_max: of a step, 0: no bound, see struct lk_bounds */
struct lk_compile_how {
    const struct lk_formulation *formulation;
    int is_bare;
    double flops_max;
};

/** lk_compile() - as lk_system_new() in linkage/linkage.h, which see. Ends with -ECANCELED where
 * lk_effort_spend() asks for it. */
int lk_compile(const struct lk_model *model, const struct lk_options *options,
               struct lk_compile_how how, struct lk_system **ret_system,
               struct lk_error *ret_error);

/* ---- start.c ---- */

/** lk_start_consistent() - from the initial configuration in system->now to a start that fits:
 * assemble positions, project velocities, solve accelerations and multipliers. Return: 0,
 * LK_E_ASSEMBLY. */
int lk_start_consistent(struct lk_system *system, struct lk_error *ret_error);

/** lk_start_assemble() - only the positions. Return: 0, LK_E_ASSEMBLY. */
int lk_start_assemble(struct lk_system *system, struct lk_error *ret_error);

/* ---- channels.c: names, units and sizes ---- */

void lk_channels_describe_input(const struct lk_model *model, const struct lk_input_def *def,
                                int offset, struct lk_channel *ret_channel);
void lk_channels_describe_output(const struct lk_model *model, const struct lk_output_def *def,
                                 int offset, struct lk_channel *ret_channel);

/* ---- sequences.c: steps of order 3 and 4, see step/extrapolate.h ---- */

/** lk_extrapolate_check() - whether @model moves smoothly enough for sequences to be combined:
 * no friction, end stop or table, no drive from an input, no mode of its springs and dampers that
 * is faster than the step. @system: order 3 or 4, or `rk4`, with its start.
 * Return: 0, LK_E_MODEL (@ret_error names what is in the way). */
int lk_extrapolate_check(struct lk_system *system, const struct lk_model *model,
                         struct lk_error *ret_error);

/** lk_extrapolate_adopt() - make @sequence, compiled from the same model with a shorter step, step
 * from the states of @system: the same joints, those of its assembled configuration. */
void lk_extrapolate_adopt(const struct lk_system *system, struct lk_system *sequence);

#endif
