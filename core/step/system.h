/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled model: constants, state and scratch, all in one arena.
 *
 * The state lives in two equal blocks of doubles: a step reads `now`, writes `next`, and the two
 * are swapped when the result is finite; a third block keeps the start. Scratch is written anew by
 * every step, but the factor and the Jacobians at the final pose, which the next step begins with.
 */
#ifndef LK_STEP_SYSTEM_H
#define LK_STEP_SYSTEM_H

#include "linkage/linkage.h"
#include "maths/hot.h"
#include "rows/joint.h"
#include "solve/fronts.h"
#include "step/drives.h"
#include "step/laws.h"

/** struct lk_body - constants of a body. @inertia: J [kg m^2], body axes; both may be zero.
 * @of: the body of the model that it is, or a part of */
struct lk_body {
    double mass;
    double inertia[6];
    int of;
};

/** struct lk_motion - state of a body. @x, @v, @a: centre of mass, world; @q: body to world;
 * @w, @al: angular velocity and acceleration, body axes. */
struct lk_motion {
    double x[3];
    double q[4];
    struct lk_twist v;
    struct lk_twist a;
};

/** struct lk_quad - four bodies of a step side by side; lanes beyond the last body repeat it.
 * @mass, @inertia:   constants, see struct lk_body
 * @start_a: 1, or 0 where a body is so light that its acceleration says nothing about the next step
 * @massless: 1 where there is no inertia at all, else 0; both for translation and rotation
 * @thin:     unit vector of an axis about which a body has no inertia though it has about others,
 * or 0
 * @x_old .. @a_old:  the state that the step starts from, a_old with the input jump
 * @u, @turn, @theta: motion within the step: x - x_old [m] world, q_old^-1 q, log(R_old^T R) [rad]
 */
struct lk_quad {
    lk_four mass;
    lk_four inertia[6];
    lk_four start_a[2];
    lk_four massless[2];
    lk_four thin[3];
    lk_four x_old[3];
    lk_four q_old[4];
    lk_four v_old[6];
    lk_four a_old[6];
    lk_four u[3];
    lk_four turn[4];
    lk_four theta[3];
};

/** struct lk_load - a force or torque on a body: vector, or vector sin(omega t + phase). */
struct lk_load {
    int body;
    int is_torque;
    int in_body_frame;
    int is_harmonic;
    double point[3]; /* from the centre of mass, body axes [m] */
    double vector[3];
    double omega;
    double phase;
};

/** struct lk_input, struct lk_output - what a channel acts on or shows. @joint: index of the joint
 * or block;  @which: coordinate;  @term: of a force element's law, first of @n_terms */
struct lk_input {
    enum lk_input_type type;
    int joint;
    int which;
    int offset;
    struct lk_load load;
};

struct lk_output {
    enum lk_output_type type;
    int joint;
    int body;
    int offset;
    int size;
    int term;
    int n_terms;
    double point[3];   /* from the centre of mass, body axes [m] */
    double axes[3][3]; /* of a sensor, body axes */
};

/** struct lk_balance - energy balance and residuals of a run; all doubles, part of the state.
 * @steps: done so far, exact up to 2^53. */
struct lk_balance {
    double steps;
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
};

/** struct lk_state - one block of doubles and where its parts begin.
 * @lambda:     multipliers of all rows, in the order of elimination [N, N m]
 * @coordinate: of each joint that has some [rad or m], angles unwrapped up over turns;  @rate: its
 *              derivative; both only where the joint needs_coordinate
 * @inputs:     values that act in the step that led here
 * @tangent:    E of the rows of all laws, as the projections of the step that led here used it
 * @samples:    of each drive that follows an input, see drives.h
 * @own:        what a formulation keeps from step to step beside the motion, n_own numbers */
struct lk_state {
    double *block;
    struct lk_motion *motion;
    double *lambda;
    double *coordinate;
    double *rate;
    double *inputs;
    double *tangent;
    struct lk_drive_samples *samples;
    struct lk_balance *balance;
    double *own;
};

#define LK_PHASES_MAX 64

/** struct lk_phase_cost - a phase that workers share. @work_ns: of one worker alone;  @largest_ns:
 * largest piece of it that is not divided */
struct lk_phase_cost {
    double work_ns;
    double largest_ns;
};

/** struct lk_step_cost - a step as a pool sees it. @serial_ns: what one worker does while the
 * others wait;  @n_phases: 0 for a step that is not divided */
struct lk_step_cost {
    double serial_ns;
    int n_phases;
    struct lk_phase_cost phase[LK_PHASES_MAX];
};

struct lk_system;
struct lk_batches;
struct lk_prices;

/** struct lk_formulation - a way to step the same model; one file each, listed in
 * methods/registry.c.
 * @step:   computes system->next from system->now; @inputs: NULL when the model has none. Cycle.
 *          Return: 0, LK_E_TURN; the work is the same.
 * @keeps_balance: the step itself finds violations and the energy of the bodies
 * @layout: takes memory of its own for system->formulation_data, or NULL. Called like
 *          lk_fronts_layout(). Return: 0, -ENOMEM.
 * @prepare: after the start, with the formulation's name as the model has it, or NULL; may
 *          allocate. Return: 0, -ENOMEM, LK_E_MODEL
 * @close:  frees what prepare() allocated, or NULL
 * @own_size: numbers that it may keep of its own in a state of @n_bodies, whose equations are then
 *          others than those of the tree; or NULL
 * @wants_plain: no body is split, nothing is batched
 * @is_explicit: springs and dampers are forces;  @order: of convergence, 0: as the options say */
struct lk_formulation {
    const char *name;
    LK_RT int (*step)(struct lk_system *system, const double *inputs);
    int keeps_balance;
    int (*layout)(struct lk_system *system, const struct lk_topology *topology,
                  const struct lk_plan *plan, struct lk_arena *arena);
    int (*prepare)(struct lk_system *system, const char *name, struct lk_error *ret_error);
    void (*close)(struct lk_system *system);
    int (*own_size)(int n_bodies);
    int wants_plain;
    int is_explicit;
    int order;
};

extern const struct lk_formulation lk_formulation_ali3;
extern const struct lk_formulation
    lk_formulation_batches; /* ali3 side by side, see step/batch/batch.h */

/** lk_step_swap() - system->next becomes system->now. RT: yes. */
LK_RT void lk_step_swap(struct lk_system *system);

/** struct lk_system - see the top of this file. Bodies are those of the model, then the further
 * parts of bodies that were split. Index n_bodies stands for the ground and the indices behind it
 * for frames that drives move, in @pose, @twist and @residual. Joints are those of the model, then
 * the rows of other elements: drives, springs, welds of split bodies. */
struct lk_system {
    /* constants */
    const struct lk_formulation *formulation;
    void *formulation_data;
    double h;           /* step [s] */
    double s;           /* h^2 / 4 [s^2] */
    double arm;         /* largest arm of a joint [m]: a length of the mechanism */
    double penalty;     /* of the Euler-parameter form, 0: automatic */
    double unwrapping;  /* h / 2: how far rates carry a coordinate in a step; 0 until the start is
                           made */
    int order;          /* 2, or 3 or 4 by extrapolation, see extrapolate.c; then: */
    int is_part;        /* a plain step is a part of a whole one: only its motion and works count */
    int takes_massless; /* its formulation is at home with bodies without inertia */
    int settles; /* of a sequence: between sub-steps accelerations are made those of the state */
    struct lk_system *sequence[LK_ORDER_MAX - 2]; /* with h/2 and, for order 4, h/3 */
    double project_flops; /* of the linear algebra after sequences are combined */
    int iterations;
    int n_solves;    /* of a step, by which the tree was chosen */
    int leak_always; /* multipliers of rigid rows are forgotten in every iteration, not once a step
                      */
    int shows_condition; /* an output shows the violation of accelerations */
    int needs_twists;    /* rows look at velocities: compliant ones and unwrapped coordinates */
    double gravity[3];
    int n_bodies;
    int n_named_bodies;
    int n_frames;
    int n_joints;
    int n_named_joints;
    int n_coordinates;
    int n_followed; /* joints whose coordinates are followed from step to step */
    int n_rows;
    int n_loads;
    int n_laws;
    int n_terms;
    int n_drives;
    int n_own; /* numbers of a state that are its formulation's own */
    int n_inputs;
    int n_thin;  /* bodies without inertia about some axis, see struct lk_quad */
    int n_stops; /* laws with stops */
    int n_jumps; /* inputs that are loads, and laws with stops: forces that may jump */
    int n_outputs;
    int input_size;
    int output_size;
    size_t state_size; /* doubles of a state block */
    struct lk_body *body;
    struct lk_inverse_mass *W;  /* of the mass, or an artificial one where a body has none */
    struct lk_inverse_mass *sW; /* h^2 / 4 W */
    struct lk_side *side;       /* of all bodies, one body after another */
    int *first_side;            /* n_bodies + 1: where those of a body begin */
    struct lk_joint *joint;
    double *regular; /* E of every row: rigid, a small part of its diagonal; compliant,
                      * 1 / (k + 2 c / h) */
    double *scale;   /* diagonal of s Phi_q W Phi_q^T at t = 0, of every row */
    int *followed;   /* which joints */
    struct lk_load *load;
    struct lk_law *law; /* of each compliant row, see laws.h */
    struct lk_term *term;
    double *tables;         /* of laws */
    struct lk_drive *drive; /* see drives.h */
    double *splines;        /* of drives */
    struct lk_moving_frame *frame;
    struct lk_input *input;
    struct lk_output *output;
    struct lk_channel *input_channel;
    struct lk_channel *output_channel;
    char (*body_name)[LK_NAME_SIZE];
    char (*joint_name)[LK_NAME_SIZE];
    char note[LK_NOTE_SIZE];
    struct lk_summary summary;

    /* state */
    struct lk_state now;
    struct lk_state next;
    struct lk_state start;

    /* scratch of a step */
    struct lk_fronts fronts;
    struct lk_pose *pose;         /* n_bodies + 1 + n_frames */
    struct lk_twist *twist;       /* the same: velocities that go with the poses */
    struct lk_twist *residual;    /* the same: g, then s W g */
    struct lk_twist *correction;  /* the same: Phi_q^T of a solution */
    struct lk_quad *quad;         /* (n_bodies + 3) / 4 */
    struct lk_jacobian *jacobian; /* at the pose of the last factor */
    double *solution;             /* n_rows: right-hand side, then solution */

    struct lk_batches *batches; /* the step on batches, see step/batch/batch.h; NULL: one by one */
    struct lk_pool *pool;       /* lent by lk_system_set_pool(); NULL: the caller steps alone */
    const struct lk_prices *prices; /* by which engine and workers are chosen */
    char prices_name[64];
    struct lk_step_cost cost; /* from which the number of workers is chosen */
    lk_probe probe;           /* of lk_system_set_probe(), or NULL */
    void *probe_context;
};

/* the poses, twists or sums of all sides of joint @j; sides that it does not have are the ground */
#define LK_SIDES(array, j)                                                                         \
    {                                                                                              \
        &(array)[(j)->body[0]], &(array)[(j)->body[1]], &(array)[(j)->body[2]],                    \
            &(array)[(j)->body[3]]                                                                 \
    }

/* the same of a joint that is no coupling */
#define LK_TWO_SIDES(array, j)                                                                     \
    {                                                                                              \
        &(array)[(j)->body[0]], &(array)[(j)->body[1]]                                             \
    }

/* ---- evaluate.c: kinematics and rows, shared by all formulations. All for the cycle, RT: yes.
 * ---- */

/** lk_evaluate_poses() - system->pose of every body of @state. */
LK_RT void lk_evaluate_poses(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_pose_of() - pose of one body, or of the ground or a frame, in system->now, whatever
 * keeps system->pose. */
LK_RT void lk_evaluate_pose_of(const struct lk_system *system, int body, struct lk_pose *ret);
/** lk_evaluate_twists() - system->twist from the velocities of @state. */
LK_RT void lk_evaluate_twists(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_jacobians() - system->jacobian at the present poses. */
LK_RT void lk_evaluate_jacobians(struct lk_system *system);
/** lk_evaluate_factor() - factor at the present Jacobians. */
LK_RT void lk_evaluate_factor(struct lk_system *system);
/** lk_evaluate_violation() - Phi of all rows of joint @j at the present poses: coordinates of
 * coupled and driven joints are unwrapped, and what a drive prescribes is subtracted. Coordinates
 * of compliant rows are given as they are; their law is not looked at. @ret has LK_ROWS_MAX. */
LK_RT void lk_evaluate_violation(const struct lk_system *system, int j, double *ret);
/** lk_evaluate_gamma() - second derivative of the rows of joint @j with all accelerations zero,
 * less what a drive prescribes. */
LK_RT void lk_evaluate_gamma(const struct lk_system *system, int j, double *ret);
/** lk_evaluate_coordinate() - coordinate @which of @joint at the present poses, and its rate at the
 * present twists. An angle is known but for whole turns; the turn is the one nearest to where the
 * trapezoidal rule leads from system->now, so that two bodies may turn against each other by more
 * than half a turn a step. @ret_rate: written. */
LK_RT double lk_evaluate_coordinate(const struct lk_system *system, const struct lk_joint *joint,
                                    int which, double *ret_rate);
/** lk_evaluate_coordinate_near() - the same without rate, the turn nearest to @near. */
LK_RT double lk_evaluate_coordinate_near(const struct lk_system *system,
                                         const struct lk_joint *joint, int which, double near);
/** lk_evaluate_coordinate_rate() - rate of coordinate @which at @twist. */
LK_RT double lk_evaluate_coordinate_rate(const struct lk_system *system,
                                         const struct lk_joint *joint, int which,
                                         const struct lk_twist *twist);
/** lk_evaluate_coordinate_acceleration() - second derivative of coordinate @which with the
 * accelerations of @state; poses and twists are those of system->now. */
LK_RT double lk_evaluate_coordinate_acceleration(const struct lk_system *system,
                                                 const struct lk_state *state,
                                                 const struct lk_joint *joint, int which);
/** lk_evaluate_row_rates() - Phi_q (@twist) of joint @j, all rows; @ret has LK_ROWS_PAD. */
LK_RT void lk_evaluate_row_rates(const struct lk_system *system, int j,
                                 const struct lk_twist *twist, double *ret);
/** lk_evaluate_transpose() - Phi_q^T @lambda of every body; @lambda is of a state or the solution,
 * which may be read a few values beyond their last row. */
LK_RT void lk_evaluate_transpose(const struct lk_system *system, const double *lambda,
                                 struct lk_twist *ret);

/** lk_evaluate_correction() - solve with the right-hand side in system->solution, then
 * system->correction = s W Phi_q^T solution. */
LK_RT void lk_evaluate_correction(struct lk_system *system);

/** lk_evaluate_clear_frames() - zero for ground and frames in an array of n_bodies + 1 + n_frames.
 */
LK_RT void lk_evaluate_clear_frames(const struct lk_system *system, struct lk_twist *array);

/** lk_evaluate_impacts() - rows of stops that are hit: their rate into system->solution, as of
 * rigid rows, so that the projection takes it all; lk_bounce() gives back. */
LK_RT void lk_evaluate_impacts(struct lk_system *system);

/** lk_bounce() - after the projection of velocities, what impacts give back: the rates of all stops
 * that are hit, or the part of them all that the energy of the last step allows. */
LK_RT void lk_bounce(struct lk_system *system, struct lk_state *state);

/** lk_project_velocities() - make the velocities of @state fit the joints: sigma from
 * rhs dPhi/dt (rigid rows; 0 for compliant ones), v -= s W Phi_q^T sigma, with the last factor.
 * Index-3 DCA paper, mass-orthogonal projection; twists must be those of @state and are updated. */
LK_RT void lk_project_velocities(struct lk_system *system, struct lk_state *state);

/** lk_project_accelerations() - the same for accelerations: kappa from rhs Phi_q a + d2Phi/dt2,
 * a -= s W Phi_q^T kappa, lambda += s kappa, which makes the multipliers converge with order 2.
 * @jump: by how much loads have just changed the accelerations, n_bodies + 1 + n_frames, or NULL;
 * see lk_evaluate_acceleration_violation() */
LK_RT void lk_project_accelerations(struct lk_system *system, struct lk_state *state,
                                    const struct lk_twist *jump);

/** lk_evaluate_acceleration_violation() - rigid rows: Phi_q a + d2Phi/dt2 into system->solution,
 * @state: whose accelerations. Compliant rows 0, or Phi_q @jump: a load that jumps is taken over at
 * once by rows that are stiff for the step, as if they were rigid, and not at all by soft ones. */
LK_RT void lk_evaluate_acceleration_violation(struct lk_system *system,
                                              const struct lk_state *state,
                                              const struct lk_twist *jump);

/* ---- loads.c ---- */

/** lk_loads_subtract() - @sum -= Q of gravity, loads at time @t [s] and @inputs at the present
 * poses.
 * @inputs: may be NULL. */
LK_RT void lk_loads_subtract(const struct lk_system *system, double t, const double *inputs,
                             struct lk_twist *sum);
/** lk_loads_subtract_applied() - the same without gravity. */
LK_RT void lk_loads_subtract_applied(const struct lk_system *system, double t, const double *inputs,
                                     struct lk_twist *sum);

/** lk_loads_subtract_jumps() - what jumps as a step begins: @sum -= Q of the change of the inputs.
 * Inputs of system->next are the new ones afterwards. */
LK_RT void lk_loads_subtract_jumps(struct lk_system *system, const double *inputs,
                                   struct lk_twist *sum);

/** lk_loads_stop_force() - part of the multiplier of the row of @law in system->now that is the
 * stops'; poses and twists are those of system->now. */
LK_RT double lk_loads_stop_force(const struct lk_system *system, const struct lk_law *law);

/** lk_loads_subtract_stops() - forces of stops that end as the step begins: @sum -= their Q, and
 * system->next loses their multipliers.
 * @leaving: 0: all stops; 1: those whose contact ends, less the part that they keep. Needs
 *           lk_loads_decide_stops() */
LK_RT void lk_loads_subtract_stops(struct lk_system *system, int leaving, struct lk_twist *sum);

/** lk_loads_decide_stops() - what every stop does in the step, from the accelerations without stops
 * in system->next; E of their rows for the step.
 * @again: the accelerations are those with the stops that act; only the others are decided anew,
 *         as one stop may press a coordinate against another */
LK_RT void lk_loads_decide_stops(struct lk_system *system, int again);

/** lk_loads_release_stops() - E of rows with stops as if there were none, at the present poses and
 * twists; with @keep_impacts as of rigid rows where they are hit, for the projections. */
LK_RT void lk_loads_release_stops(struct lk_system *system, int keep_impacts);

/** struct lk_powers - what flows into a mechanism [W]. @input: through input channels, @drive:
 * through drives, @applied: loads without a potential and rails that pass by, @damping: out,
 * through the laws of compliant rows. */
struct lk_powers {
    double input;
    double drive;
    double applied;
    double damping;
};

/** lk_loads_law_place() - value and rate of the row of @law at the present poses and twists;
 * coordinates of @state. RT: yes. */
LK_RT double lk_loads_law_place(const struct lk_system *system, const struct lk_state *state,
                                const struct lk_law *law, double *ret_rate);

/** lk_loads_powers() - at the present poses and twists, with multipliers and coordinates of @state,
 * at time @t [s]. */
LK_RT void lk_loads_powers(const struct lk_system *system, const struct lk_state *state, double t,
                           const double *inputs, struct lk_powers *ret);
/** lk_loads_drive_power() - only what drives put in. RT: yes. */
LK_RT double lk_loads_drive_power(const struct lk_system *system, const struct lk_state *state);
/** lk_loads_impacts() - whether a hard stop was hit or left in the step. RT: yes. */
LK_RT int lk_loads_impacts(const struct lk_system *system);
/** lk_loads_potential() - potential energy of @state that is not the bodies' [J]: of laws and
 * loads. */
LK_RT double lk_loads_potential(const struct lk_system *system, const struct lk_state *state);
/** lk_loads_energies() - kinetic and potential energy of @state [J]; the coordinates count. */
LK_RT void lk_loads_energies(const struct lk_system *system, const struct lk_state *state,
                             double *ret_kinetic, double *ret_potential);

/* ---- step.c ---- */

/** lk_keep_coordinates() - coordinates and rates of system->next at the present poses and twists.
 * Cycle, RT: yes. */
LK_RT void lk_keep_coordinates(struct lk_system *system);

/** lk_step_account() - what an extrapolated step led to, in system->next: coordinates, residuals,
 * energies. Cycle, RT: yes. Return: 0, LK_E_NOT_FINITE. */
LK_RT int lk_step_account(struct lk_system *system);

/** lk_start_resume() - system->now as a step leaves it, for whatever steps: after a start, a reset
 * or a refused step. Cycle, RT: yes. */
LK_RT void lk_start_resume(struct lk_system *system);

/** lk_start_renew() - poses, Jacobians and factor of system->now, as a step leaves them behind;
 * after a reset or a refused step. Cycle, RT: yes. */
LK_RT void lk_start_renew(struct lk_system *system);

/** lk_system_decouple_laws() - after the start: compliant rows are forces and no rows of the
 * factor. Not for the cycle. */
void lk_system_decouple_laws(struct lk_system *system);

#endif
