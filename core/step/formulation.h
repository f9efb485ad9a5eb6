/* SPDX-License-Identifier: Apache-2.0 */
/* A formulation: equations of motion, the step that integrates them, its higher orders by
 * extrapolation, and its variant in lanes. */
#ifndef LK_STEP_FORMULATION_H
#define LK_STEP_FORMULATION_H

#include "linkage/error.h"
#include <stddef.h>

struct lk_arena;
struct lk_plan;
struct lk_system;
struct lk_topology;

#define LK_SEQUENCES_MAX 3 /* an interval is stepped in 1, 2 and 3 parts */

/** struct lk_combination - a step of order @order, combined from the results of the same step
 * in 1, 2 and 3 parts. @weight: of each result, 0: not needed;  @swing_max: largest phase of an
 * undamped mode in a step [rad] */
struct lk_combination {
    int order;
    double weight[LK_SEQUENCES_MAX];
    double swing_max;
};

/** struct lk_extrapolation - extrapolation of a formulation to a higher order, see
 * extrapolate.c. All functions are for the cycle, RT: yes.
 * @by:     available combinations, the lowest order first;  @n_solves: number of solves in
 *          @finish, besides one factor
 * @iterations: iterations of a part, if the model does not specify them; 0: as in a plain step
 * @begin:  prepare the scratch of @sequence, to which the motion of @system has been copied, for
 *          its first part
 * @settle: called between two parts, only if sequence->settles; or NULL
 * @finish: close the joints of the combined motion in system->next, then compute its
 *          accelerations and multipliers */
struct lk_extrapolation {
    struct lk_combination by[2];
    int n_solves;
    int iterations;
    LK_RT void (*begin)(const struct lk_system *system, struct lk_system *sequence);
    LK_RT void (*settle)(struct lk_system *sequence, const double *inputs);
    LK_RT void (*finish)(struct lk_system *system, const double *inputs);
};

/** struct lk_lane_effort - work of a step on batches with the default iterations.
 * @n_factors, @n_solves: number of factors and solves;  @n_phases: number of phases that the tasks
 *                        share;  @fields: number of vectors of a body, without those of iterations
 * @fields_iteration: number of vectors of a body for each iteration
 * Costs, see compile/batch/cost.c. @single: cost of a row that is computed outside of the lanes.
 * Costs relative to ali3: @in_lanes: cost of bodies, rows and fronts in lanes;  @body, @row: cost
 * of a body or row in executor `one` */
struct lk_lane_effort {
    int n_factors;
    int n_solves;
    int n_phases;
    int fields;
    int fields_iteration;
    double single;
    double in_lanes;
    double body;
    double row;
};

/** struct lk_formulation - equations and their step; one file each, listed in
 * methods/registry.c.
 * @script: enum lk_script of its executors
 * @step:   compute system->next from system->now; @inputs: NULL when the model has none. Cycle.
 *          Return: 0, LK_E_TURN; the work is the same in every case.
 * @keeps_balance: the step itself computes violations and the energy of the bodies
 * @layout: allocate system->formulation_data from @arena, or NULL. Called like
 *          lk_fronts_layout(). Return: 0, -ENOMEM.
 * @prepare: called after the start, with the name of the formulation in the model, or NULL; may
 *          allocate. Return: 0, -ENOMEM, LK_E_MODEL
 * @close:  free the memory that prepare() allocated, or NULL
 * @own_size: size of lk_state.own for @n_bodies, or NULL
 * @begin:  compute lk_state.own of system->now from its motion, after a start or reset; or NULL
 * @renew:  compute the scratch at the start of a step from system->now; NULL: lk_start_renew().
 *          RT: yes.
 * @wants_wide_tree: merge in rounds of disjoint pairs, for few levels, whatever the total work
 * @shares_work: return whether a step without lanes has loops that workers share, see
 *               methods/share.h; or NULL: no
 * @wants_plain: the compiler must not use hubs, split bodies or lanes;  @has_no_hubs: it must not
 *               use hubs
 * @keeps_rows: the iterations use the Jacobian of the start of the step, see
 *          compile/passes/carriers.h
 * @stops_at_any_pose: hard stops are selected for all poses that the mechanism may reach, not
 *          only for the start
 * @in_lanes: the same step on batches, see step/lanes/batch.h, or NULL;  @effort: work of a step
 *          on batches
 * @is_explicit: springs and dampers are applied forces, not rows
 * @order:  order of convergence, 0: as in the options
 * @extrapolation: extrapolation to orders above 2, or NULL
 * @iterations: iterations of a step, if the model does not specify them
 * @regularisation: E of rigid rows, relative to half of their mean diagonal; 0: as ali3
 * @solves_once: if rigid rows never depend on each other, one solve suffices, with E at round-off
 *               level
 * @leaves_laws: only the factor of the iterations contains compliant rows
 * @laws_are_loads: in lanes only: the fronts omit compliant rows; their forces act as applied
 *                  loads
 * @steps_in_plane: planar reduction: bodies that cannot tilt lack the tilt rows, and W contains
 *          their free motion only */
struct lk_formulation {
    const char *name;
    int script;
    LK_RT int (*step)(struct lk_system *system, const double *inputs);
    int keeps_balance;
    int (*layout)(struct lk_system *system, const struct lk_topology *topology,
                  const struct lk_plan *plan, struct lk_arena *arena);
    int (*prepare)(struct lk_system *system, const char *name, struct lk_error *ret_error);
    void (*close)(struct lk_system *system);
    int (*own_size)(int n_bodies);
    LK_RT void (*begin)(struct lk_system *system);
    LK_RT void (*renew)(struct lk_system *system);
    int wants_plain;
    int wants_wide_tree;
    int (*shares_work)(const struct lk_system *system);
    int has_no_hubs;
    int keeps_rows;
    int stops_at_any_pose;
    const struct lk_formulation *in_lanes;
    struct lk_lane_effort effort;
    int is_explicit;
    int order;
    const struct lk_extrapolation *extrapolation;
    int iterations;
    double regularisation;
    int solves_once;
    int leaves_laws;
    int laws_are_loads;
    int steps_in_plane;
};

extern const struct lk_formulation lk_formulation_ali3;
extern const struct lk_formulation lk_formulation_rattle;
extern const struct lk_formulation lk_formulation_rk4;
/* the same formulations in lanes */
extern const struct lk_formulation lk_formulation_ali3_lanes;
extern const struct lk_formulation lk_formulation_rattle_lanes;
extern const struct lk_formulation lk_formulation_rk4_lanes;

#endif
