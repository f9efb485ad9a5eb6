/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled model: constants, state and scratch, all in one arena.
 *
 * The state lives in two equal blocks of doubles: a step reads `now`, writes `next`, and the two
 * are swapped when the result is finite; a third block stores the start. Every step overwrites the
 * scratch, but begins with the last factor and Jacobians, those of the final pose. */
#ifndef LK_STEP_SYSTEM_H
#define LK_STEP_SYSTEM_H

#include "linkage/linkage.h"
#include "maths/hot.h"
#include "rows/joint.h"
#include "solve/fronts.h"
#include "step/elements/blocks.h"
#include "step/elements/drives.h"
#include "step/elements/laws.h"
#include "step/elements/sway.h"

struct lk_carcass;  /* step/elements/tyres.h */
struct lk_cut;      /* step/outputs/reactions.h */
struct lk_executor; /* step/executor.h */
struct lk_progress;
struct lk_element_work; /* step/elements/elements.h */
struct lk_tyre;
struct lk_road; /* tyre/road.h */

/** struct lk_body - constants of a body. @inertia: J [kg m^2], body axes; both may be zero.
 * @of: index of the body in the model; the @n_parts of a split body share it
 * @hangs_on: see struct lk_topology; no step reads it
 * @tension: upper bound of s K / J, the same for all parts of a split body, see
 * compile/passes/tensions.h
 * @is_in_plane: planar reduction: W permits rotation about one axis only, or none, see
 * compile/passes/plane.h */
struct lk_body {
    double mass;
    double inertia[6];
    int of;
    int n_parts;
    int hangs_on;
    double tension;
    bool is_in_plane;
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
 * @start_a:  weight of the last acceleration in the predictor: 0 for light bodies, else 1
 * @massless: 1 where there is no inertia at all, else 0; both for translation and rotation
 * @thin:     unit vector of the axis without inertia of a thin body, else 0
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

/** struct lk_input, struct lk_output - target of an input channel, source of an output channel.
 * @joint: index of the joint or block;  @which: coordinate;  @term: first of @n_terms of the law of
 * a force element */
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
    int tyre;
    int line;  /* transmission line whose forces are the output, or -1 */
    int input; /* index of its first value in the inputs; of a port: in lk_state.shown */
    int offset;
    int size;
    int term;
    int n_terms;
    double ahead;      /* [s] */
    double point[3];   /* from the centre of mass, body axes [m] */
    double axes[3][3]; /* of a sensor, body axes */
};

/** struct lk_port - an output about the point of action of a bench. @type: mobility or work
 * @place: the input that acts there, or would act;  @law, @term: of an impedance; @law -1: an input
 * @told: index in the inputs of the work that the bench reports, or -1
 * @at: index of the values in lk_state.shown */
struct lk_port {
    enum lk_output_type type;
    struct lk_input place;
    int law;
    int term;
    int told;
    int at;
};

/** struct lk_line - a transmission line, see lines.c. @force: its element in the model
 * @steps: travel time of a wave in steps;  @law, @term: of both ends;  @at: index in lk_state.waves
 */
struct lk_line {
    int force;
    int steps;
    double impedance;
    double ratio[2];
    int law[2];
    int term[2];
    int at;
};

/** struct lk_balance - energy balance and residuals of a run; all doubles, part of the state.
 * @steps: done so far, exact up to 2^53;  @taken: dissipated by the step itself, which damps
 * followed tensions and closes dampers of impedances [J];  @closing: energy added by closing the
 * remaining violation after the iterations, if system->books_closing [J] */
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
    double taken;
    double closing;
};

/** struct lk_state - one block of doubles and pointers to its parts.
 * @lambda:     multipliers of all rows, in the order of elimination [N, N m]
 * @coordinate: coordinates of the joints [rad or m], angles unwrapped;  @rate: their derivatives;
 *              both only where the joint needs_coordinate
 * @inputs:     values that act in the step that led here: of inputs, then of blocks
 * @tangent:    E of the rows of all laws, as used in the projections of the step that led here
 * @wind:       wind-up and sliding rate of each friction that winds up, see wind_up.c
 * @shown:      values of each port with an output, see struct lk_port
 * @samples:    of each drive that follows an input, see drives.h
 * @carcass:    of each tyre, see tyres.h
 * @waves:      of each transmission line, see lines.c
 * @blocks:     of the blocks of the model, see blocks.c
 * @own:        further state of a formulation, n_own numbers */
struct lk_state {
    double *block;
    struct lk_motion *motion;
    double *lambda;
    double *coordinate;
    double *rate;
    double *inputs;
    double *tangent;
    double *wind;
    double *shown;
    struct lk_drive_samples *samples;
    struct lk_balance *balance;
    struct lk_carcass *carcass;
    double *waves;
    double *blocks;
    double *own;
};

#define LK_PHASES_MAX 64

/** struct lk_phase_cost - a phase that workers share. @work_ns: time with one worker;  @largest_ns:
 * largest indivisible piece */
struct lk_phase_cost {
    double work_ns;
    double largest_ns;
};

/** struct lk_step_cost - cost of a step on a pool. @serial_ns: time of the serial part;  @n_phases:
 * 0 for a serial step */
struct lk_step_cost {
    double serial_ns;
    int n_phases;
    struct lk_phase_cost phase[LK_PHASES_MAX];
};

struct lk_system;
struct lk_batches;

#define LK_SEQUENCES_MAX 3 /* ways to step one interval: in 1, 2 and 3 parts */

/** struct lk_combination - a step of @order from the same step in 1, 2 and 3 parts. @weight: of
 * their results, 0: not needed;  @swing_max: largest phase of an undamped mode in a step [rad] */
struct lk_combination {
    int order;
    double weight[LK_SEQUENCES_MAX];
    double swing_max;
};

/** struct lk_extrapolation - extrapolation of a formulation to a higher order, see extrapolate.c.
 * All for the cycle, RT: yes.
 * @by:     available combinations, the lowest order first;  @n_solves: in @finish, beside one
 *          factor
 * @iterations: of a part, if the model does not specify them; 0: as in a plain step
 * @begin:  prepare the scratch of @sequence, whose motion is that of @system, for its first part
 * @settle: called between two parts, only if sequence->settles; or NULL
 * @finish: close the joints of the combined motion in system->next, then its accelerations and
 *          multipliers */
struct lk_extrapolation {
    struct lk_combination by[2];
    int n_solves;
    int iterations;
    LK_RT void (*begin)(const struct lk_system *system, struct lk_system *sequence);
    LK_RT void (*settle)(struct lk_system *sequence, const double *inputs);
    LK_RT void (*finish)(struct lk_system *system, const double *inputs);
};

/** struct lk_lane_effort - work of a step on batches with the default iterations: @n_factors,
 * @n_solves, and @n_phases that its tasks share;  @fields: number of vectors of a body, without
 * those of iterations;  @fields_iteration: of each iteration
 * prices, see compile/batch/cost.c: @single: of a row that is computed one by one beside lanes;
 * relative to ali3: @in_lanes: of bodies, rows and fronts;  @body, @row: one by one */
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

/** struct lk_formulation - equations and their step; one file each, listed in methods/registry.c.
 * @script: enum lk_script of its executors
 * @step:   computes system->next from system->now; @inputs: NULL when the model has none. Cycle.
 *          Return: 0, LK_E_TURN; the work is the same.
 * @keeps_balance: the step itself computes violations and the energy of the bodies
 * @layout: allocate system->formulation_data from @arena, or NULL. Called like lk_fronts_layout().
 *          Return: 0, -ENOMEM.
 * @prepare: after the start, with the formulation's name as the model has it, or NULL; may
 *          allocate. Return: 0, -ENOMEM, LK_E_MODEL
 * @close:  free the memory that prepare() allocated, or NULL
 * @own_size: size of lk_state.own for @n_bodies, or NULL
 * @begin:  compute lk_state.own of system->now from its motion, after a start or reset; or NULL
 * @renew:  compute the scratch at the start of a step from system->now; NULL: lk_start_renew(). RT:
 *          yes.
 * @wants_plain: no body is a hub or split, nothing is batched;  @has_no_hubs: no body is a hub
 * @keeps_rows: the iterations use the Jacobian of the start of the step, see
 * compile/passes/carriers.h
 * @stops_at_any_pose: hard stops are selected for all poses that the mechanism may reach, not for
 * the start alone
 * @in_lanes: the same step on batches, see step/lanes/batch.h, or NULL;  @effort: of a step on
 * batches
 * @is_explicit: springs and dampers are applied forces, not rows;  @order: of convergence, 0: as
 *          the options say;  @extrapolation: to more than 2, or NULL
 * @iterations: of a step, if the model does not specify them;
 * @regularisation: E of rigid rows, half of their mean diagonal being 1; 0: as ali3
 * @solves_once: where rigid rows never depend on each other, with E at round-off
 * @leaves_laws: only the factor of the iterations contains compliant rows
 * @laws_are_loads: in lanes only: the fronts omit compliant rows; their forces act as applied loads
 * @steps_in_plane: planar reduction: bodies that cannot tilt lack the tilt rows, and W contains
 * their free motion only */
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
/* the same in lanes */
extern const struct lk_formulation lk_formulation_ali3_lanes;
extern const struct lk_formulation lk_formulation_rattle_lanes;
extern const struct lk_formulation lk_formulation_rk4_lanes;

/** struct lk_system - see the top of this file. Bodies are those of the model, then the additional
 * parts of split bodies. In @pose, @twist and @residual index n_bodies is the ground; frames that
 * drives move follow it. Joints are those of the model, then the rows of other elements: drives,
 * springs, welds of split bodies. */
struct lk_system {
    /* constants */
    const struct lk_formulation *formulation;
    const struct lk_executor *executor; /* of its script, or NULL; see step/executor.h */
    void *formulation_data;
    double h;          /* step [s] */
    double s;          /* h^2 / 4 [s^2] */
    double arm;        /* largest arm of a joint [m]: characteristic length of the mechanism */
    double penalty;    /* of the Euler-parameter form, 0: automatic */
    double unwrapping; /* h / 2: weight of the rates in the prediction of a coordinate; 0 until the
                          start is made */
    int order;         /* 2, or more by extrapolation, see extrapolate.c; then: */
    const struct lk_combination *combination;
    int is_part;        /* a plain step is a part of a whole one: only its motion and works count */
    int takes_massless; /* its formulation handles bodies without inertia */
    int settles;     /* of a sequence: recompute accelerations from the state between sub-steps */
    int n_sequences; /* number of sequences, including this one */
    struct lk_system *sequence[LK_SEQUENCES_MAX - 1]; /* with h/2 and h/3 */
    double project_flops; /* of the linear algebra after the combination of sequences */
    int iterations;
    int n_solves;        /* per step; with it the tree was chosen */
    int leak_always;     /* subtract E lambda from rigid rows in every iteration, not once a step */
    int shows_condition; /* an output shows the violation of accelerations */
    int books_closing;   /* an output shows the work of closing, see lk_one_book_closing() */
    bool rows_are_independent; /* rigid ones, see compile/passes/independence.h: E at round-off */
    bool leaves_laws;     /* the formulation leaves_laws, there are laws, and not closes_dampers */
    bool closes_dampers;  /* a damper may stop a motion within a step, see step/scripts/rattle.h */
    int needs_twists;     /* rows depend on velocities: compliant ones and unwrapped coordinates */
    int gravity_input[3]; /* index of each component in the inputs, or -1 */
    int is_gravity_tuned; /* inputs set a component of gravity */
    double most_gravity;  /* largest magnitude by its input limits [m/s^2], see
                             compile/passes/pulls.h */
    int is_tuned;         /* gravity or the values of a spring follow inputs */
    int n_bodies;
    int n_named_bodies;
    int n_frames;
    int n_joints;
    int n_named_joints;
    int n_coordinates;
    int n_followed; /* joints whose coordinates are unwrapped from step to step */
    int n_rows;
    int n_loads;
    int n_laws;
    int n_terms;
    int n_sways;   /* rods and springs whose tension is followed, see sway.h */
    int n_winds;   /* frictions that wind up */
    int n_signals; /* values that follow inputs, without loads and drives */
    int n_ports;   /* impedances, maps, callbacks: their work is work of inputs */
    int n_shown_ports;
    int n_shown; /* size of lk_state.shown */
    int n_drives;
    int n_tyres;
    int n_lines;
    int n_waves; /* size of lk_state.waves */
    int n_roads;
    int n_own; /* size of lk_state.own */
    int n_inputs;
    int n_thin;          /* bodies without inertia about some axis, see struct lk_quad */
    int n_massless;      /* bodies without mass or without any moment of inertia */
    int starts_balanced; /* the start is a static equilibrium */
    int n_stops;         /* laws with stops */
    int is_redundant;    /* rows depend on others at the start, see LK_DEPENDENT */
    int n_least;         /* number of solves for output multipliers, see step/scripts/rattle.c */
    int n_held;          /* bodies that cannot tilt, outside a plane or rotating in place, see
                            compile/passes/plane.h */
    int n_jumps;         /* inputs that are loads, and laws with stops: forces that may jump */
    int n_outputs;
    int input_size;
    int output_size;
    size_t state_size;   /* doubles of a state block */
    uint64_t model_hash; /* of all words and numbers of its file */
    struct lk_body *body;
    struct lk_inverse_mass *W;  /* of the mass, or of the artificial mass of massless bodies */
    struct lk_inverse_mass *sW; /* h^2 / 4 W, one more than bodies: the ground */
    struct lk_side *side;       /* of all bodies, one body after another */
    int *first_side;            /* n_bodies + 1: index of the first side of each body, */
    int *first_law_side;        /* n_bodies: index of its first compliant side, after rigid ones */
    struct lk_joint *joint;
    double *rigid; /* E of rigid rows, 0 of the others */
    double *scale; /* diagonal of s Phi_q W Phi_q^T at t = 0, of every row */
    int *followed; /* indices of these joints */
    struct lk_load *load;
    struct lk_law *law; /* of each compliant row, see laws.h */
    struct lk_term *term;
    struct lk_cut *cut; /* of each named joint */
    int *hanging;       /* subtrees of joints with omitted rows, each in one range */
    int *hanging_at;    /* index of each body of the system in @hanging, or -1 */
    struct lk_sway *sway;
    double *tables;         /* of laws */
    struct lk_drive *drive; /* see drives.h */
    double *splines;        /* of drives */
    struct lk_tyre *tyre;   /* see tyres.h */
    struct lk_road *road;
    double *profiles; /* of roads */
    char *grids;      /* their indices and tiles */
    struct lk_moving_frame *frame;
    struct lk_input *input;
    struct lk_output *output;
    struct lk_port *port; /* n_shown_ports */
    struct lk_line *line;
    struct lk_net net; /* its blocks */
    struct lk_channel *input_channel;
    struct lk_channel *output_channel;
    char (*body_name)[LK_NAME_SIZE];
    char (*joint_name)[LK_NAME_SIZE];
    char note[LK_NOTE_SIZE];
    struct lk_summary summary;
    struct lk_equilibrium equilibrium;

    /* state */
    struct lk_state now;
    struct lk_state next;
    struct lk_state start;

    /* scratch of a step */
    double gravity[3];            /* of the step [m/s^2] */
    struct lk_progress *progress; /* of its iterations, NULL without a script */
    struct lk_element_work *elements;
    double *regular; /* E of every row: rigid, a small fraction of its diagonal; compliant, of the
                      * step: 1 / (k + 2 c / h) */
    struct lk_inverse_mass *sW_now; /* of the last factor: sW, except in iterations that follow a
                                       tension, see step/elements/tension.h */
    struct lk_fronts fronts;
    struct lk_fronts rigid_fronts; /* of rigid rows alone, if leaves_laws */
    bool laws_are_left;            /* the last factor is rigid_fronts */
    struct lk_pose *pose;          /* n_bodies + 1 + n_frames */
    struct lk_twist *twist;        /* the same size: velocities at the poses */
    struct lk_twist *residual;     /* the same size: g, then s W g */
    struct lk_twist *correction;   /* the same size: Phi_q^T of a solution */
    struct lk_quad *quad;          /* (n_bodies + 3) / 4 */
    struct lk_jacobian *jacobian;  /* at the pose of the last factor */
    double *solution;              /* right-hand side, then solution: n_rows, motions of hubs */
    double *gap;                   /* n_rows, or NULL: see lk_one_find_gaps() */

    struct lk_batches *batches; /* the step on batches, see step/lanes/batch.h; NULL: one by one */
    struct lk_pool *pool;       /* lent by lk_system_set_pool(); NULL: the caller steps alone */
    struct lk_step_cost cost;   /* determines the number of workers */
};

/** lk_time() - return the time of system->now [s]. RT: yes. */
static inline double lk_time(const struct lk_system *sys)
{
    return sys->now.balance->steps * sys->h;
}

/** lk_last_factor() - return the fronts of the last factor. */
static inline const struct lk_fronts *lk_last_factor(const struct lk_system *sys)
{
    return sys->laws_are_left ? &sys->rigid_fronts : &sys->fronts;
}

/** lk_is_on_frame() - return whether the joint connects its body to a frame that drives move. Then
 * the reaction of the joint is the force of the drives. RT: yes. */
static inline bool lk_is_on_frame(const struct lk_system *sys, int joint)
{
    return sys->joint[joint].body[0] > sys->n_bodies;
}

/** lk_steps_by() - whether @sys is stepped by @formulation, one by one or in lanes. */
static inline int lk_steps_by(const struct lk_system *sys, const struct lk_formulation *formulation)
{
    return sys->formulation == formulation || sys->formulation == formulation->in_lanes;
}

/* the poses, twists or sums of all sides of joint @j; unused sides are the ground */
#define LK_SIDES(array, j)                                                                         \
    {                                                                                              \
        &(array)[(j)->body[0]], &(array)[(j)->body[1]], &(array)[(j)->body[2]],                    \
            &(array)[(j)->body[3]], &(array)[(j)->body[4]], &(array)[(j)->body[5]]                 \
    }

/* the same for any joint but a coupling */
#define LK_TWO_SIDES(array, j)                                                                     \
    {                                                                                              \
        &(array)[(j)->body[0]], &(array)[(j)->body[1]]                                             \
    }

#endif
