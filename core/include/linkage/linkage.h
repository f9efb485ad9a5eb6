/* SPDX-License-Identifier: Apache-2.0 */
/* liblinkage: read a model, compile it, step it.
 *
 *     lk_model_read_file()  ->  struct lk_model   content of the model file, immutable
 *     lk_system_new()       ->  struct lk_system  the compiled model and its state, one arena
 *     lk_system_step()          one step of fixed work, on the cycle thread
 *     lk_system_outputs()       the output channels, on the cycle thread
 *
 * Quantities are in SI units and in the world frame unless stated otherwise. Quaternions are (w, x,
 * y, z) and turn body vectors into world vectors. A system belongs to one thread at a time. */
#ifndef LINKAGE_LINKAGE_H
#define LINKAGE_LINKAGE_H

#include "linkage/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_NAME_SIZE          64   /* bytes of a name with its terminating zero */
#define LK_COMPONENTS_MAX     7    /* scalars of the widest channel (a pose) */
#define LK_NOTE_SIZE          256  /* bytes of a compiler's note */
#define LK_STEP_MIN           1e-6 /* shortest and longest step [s] */
#define LK_STEP_MAX           0.1
#define LK_ITERATIONS         3 /* default number of iterations per step */
#define LK_CONTACT_ROUNDS_MAX 1000
#define LK_ITERATIONS_MAX     20
#define LK_ORDER_MAX          6

struct lk_pool;
struct lk_model;
struct lk_system;

/** lk_model_read_file() - read a model file (doc/reference documents the format).
 * Thread: any but the cycle.  RT: no.
 * Return: 0, LK_E_TEXT (@ret_error: "file:line:column: ..."), -ENOMEM. */
int lk_model_read_file(const char *path, struct lk_model **ret_model, struct lk_error *ret_error);

/** lk_model_read_text() - read a model from memory, as lk_model_read_file() does from a file.
 * @name: name of the text in messages
 * @text: @size bytes; not used after the call */
int lk_model_read_text(const char *name, const char *text, size_t size, struct lk_model **ret_model,
                       struct lk_error *ret_error);

/** lk_model_free() - free @model, which may be NULL. */
void lk_model_free(struct lk_model *model);

/** lk_model_name() - return the name of the model, as in the file. */
const char *lk_model_name(const struct lk_model *model);

/** lk_model_files() - return number and checksum of the files that the model names (roads). A
 * recording stores the checksum, so that a replay can detect changed files.
 * @ret_crc: CRC-32 of all files in the order of the model; 0 without files
 * Return: number of files. */
int lk_model_files(const struct lk_model *model, uint32_t *ret_crc);

/** struct lk_callback_force - result of a callback: a force along a coordinate.
 * @force:     on the second body of the joint [N or N m]
 * @stiffness: decrease of the force with the coordinate [N/m or N m/rad], or a smaller value
 * @damping:   decrease of the force with the rate of the coordinate [N s/m or N m s/rad], or a
 *             smaller value
 * Set @stiffness and @damping to 0 if the force changes little in a step. They affect how fast the
 * iterations converge, not their result */
struct lk_callback_force {
    double force;
    double stiffness;
    double damping;
};

/** struct lk_callback - function that computes a force of type callback of a model, for offline
 * use.
 * @force:    name of the force in the model
 * @evaluate: compute the force at @value [m or rad] and @rate of the coordinate. Called several
 *            times in a step: in every iteration, at the middle and at the end of the step, by the
 *            stepping thread or a worker of its pool. The result must depend only on the arguments
 *            and on @context, which may change between steps. The work of the force counts as work
 *            of inputs */
struct lk_callback {
    const char *force;
    void (*evaluate)(void *context, double value, double rate, struct lk_callback_force *ret);
    void *context;
};

/** struct lk_options - settings that override the model's `solver` section.
 * @step:       step size h [s], LK_STEP_MIN to LK_STEP_MAX; 0: as in the model
 * @iterations: Newton iterations per step, 1 to LK_ITERATIONS_MAX; 0: as in the model
 * @order:      order of convergence, 2 to LK_ORDER_MAX; 0: as in the model.
 *              doc/reference/solver.md lists the orders of each formulation and their
 *              requirements on the model
 * @contact_rounds: how often a step repeats the passes of its contacts, 1 to
 *              LK_CONTACT_ROUNDS_MAX; 0: once. With many rounds a step solves the exact problem of
 *              its contacts, off line: a reference for the fixed passes
 * @equilibrium: 1: the start is a static equilibrium, as if the model said `start: equilibrium`
 * @all_rows:   1: no planar reduction. By default, bodies that revolute and prismatic joints keep
 *              from tilting are stepped without the corresponding constraint rows, with the same
 *              motion to round-off. Needed for analyses (modes, mobility) and for
 *              lk_system_start_at()
 * @reactions:  names of joints whose reactions the caller will read, NULL at the end; NULL: none.
 *              Planar reduction then keeps the rows that lk_system_joint_reaction() needs, as it
 *              does for reactions that are outputs of the model
 * @callbacks:  functions for all forces of type callback, one with @force NULL at the end; NULL:
 *              none. The list is read only by lk_system_new(); functions and contexts must outlive
 *              the system
 * @engine:     a name of lk_system_engine(); "none": step one body after another; "auto": choose
 *              the cheapest engine for the size of the model; NULL: as in the model. The last bits
 *              of results depend on the engine */
struct lk_options {
    double step;
    int iterations;
    int order;
    const char *engine;
    int contact_rounds;
    int equilibrium;
    int all_rows;
    const char *const *reactions;
    const struct lk_callback *callbacks;
};

/** lk_formulation_choose() - return the name of the formulation that steps @model.
 * @options: as for lk_system_new()
 * @ret_why: if the model leaves the choice open and the choice is not "rattle", the reason, such
 *           as "redundancy: soft"; otherwise "". Static text
 * Thread: any but the cycle.  RT: no.
 * Return: the name with its variant, valid as long as @model. */
const char *lk_formulation_choose(const struct lk_model *model, const struct lk_options *options,
                                  const char **ret_why);

/** lk_system_new() - compile @model: topology, elimination tree, arena, consistent start.
 *
 * Assembles the initial configuration (Gauss-Newton on the joints, weighted by mass), projects the
 * velocities onto the joints, solves accelerations and multipliers. The model may be freed
 * afterwards.
 * @options: NULL: all settings as in the model
 * Thread: any but the cycle.  RT: no; this is the only function of a system that allocates.
 * Return: 0; LK_E_ASSEMBLY (names the joints with the largest gaps; also if the model asks for a
 *         static equilibrium and there is none: names the body or the block); LK_E_MODEL (also for
 *         an order that the model does not allow: names the element); -ENOMEM. */
int lk_system_new(const struct lk_model *model, const struct lk_options *options,
                  struct lk_system **ret_system, struct lk_error *ret_error);

/** lk_system_free() - free @system, which may be NULL. */
void lk_system_free(struct lk_system *system);

/** lk_system_step() - advance by one step h.
 * @inputs: lk_system_input_size() values in channel order; they act over [t, t + h]; NULL is
 *          allowed for a model without inputs
 * Thread: cycle.  RT: yes, work fixed by the model, O(bodies) for chains and trees.
 * Like every function that computes, this one flushes denormal numbers to zero, so that a run has
 * the same bits and speed in every program. On return the setting of the thread is restored.
 * Return: 0; LK_E_NOT_FINITE when an input or the result is not finite; LK_E_TURN when a body would
 *         turn by more than half a turn: the step is too long for it; LK_E_BENT when a modal body
 *         would bend by more than its modes describe; LK_E_SINGULAR when a
 *         formulation in joint coordinates has no solution in this pose. An error leaves the state
 *         as before the call, and further calls are allowed. */
LK_RT int lk_system_step(struct lk_system *system, const double *inputs);

/** lk_system_set_pool() - set the threads that execute the following steps, see linkage/pool.h.
 * Results have the same bits for any number of workers.
 * @pool: owned by the caller. While @pool is set, the stepping thread is worker 0, all other
 *        workers must be in lk_pool_serve(), and no other system may use @pool. NULL: only the
 *        stepping thread
 * Thread: the stepping thread, or any while no thread steps @system.  RT: yes. */
LK_RT void lk_system_set_pool(struct lk_system *system, struct lk_pool *pool);

/** lk_system_engine() - return the name of the engine that executes the steps: "avx512", "avx2",
 * "portable" or "scalar" process 8, 4, 2 or 1 bodies of the same type at a time; "one by one" uses
 * no engine. Unless the options or the model name an engine, the choice depends on the mechanism
 * and on the vector width of the processor, never on timing, so the choice is always the same on
 * one machine. The last bits of a motion depend on the engine. Static text. */
const char *lk_system_engine(const struct lk_system *system);

/** lk_system_workers_useful() - return the number of workers beyond which a step does not
 * become shorter according to a cost model: 1 to LK_POOL_MAX, 1 for small mechanisms. */
int lk_system_workers_useful(const struct lk_system *system);

/** lk_system_shares_work() - return whether workers share the step of @system: 1, or 0: a pool has
 * no effect, because one thread does the whole step. */
int lk_system_shares_work(const struct lk_system *system);

/** lk_system_outputs() - evaluate the output channels in the present state.
 * @values: lk_system_output_size() values, in channel order; written
 * Thread: cycle.  RT: yes. */
LK_RT void lk_system_outputs(const struct lk_system *system, double *values);

/** lk_system_reset() - restore the state at the end of lk_system_new(), with time 0.
 * Thread: cycle.  RT: yes, one copy of the state and one factorisation. */
LK_RT void lk_system_reset(struct lk_system *system);

/** lk_system_step_size() - return the step size h [s]. */
LK_RT double lk_system_step_size(const struct lk_system *system);
/** lk_system_step_count() - return the number of steps since the start. The time is
 * step_count * h, exact on the grid. */
LK_RT uint64_t lk_system_step_count(const struct lk_system *system);
/** lk_system_time() - return the simulated time [s]. */
LK_RT double lk_system_time(const struct lk_system *system);

/** struct lk_channel - a named input or output of a model.
 * @name:      as in the model file
 * @size:      number of scalars, 1 to LK_COMPONENTS_MAX
 * @offset:    index of the first scalar in the vector of all inputs (or outputs)
 * @component: names of the scalars; "" when there is only one
 * @unit:      SI unit of each scalar, "rad", "m/s", "1"
 * @type:      as in the model file, such as "joint-torque"
 * @frame:     axes of the vectors: "world", "body NAME", or "sensor" for the axes of a sensor; ""
 *             for scalars, and if the type of the channel defines the axes
 * @low, @high: limits of each scalar of an input; infinite if the model has none, and for
 *              outputs
 * @rate:      largest change of an input per second, infinite if the model has none. The step
 *             checks neither limits nor rate; the program that receives the values must check them
 * @initial:   value of each scalar of an input before the first value from outside
 * @ahead:     prediction time of an output [s]; 0: output of the present state */
struct lk_channel {
    char name[LK_NAME_SIZE];
    const char *type;
    char frame[LK_NAME_SIZE + 8];
    int size;
    int offset;
    const char *component[LK_COMPONENTS_MAX];
    const char *unit[LK_COMPONENTS_MAX];
    double low;
    double high;
    double rate;
    double initial;
    double ahead;
};

/** lk_system_input_channels(), lk_system_output_channels() - return the channels of @system,
 * in the order of the model file, valid as long as the system.
 * @ret_n: number of channels */
const struct lk_channel *lk_system_input_channels(const struct lk_system *system, int *ret_n);
const struct lk_channel *lk_system_output_channels(const struct lk_system *system, int *ret_n);
/** lk_channel_index() - return the index of the channel @name among @n channels, or -1. Not
 * for the cycle. */
int lk_channel_index(const struct lk_channel *channels, int n, const char *name);
/** lk_system_input_index(), lk_system_output_index() - return the index of the input or output
 * channel @name of a system, or -1. */
int lk_system_input_index(const struct lk_system *system, const char *name);
int lk_system_output_index(const struct lk_system *system, const char *name);
/** lk_system_input_size(), lk_system_output_size() - return the total number of scalars of all
 * inputs, or of all outputs. */
LK_RT int lk_system_input_size(const struct lk_system *system);
LK_RT int lk_system_output_size(const struct lk_system *system);

/** struct lk_health - numerical health and energy balance of the last step.
 * @residual_position: largest |violation| of a rigid row after the step [m or rad]
 * @residual_velocity: largest |rate of violation| of a rigid row after the projection [m/s, rad/s]
 * @residual_acceleration: largest |second derivative of violation| of a rigid row after the
 *                     projection [m/s^2, rad/s^2]; 0 unless the model has a `condition` output
 * @increment:         largest component of the last Newton increment [m or rad]
 * @kinetic:           kinetic energy [J]
 * @potential:         energy of gravity and constant forces (zero at the world origin), of springs
 *                     and of stops that are not impacts [J]
 * @work_input:        work done by the input channels since the start [J]
 * @work_drive:        work done by drives [J];  @work_applied: work done by loads that have no
 *                     potential [J]
 * @dissipated:        energy dissipated by dampers, friction and stops since the start, plus @taken
 *                     [J]
 * @port_gap:          largest difference between the work of a port up to the step before and the
 *                     work that its bench reported [J]; 0 without `port-work` outputs with `told`
 * @taken:             numerical, not physical dissipation [J]: energy that the step removed because
 *                     it treats geometric stiffness implicitly, or the dampers of impedances. A
 *                     `work` output has this energy as a component of its own. It also has the work
 *                     of closing the joints, which no field here contains */
struct lk_health {
    double residual_position;
    double residual_velocity;
    double residual_acceleration;
    double increment;
    double kinetic;
    double potential;
    double work_input;
    double work_drive;
    double work_applied;
    double dissipated;
    double port_gap;
    double taken;
};

/** lk_system_health() - return the health of the last step. Thread: cycle.  RT: yes. */
LK_RT void lk_system_health(const struct lk_system *system, struct lk_health *ret_health);

/** lk_system_dependent_rows() - return the number of rows of rigid joints that depend on
 * other rows in the pose of the last step: the redundant rows, and more near a change point,
 * where a mechanism may continue in more than one way. Constant for formulations without a
 * factor of the rows.
 * @share: threshold, 0 to 1. A row counts as dependent if more than this share of its rate remains
 *         after a solve. All of the rate of a redundant row remains, and about 1e-7 of the rate of
 *         an independent row
 * Thread: cycle.  RT: yes, O(rows). */
LK_RT int lk_system_dependent_rows(const struct lk_system *system, double share);

/* Largest rotation of a body in a step [rad]. Above this angle the energy of an unbalanced
 * rotor oscillates by several per cent; from 1 rad on it grows without bound. See
 * doc/reference/fail-safes.md, policy. */
#define LK_TURN_MAX 0.7

/* Largest strain of an element of a beam. Above it the elements, which are linear, are not the
 * material. */
#define LK_STRAIN_MAX 0.02

/* Largest error of a contact force after the passes of a step, as a share of the largest normal
 * force in that step. */
#define LK_CONTACT_MAX 0.1

/** struct lk_extent - largest distance, speed and rotation of the bodies of a model.
 * @position: largest distance of a centre of mass from the world's origin [m];  @farthest: its
 *            body
 * @speed:    largest speed of a centre of mass [m/s];  @fastest: its body
 * @turn:     largest rotation of a body in a step at its present rate [rad];  @turning: its body
 * @strain:   largest strain of an element of a beam, by its forces: axial, and of the outermost
 *            fibres, those of a rectangle with the same EI / EA;  @strained: a body at its end
 * @contact:  largest error of a contact force in the last step, divided by the largest normal force
 *            of a point;  @touching: a body of that contact */
struct lk_extent {
    double position;
    double speed;
    double turn;
    double strain;
    double contact;
    int farthest;
    int fastest;
    int turning;
    int strained;
    int touching;
};

/** lk_system_extent() - compute the extent in the present state.  Thread: cycle.  RT: yes,
 * O(bodies + rows). */
LK_RT void lk_system_extent(const struct lk_system *system, struct lk_extent *ret_extent);

/** struct lk_body_state - state of one body.
 * @position:             centre of mass [m], world
 * @orientation:          unit quaternion (w, x, y, z), body to world
 * @velocity:             of the centre of mass [m/s], world
 * @angular_velocity:     [rad/s], body axes
 * @acceleration:         of the centre of mass [m/s^2], world
 * @angular_acceleration: [rad/s^2], body axes */
struct lk_body_state {
    double position[3];
    double orientation[4];
    double velocity[3];
    double angular_velocity[3];
    double acceleration[3];
    double angular_acceleration[3];
};

/** lk_system_body_index(), lk_system_joint_index() - return the index of the body or joint
 * @name, or -1. Not for the cycle. */
int lk_system_body_index(const struct lk_system *system, const char *name);
int lk_system_joint_index(const struct lk_system *system, const char *name);
/** lk_system_body_name(), lk_system_joint_name() - return the name of body or joint @i. */
const char *lk_system_body_name(const struct lk_system *system, int i);
const char *lk_system_joint_name(const struct lk_system *system, int i);
/** lk_system_body_state() - copy the state of body @body. Thread: cycle.  RT: yes. */
LK_RT void lk_system_body_state(const struct lk_system *system, int body,
                                struct lk_body_state *ret_state);

/** lk_system_start_at() - restart at time 0 from poses and velocities that differ from the model's.
 * As at the start of a model, the joints are closed, the velocities are projected onto the joints,
 * and accelerations and reactions are computed. Inputs, blocks and energies are as at the model's
 * own start, which lk_system_reset() still restores. Afterwards lk_system_summary() returns
 * assembly_gap and velocity_change of this start.
 * @bodies: states of all bodies of the model; accelerations are ignored. Drives are as at time 0.
 *          Unwrapped angles of gears and screws start within half a turn of 0
 * Thread: any, while no thread steps @system.  RT: no.
 * Return: 0; LK_E_ASSEMBLY (the joints are open by more than a tenth of the model's size or 0.1
 *         rad, or cannot be closed); LK_E_STATE (not finite, no unit quaternion, or so large that
 *         accelerations are not finite); LK_E_MODEL (needs struct lk_options.all_rows, because
 *         planar reduction removed rows; or the formulation uses joint coordinates); -ENOMEM. After
 *         an error the system is as before. */
int lk_system_start_at(struct lk_system *system, const struct lk_body_state *bodies,
                       struct lk_error *ret_error);

#define LK_POSE_SIZE 7 /* numbers of a pose */

/** lk_system_poses() - copy the poses of all bodies: x y z of the centre of mass [m] and w x
 * y z of the unit quaternion, body to world, as in struct lk_body_state.
 * @poses: LK_POSE_SIZE numbers per body of the model, written.  Thread: cycle.  RT: yes, one copy.
 */
LK_RT void lk_system_poses(const struct lk_system *system, double *poses);
/** lk_system_joint_reaction() - compute the reaction of joint @joint: force [N] and torque
 * about the joint's point [N m] on its second body, world frame. It converges with the order of
 * the solver, because the acceleration projection corrects the multipliers.
 *
 * Components whose rows planar reduction removed follow from the force balance of the bodies behind
 * the joint. Some mechanisms do not determine that balance: a loop of revolute and prismatic joints
 * with loads out of its plane, or dependent rows. In such a mechanism, planar reduction keeps the
 * rows of a joint only if an output of the model or struct lk_options.reactions requests its
 * reaction. For other joints the call returns LK_E_MODEL.
 * Thread: cycle.  RT: yes, O(rows) if a force balance is needed.
 * Return: 0; LK_E_MODEL: the reaction is not known, because it was not requested when the system
 *         was compiled; @ret_force_torque is NAN. */
LK_RT int lk_system_joint_reaction(const struct lk_system *system, int joint,
                                   double ret_force_torque[6]);

/** struct lk_summary - results of compiling.
 * @n_bodies, @n_joints:       counts, as in the model
 * @n_split:                   bodies with many joints that were split into parts, welded together
 * @n_parts:                   total number of these parts
 * @n_in_plane:                bodies with planar reduction: they cannot tilt
 * @n_rows_rigid:              scalar constraints of joints, drives and welds
 * @n_rows_compliant:          rows of springs, dampers and friction, solved with the constraints;
 *                             includes three for each of @n_sways
 * @n_sways:                   rods and springs with geometric stiffness in the matrix of the step
 * @n_blocks, @n_block_states: blocks and their states, stepped with the mechanism
 * @tree_depth, @tree_fronts:  levels and nodes of the elimination tree
 * @largest_front:             rows of the largest dense block that is factored
 * @iterations:                Newton iterations of a step
 * @order:                     of convergence, 2 to LK_ORDER_MAX
 * @step_flops:                floating point operations of the linear algebra of one step; 0: not
 *                             counted (formulations in joint coordinates)
 * @memory:                    bytes of all arenas (one more for each sequence of steps of a
 *                             higher-order method): all memory that a step uses
 * @total_mass:                mass of all bodies [kg]
 * @assembly_gap:              largest violation of a joint in the initial configuration [m or rad]
 * @velocity_change:           largest change that made the given velocities consistent with the
 *                             joints [m/s or rad/s] */
struct lk_summary {
    int n_bodies;
    int n_joints;
    int n_split;
    int n_parts;
    int n_in_plane;
    int n_rows_rigid;
    int n_rows_compliant;
    int n_sways;
    int n_blocks;
    int n_block_states;
    int tree_depth;
    int tree_fronts;
    int largest_front;
    int iterations;
    int order;
    double step_flops;
    size_t memory;
    double total_mass;
    double assembly_gap;
    double velocity_change;
};

/** struct lk_equilibrium - report on the search for the static equilibrium of the start.
 * @is_sought:  the model or the options ask for an equilibrium; otherwise all fields are 0
 * @iterations: number of iterations of Newton's method
 * @residual:   largest unbalanced force of a body [N], moments divided by the size of the
 *              mechanism
 * @force:      largest weight of a body, force of a joint or of a spring [N, N m]
 * @moved:      largest displacement of a centre of mass from the assembled initial configuration
 *              [m] */
struct lk_equilibrium {
    int is_sought;
    int iterations;
    double residual;
    double force;
    double moved;
};

/** lk_system_equilibrium() - return the report on the search for the static equilibrium of the
 * start.
 * Thread: any. */
void lk_system_equilibrium(const struct lk_system *system, struct lk_equilibrium *ret_equilibrium);

/** lk_system_note() - return a remark of the compiler on the model as one line for the user, or "".
 */
const char *lk_system_note(const struct lk_system *system);

/** lk_system_summary() - return counts and sizes of the compiled model. Thread: any. */
void lk_system_summary(const struct lk_system *system, struct lk_summary *ret_summary);

#ifdef __cplusplus
}
#endif
#endif
