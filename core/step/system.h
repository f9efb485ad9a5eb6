/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled model: constants, state and scratch, all in one arena.
 *
 * The state lives in two equal blocks of doubles: a step reads `now`, writes `next`, and the two
 * are swapped when the result is finite; a third block keeps the start. Every step overwrites the
 * scratch, except that it begins with the last factor and Jacobians, those of the final pose. */
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
#include "step/outputs/reactions.h"

struct lk_carcass; /* step/elements/tyres.h */
struct lk_tyre;
struct lk_road; /* tyre/road.h */

/** struct lk_body - constants of a body. @inertia: J [kg m^2], body axes; both may be zero.
 * @of: index of the body in the model; the @n_parts of a split body share it
 * @hangs_on: see struct lk_topology; no step reads it
 * @is_in_plane: it is held upright: W lets it turn about one axis alone, or not at all, see
 * compile/plane.h */
struct lk_body {
    double mass;
    double inertia[6];
    int of;
    int n_parts;
    int hangs_on;
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
    int line;  /* whose forces are shown, or -1 */
    int input; /* where its values begin; of a port: in lk_state.shown */
    int offset;
    int size;
    int term;
    int n_terms;
    double ahead;      /* [s] */
    double point[3];   /* from the centre of mass, body axes [m] */
    double axes[3][3]; /* of a sensor, body axes */
};

/** struct lk_port - what an output shows of the place where a bench acts. @type: mobility or work
 * @place: the input that acts there, or would;  @law, @term: of an impedance, @law -1: an input
 * @told: where its bench tells its own work in the inputs, or -1
 * @at: of its values in lk_state.shown;  @power: of an input as the step begins [W] */
struct lk_port {
    enum lk_output_type type;
    struct lk_input place;
    int law;
    int term;
    int told;
    int at;
    double power;
};

/** struct lk_line - a transmission line, see lines.c. @force: its element in the model
 * @steps: that a wave is under way;  @law, @term: of both ends;  @at: of its numbers in
 * lk_state.waves */
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
 * @steps: done so far, exact up to 2^53;  @taken: by the step itself, which damps where it follows
 * a tension or closes the damper of an impedance [J];  @closing: put in by what the iterations
 * leave and the closing takes away, where system->books_closing [J] */
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
 * @wind:       wind-up of each friction that holds by it, and the rate at which it slides, see
 * wind_up.c
 * @shown:      of each port that outputs show, see struct lk_port
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
struct lk_prices;

#define LK_SEQUENCES_MAX 3 /* ways to step one interval: in 1, 2 and 3 parts */

/** struct lk_combination - a step of @order from the same step in 1, 2 and 3 parts. @weight: of
 * their results, 0: not needed;  @swing_max: largest phase of an undamped mode in a step [rad] */
struct lk_combination {
    int order;
    double weight[LK_SEQUENCES_MAX];
    double swing_max;
};

/** struct lk_extrapolation - how a formulation reaches a higher order, see extrapolate.c. All for
 * the cycle, RT: yes.
 * @by:     what there is, the lowest order first;  @n_solves: in @finish, beside one factor
 * @iterations: of a part, where the model does not say; 0: as in a plain step
 * @begin:  the scratch of @sequence, whose motion is that of @system, for its first part
 * @settle: between two parts, only if sequence->settles; or NULL
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

/** struct lk_lane_effort - a step on batches with the usual iterations: @n_factors, @n_solves, and
 * @n_phases that its tasks share;  @fields: vectors that a body takes, without those of iterations,
 * and @fields_iteration: of each;  @single: price of a row that is found one by one, see
 * compile/batch/cost.c */
struct lk_lane_effort {
    int n_factors;
    int n_solves;
    int n_phases;
    int fields;
    int fields_iteration;
    double single;
};

/** struct lk_formulation - equations and their step; one file each, listed in methods/registry.c.
 * @step:   computes system->next from system->now; @inputs: NULL when the model has none. Cycle.
 *          Return: 0, LK_E_TURN; the work is the same.
 * @keeps_balance: the step itself computes violations and the energy of the bodies
 * @layout: takes memory for system->formulation_data from @arena, or NULL. Called like
 *          lk_fronts_layout(). Return: 0, -ENOMEM.
 * @prepare: after the start, with the formulation's name as the model has it, or NULL; may
 *          allocate. Return: 0, -ENOMEM, LK_E_MODEL
 * @close:  frees what prepare() allocated, or NULL
 * @own_size: size of lk_state.own for @n_bodies, or NULL
 * @begin:  lk_state.own of system->now from its motion, or NULL: for a state that was not stepped
 * to
 * @renew:  the scratch that a step begins with, from system->now; NULL: lk_start_renew(). RT: yes.
 * @wants_plain: no body is a hub or split, nothing is batched;  @has_no_hubs: no body is a hub
 * @keeps_rows: the iterations have the Jacobian of the start of the step, see compile/carriers.h
 * @stops_at_any_pose: which stops are hard is judged for the poses that a mechanism may take, not
 * for its start
 * @in_lanes: the same step on batches, see step/lanes/batch.h, or NULL;  @effort: of such a one
 * @is_explicit: springs and dampers are applied forces, not rows;  @order: of convergence, 0: as
 *          the options say;  @extrapolation: to more than 2, or NULL
 * @iterations: a step, where the model does not say;
 * @regularisation: E of rigid rows, half of their mean diagonal being 1; 0: as ali3
 * @solves_once: where rigid rows never depend on each other, with E at round-off
 * @leaves_laws: compliant rows are in no factor but that of iterations
 * @laws_are_loads: of one in lanes: rows of laws are no rows there, and act on bodies as loads do
 * @steps_in_plane: what is held upright has no rows for it, and W of its motion alone */
struct lk_formulation {
    const char *name;
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

/** lk_signals_take() - what terms follow of @inputs: scales, values of impedances. RT: yes. */
LK_RT void lk_signals_take(struct lk_system *system, const double *inputs);
/** lk_signals_work() - the work of inputs that become @inputs at the present poses: by so much a
 * spring that gets stiffer, or gravity, stores more at once. RT: yes. */
LK_RT double lk_signals_work(struct lk_system *system, const double *inputs);
/** lk_ports_begin() - powers of shown inputs as a step begins, at the present poses. RT: yes. */
LK_RT void lk_ports_begin(struct lk_system *system, const double *inputs);
/** lk_ports_book() - the work that impedances did in the step to system->next, whose coordinates,
 * poses and twists are known, into its balance, and that of shown ports. RT: yes. */
LK_RT void lk_ports_book(struct lk_system *system, const double *inputs);
/** lk_ports_gap() - the largest difference of a port's work from what its bench told [J]. RT: yes.
 */
LK_RT double lk_ports_gap(const struct lk_system *system);
/** lk_ports_show() - mobilities at the present poses, with the factor that belongs to them, into
 * @state: a unit of force at a port gives its place the acceleration Q^T (W - W Phi_q^T (Phi_q W
 * Phi_q^T)^-1 Phi_q W) Q. Springs and dampers have no say in that, and stops that do not push.
 * One solve for each, two where rows may depend on each other. RT: yes. */
LK_RT void lk_ports_show(struct lk_system *system, struct lk_state *state);
/** lk_wind_up_refer() - frictions that wind up go on from the coordinates of @state. RT: yes. */
LK_RT void lk_wind_up_refer(struct lk_system *system, const struct lk_state *state);
/** lk_wind_up_settle() - the wind-up in system->now follows its coordinates, at rest. RT: yes. */
LK_RT void lk_wind_up_settle(struct lk_system *system);
/** lk_wind_up_keep() - system->next gets their wind-up after the step, and the balance the work
 * that they took; then lk_wind_up_refer(). RT: yes. */
LK_RT void lk_wind_up_keep(struct lk_system *system);

/** lk_lines_take() - the waves that reach both ends of all lines in the step from system->now. RT:
 * yes. */
LK_RT void lk_lines_take(struct lk_system *system);
/** lk_lines_keep() - system->next, whose coordinates are known, gets what its step has sent. RT:
 * yes. */
LK_RT void lk_lines_keep(struct lk_system *system);
/** lk_lines_energy() - of what is under way in all lines of @state [J]. RT: yes. */
LK_RT double lk_lines_energy(const struct lk_system *system, const struct lk_state *state);
/** lk_lines_force() - along the coordinate of an end, mean of the last step [N, N m]. RT: yes. */
LK_RT double lk_lines_force(const struct lk_system *system, const struct lk_line *line, int end);

/** lk_step_swap() - system->next becomes system->now. RT: yes. */
LK_RT void lk_step_swap(struct lk_system *system);

/* smallest pivot at the start, of the scale of its row, that is not taken for that of a dependent
 * row; and below which a pose is near a singular one */
#define LK_DEPENDENT       1e-5
#define LK_NEARLY_SINGULAR 1e-3

/** struct lk_system - see the top of this file. Bodies are those of the model, then the additional
 * parts of split bodies. In @pose, @twist and @residual index n_bodies is the ground; frames that
 * drives move follow it. Joints are those of the model, then the rows of other elements: drives,
 * springs, welds of split bodies. */
struct lk_system {
    /* constants */
    const struct lk_formulation *formulation;
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
    int n_sequences; /* with this one */
    struct lk_system *sequence[LK_SEQUENCES_MAX - 1]; /* with h/2 and h/3 */
    double project_flops; /* of the linear algebra after sequences are combined */
    int iterations;
    int n_solves;        /* per step; with it the tree was chosen */
    int leak_always;     /* subtract E lambda from rigid rows in every iteration, not once a step */
    int shows_condition; /* an output shows the violation of accelerations */
    int books_closing;   /* an output shows its work, see lk_rattle_book_closing() */
    bool rows_are_independent; /* rigid ones, see compile/independence.h: E at round-off */
    bool leaves_laws;          /* as its formulation, where it has laws and none closes_dampers */
    bool closes_dampers; /* a damper may stop a motion within a step, see step/scripts/rattle.h */
    int needs_twists;    /* rows depend on velocities: compliant ones and unwrapped coordinates */
    double gravity[3];
    int gravity_input[3]; /* where each entry is in the inputs, or -1 */
    int is_gravity_tuned; /* one of them is there */
    double most_gravity;  /* [m/s^2] that inputs may make of it, and @most_pull: what may pull in a
                           * joint [N], see compile/pulls.h */
    double most_pull;
    int is_tuned; /* that, or a spring follows inputs */
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
    int n_signals; /* what follows inputs beside loads and drives */
    int n_ports;   /* impedances */
    int n_shown_ports;
    int n_shown; /* values of them */
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
    int n_least;         /* solves of lk_evaluate_least() */
    int n_held;          /* bodies held upright in no plane or in place, see compile/plane.h */
    int n_jumps;         /* inputs that are loads, and laws with stops: forces that may jump */
    int n_outputs;
    int input_size;
    int output_size;
    size_t state_size;   /* doubles of a state block */
    uint64_t model_hash; /* of all words and numbers of its file */
    struct lk_body *body;
    struct lk_inverse_mass *W;  /* of the mass, or of the artificial mass of massless bodies */
    struct lk_inverse_mass *sW; /* h^2 / 4 W */
    struct lk_side *side;       /* of all bodies, one body after another */
    int *first_side;            /* n_bodies + 1: index of the first side of each body, */
    int *first_law_side;        /* n_bodies: and of its first one that follows laws, after others */
    struct lk_joint *joint;
    double *regular; /* E of every row: rigid, a small fraction of its diagonal; compliant,
                      * 1 / (k + 2 c / h) */
    double *rigid;   /* E of rigid rows, 0 of the others */
    double *scale;   /* diagonal of s Phi_q W Phi_q^T at t = 0, of every row */
    int *followed;   /* indices of these joints */
    struct lk_load *load;
    struct lk_law *law; /* of each compliant row, see laws.h */
    struct lk_term *term;
    struct lk_cut *cut; /* of each named joint */
    int *hanging;    /* bodies that hang on joints which lack rows, what hangs on one behind it */
    int *hanging_at; /* where each body of the system is among them, or -1 */
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
    double *port_rows; /* scratch of mobilities, n_rows */
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
    struct lk_fronts fronts;
    struct lk_fronts rigid_fronts; /* of rigid rows alone, where a step leaves_laws */
    bool laws_are_left;            /* the last factor is of these */
    struct lk_pose *pose;          /* n_bodies + 1 + n_frames */
    struct lk_twist *twist;        /* the same: velocities that go with the poses */
    struct lk_twist *residual;     /* the same: g, then s W g */
    struct lk_twist *correction;   /* the same: Phi_q^T of a solution */
    struct lk_quad *quad;          /* (n_bodies + 3) / 4 */
    struct lk_jacobian *jacobian;  /* at the pose of the last factor */
    double *solution;              /* right-hand side, then solution: n_rows, motions of hubs */
    double *gap;                   /* n_rows, or NULL: see lk_rattle_find_gaps() */

    struct lk_batches *batches; /* the step on batches, see step/lanes/batch.h; NULL: one by one */
    struct lk_pool *pool;       /* lent by lk_system_set_pool(); NULL: the caller steps alone */
    const struct lk_prices *prices; /* cost model that chooses engine and workers */
    char prices_name[64];
    struct lk_step_cost cost; /* from which the number of workers is chosen */
    lk_probe probe;           /* of lk_system_set_probe(), or NULL */
    void *probe_context;
};

/** lk_last_factor() - the fronts of it. */
static inline const struct lk_fronts *lk_last_factor(const struct lk_system *sys)
{
    return sys->laws_are_left ? &sys->rigid_fronts : &sys->fronts;
}

/** lk_is_on_frame() - whether a frame that drives move carries a joint's second body: then the
 * reaction of the joint is what the drives do. RT: yes. */
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

/* ---- evaluate.c: kinematics and rows, shared by all formulations. All for the cycle, RT: yes.
 * ---- */

/** lk_evaluate_poses() - system->pose of every body of @state. */
LK_RT void lk_evaluate_poses(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_pose_of() - pose of one body, of the ground or of a frame in system->now; valid also
 * where batches leave the bodies' system->pose stale. */
LK_RT void lk_evaluate_pose_of(const struct lk_system *system, int body, struct lk_pose *ret);
/** lk_evaluate_twists() - system->twist from the velocities of @state. */
LK_RT void lk_evaluate_twists(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_jacobians() - system->jacobian at the current poses. */
LK_RT void lk_evaluate_jacobians(struct lk_system *system);
/** lk_evaluate_factor() - factor at the current Jacobians. */
LK_RT void lk_evaluate_factor(struct lk_system *system);
/** lk_evaluate_rigid_factor() - factor of rigid rows alone at the current Jacobians, if @system
 * leaves_laws; otherwise of all rows. Until the next factor right-hand sides of the others are to
 * be 0, and their solution is. */
LK_RT void lk_evaluate_rigid_factor(struct lk_system *system);
/** lk_evaluate_rigid() - Jacobians of the same rows, then lk_evaluate_rigid_factor(). */
LK_RT void lk_evaluate_rigid(struct lk_system *system);
/** lk_evaluate_solve() - solve with the last factor, in place, all rows; @x: system->solution. */
LK_RT void lk_evaluate_solve(struct lk_system *system, double *x);
/** lk_evaluate_violation() - Phi of all rows of joint @j at the current poses: coordinates of
 * coupled and driven joints are unwrapped, and u(t) of a drive is subtracted. Compliant rows give
 * their deflection; their law is not evaluated. @ret has LK_ROWS_MAX. */
LK_RT void lk_evaluate_violation(const struct lk_system *system, int j, double *ret);
/** lk_evaluate_gamma() - gamma of the rows of joint @j, less the second derivative of u(t) of a
 * drive. */
LK_RT void lk_evaluate_gamma(const struct lk_system *system, int j, double *ret);
/** lk_evaluate_coordinate() - coordinate @which of @joint at the current poses, and its rate at the
 * current twists. Poses give an angle modulo 2 pi; it is unwrapped to the value nearest to the
 * trapezoidal prediction from system->now, so that two bodies may turn against each other by more
 * than half a turn a step. @ret_rate: written. */
LK_RT double lk_evaluate_coordinate(const struct lk_system *system, const struct lk_joint *joint,
                                    int which, double *ret_rate);
/** lk_evaluate_coordinate_near() - the same without rate, unwrapped to the value nearest @near. */
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
/** lk_evaluate_weigh() - @sum := @W @sum, forces on all bodies, which are 0 on moving frames. */
LK_RT void lk_evaluate_weigh(const struct lk_system *system, const struct lk_inverse_mass *W,
                             struct lk_twist *sum);
/** lk_evaluate_reduce() - system->solution -= Phi_q (system->residual), all rows of the last
 * factor: the right-hand side loses what s W g does to the rows. */
LK_RT void lk_evaluate_reduce(struct lk_system *system);
/** lk_evaluate_transpose() - Phi_q^T @lambda of every body; @lambda: of a state, or the solution.
 * Reads up to LK_ROWS_PAD values beyond the last row. */
LK_RT void lk_evaluate_transpose(const struct lk_system *system, const double *lambda,
                                 struct lk_twist *ret);
/** lk_evaluate_law_forces() - the same where multipliers of rigid rows are 0, which it does not
 * read. */
LK_RT void lk_evaluate_law_forces(const struct lk_system *system, const double *lambda,
                                  struct lk_twist *ret);

/** lk_evaluate_correction() - solve with the right-hand side in system->solution, then
 * system->correction = s W Phi_q^T solution. */
LK_RT void lk_evaluate_correction(struct lk_system *system);
/** lk_evaluate_spread() - the second half of that: system->solution holds the solution. */
LK_RT void lk_evaluate_spread(struct lk_system *system);

/** lk_evaluate_refined() - lk_evaluate_correction() almost without E: (E + A) x = b, then (E + A)
 * x' = E x, and the sum of both; x alone where rows are independent, with their E at round-off.
 * @scratch: n_rows. */
LK_RT void lk_evaluate_refined(struct lk_system *system, double *scratch);

#define LK_LEAST_SOLVES 3 /* where rows are redundant */

/** lk_evaluate_least() - the same for multipliers that are shown, from system->n_least solves. Each
 * further solve of E x makes its part smaller by q = E / (E + what moves): the sum of n is wrong by
 * q^n, so that a start near a singular pose takes four. Round-off that contradicts itself in
 * redundant rows is divided by E, 1e-5 of the reactions of a loop 10 km from the origin, and has q
 * = 1: there the sum of two less twice the third is without it, and wrong by 3 q^2. */
LK_RT void lk_evaluate_least(struct lk_system *system, double *scratch);

/** lk_evaluate_velocity_violation() - dPhi/dt of rigid rows at the present twists into
 * system->solution; 0 for compliant rows but those of stops that are hit. */
LK_RT void lk_evaluate_velocity_violation(struct lk_system *system);

/** lk_evaluate_clear_frames() - zero for ground and frames in an array of n_bodies + 1 + n_frames.
 */
LK_RT void lk_evaluate_clear_frames(const struct lk_system *system, struct lk_twist *array);

/** lk_restitution() - the fraction of a bounce, 0 to 1, at which the energy does not exceed that of
 * the last step and the @work done since [J]. The bounce is @sign times system->correction, a
 * change of the velocities of @state that gives stops their rates; the coordinates of @state match
 * its poses. */
LK_RT double lk_restitution(const struct lk_system *system, double sign,
                            const struct lk_state *state, double work);

/** lk_bounce() - restitution of impacts, after the projection of velocities: adds the rates of all
 * stops that are hit, scaled down together where the energy would exceed that of the last step. */
LK_RT void lk_bounce(struct lk_system *system, struct lk_state *state);

/** lk_bounce_back() - the same with what the rates change of velocities in system->correction. */
LK_RT void lk_bounce_back(struct lk_system *system, struct lk_state *state);

/** lk_project_positions() - project the positions of system->next onto the rigid rows with the last
 * factor, whose pose may be another one: a Newton iteration, sigma from rhs Phi, dq = -s W Phi_q^T
 * sigma (0 for compliant rows). Return: largest component of dq [m, rad]. RT: yes. */
LK_RT double lk_project_positions(struct lk_system *system);

/** lk_project_velocities() - project the velocities of @state onto the joints: sigma from
 * rhs dPhi/dt (rigid rows; 0 for compliant ones), v -= s W Phi_q^T sigma, with the last factor.
 * Index-3 DCA paper, mass-orthogonal projection; twists must be those of @state and are updated. */
LK_RT void lk_project_velocities(struct lk_system *system, struct lk_state *state);

/** lk_evaluate_accelerations() - those of all bodies in @state, and of frames, into
 * system->residual. RT: yes. */
LK_RT void lk_evaluate_accelerations(struct lk_system *system, const struct lk_state *state);

/** lk_project_accelerations() - the same for accelerations: kappa from rhs Phi_q a + d2Phi/dt2,
 * a -= s W Phi_q^T kappa, lambda += s kappa, which makes the multipliers converge with order 2.
 * @jump: W dQ of loads that have just jumped, n_bodies + 1 + n_frames, or NULL; see
 * lk_evaluate_acceleration_violation() */
LK_RT void lk_project_accelerations(struct lk_system *system, struct lk_state *state,
                                    const struct lk_twist *jump);

/** lk_project_contradictions() - completes lk_project_accelerations() where rows are redundant and
 * the pose lies off the joints, so that these rows contradict each other: the solution becomes y +
 * S E y - 2 (S E)^2 y, as in lk_evaluate_least(). */
LK_RT void lk_project_contradictions(struct lk_system *system, struct lk_state *state);

/** lk_evaluate_acceleration_violation() - Phi_q a + d2Phi/dt2 of rigid rows into system->solution,
 * with the accelerations of @state. Compliant rows: 0, or Phi_q @jump, so that rows that are stiff
 * for the step carry a jump of the loads at once, like rigid ones, and soft rows do not. */
LK_RT void lk_evaluate_acceleration_violation(struct lk_system *system,
                                              const struct lk_state *state,
                                              const struct lk_twist *jump);

/* ---- loads.c ---- */

/** lk_loads_wrench() - force and torque of @vector, which acts as a load or input does, in the six
 * directions of its body, whose axes are @R: world, body axes. RT: yes. */
LK_RT void lk_loads_wrench(const struct lk_load *load, const double R[9], const double vector[3],
                           struct lk_twist *ret);
/** lk_loads_along() - the same of one newton (metre) along coordinate @which of a joint, on both
 * its bodies, which are at @pose. RT: yes. */
LK_RT void lk_loads_along(const struct lk_joint *joint, const struct lk_pose *const *pose,
                          int which, struct lk_twist ret[2]);
/** lk_loads_scale() - factor on the vector of a load at time @t [s]. RT: yes. */
LK_RT double lk_loads_scale(const struct lk_load *load, double t);

/** lk_loads_subtract() - @sum -= Q of gravity, loads at time @t [s] and @inputs at the current
 * poses.
 * @inputs: may be NULL. */
LK_RT void lk_loads_subtract(const struct lk_system *system, double t, const double *inputs,
                             struct lk_twist *sum);
/** lk_loads_subtract_applied() - the same without gravity. */
LK_RT void lk_loads_subtract_applied(const struct lk_system *system, double t, const double *inputs,
                                     struct lk_twist *sum);

/** lk_loads_subtract_input() - @sum -= Q of @value of an input that is a load. RT: yes. */
LK_RT void lk_loads_subtract_input(const struct lk_system *system, const struct lk_input *in,
                                   const double *value, struct lk_twist *sum);
/** lk_loads_input_power() - what @value of such an input does at @twist [W]. RT: yes. */
LK_RT double lk_loads_input_power(const struct lk_system *system, const struct lk_input *in,
                                  const double *value, const struct lk_twist *twist);

/** lk_loads_subtract_jumps() - @sum -= dQ of the jump of the inputs as a step begins; system->next
 * holds the new ones before and after. */
LK_RT void lk_loads_subtract_jumps(struct lk_system *system, const double *inputs,
                                   struct lk_twist *sum);

/** lk_loads_stop_force() - share of the stops in the multiplier of the row of @law in system->now;
 * poses and twists are those of system->now. */
LK_RT double lk_loads_stop_force(const struct lk_system *system, const struct lk_law *law);

/** lk_loads_subtract_stops() - remove forces of stops as the step begins: @sum -= their Q, and
 * their multipliers are subtracted from those of system->next.
 * @leaving: 0: of all stops; 1: of those whose contact ends, less the fraction lk_stop.keep; after
 *           lk_loads_decide_stops() */
LK_RT void lk_loads_subtract_stops(struct lk_system *system, int leaving, struct lk_twist *sum);

/** lk_loads_decide_stops() - decide the state of every stop in the step, from the accelerations
 * without stops in system->next, and E of their rows for the step.
 * @again: the accelerations include the active stops; only the others are decided anew, as one
 *         stop may press a coordinate against another */
LK_RT void lk_loads_decide_stops(struct lk_system *system, int again);

/** lk_loads_release_stops() - E of rows with stops, computed without the stops at the current poses
 * and twists; with @keep_impacts that of rigid rows where stops are hit, for the projections. */
LK_RT void lk_loads_release_stops(struct lk_system *system, int keep_impacts);

/** lk_loads_slide() - E of rows with friction that creeps, for the projections: with its slope at
 * the current poses and twists. That of the iterations follows from a prediction; what slides would
 * be held by it. */
LK_RT void lk_loads_slide(struct lk_system *system);

/** lk_loads_hold_stop() - E of the row of a hard stop that is hit: as of a rigid row. */
LK_RT void lk_loads_hold_stop(struct lk_system *system, const struct lk_law *law);

/** struct lk_law_powers - of the laws of compliant rows [W]: what they dissipate, and what moving
 * surroundings bring: the force of a row times their motion */
struct lk_law_powers {
    double damping;
    double carried;
};

/** lk_loads_law_multipliers() - multipliers of compliant rows by their laws, at the current poses
 * and twists with the coordinates of @state, into @lambda. @stops_act: those of hard stops, too.
 * Return: powers of the laws. */
LK_RT struct lk_law_powers lk_loads_law_multipliers(const struct lk_system *system,
                                                    const struct lk_state *state, int stops_act,
                                                    double *lambda);

/** lk_loads_accelerate() - multipliers of compliant rows by their laws into @state, then its
 * accelerations without joints, a = W (Q - gyroscopic - Phi_q^T lambda) with all multipliers as
 * they are, loads at time @t [s]. Where there is no inertia, accelerations do not follow from
 * forces and stay unchanged. Return: powers of the laws at these poses and twists. */
LK_RT struct lk_law_powers lk_loads_accelerate(struct lk_system *system, struct lk_state *state,
                                               double t, const double *inputs);

/** struct lk_powers - power into a mechanism [W] from @input channels, from @drive, and from
 * @applied loads without a potential and moving rails; @damping: power dissipated by the laws of
 * compliant rows. */
struct lk_powers {
    double input;
    double drive;
    double applied;
    double damping;
};

/** lk_loads_law_place() - value and rate of the row of @law at the current poses and twists, with
 * the coordinates of @state. RT: yes. */
LK_RT double lk_loads_law_place(const struct lk_system *system, const struct lk_state *state,
                                const struct lk_law *law, double *ret_rate);

/** lk_loads_powers() - at the current poses and twists, with multipliers and coordinates of @state,
 * at time @t [s].  lk_loads_powers_with() - the same where those of @laws are known. */
LK_RT void lk_loads_powers(const struct lk_system *system, const struct lk_state *state, double t,
                           const double *inputs, struct lk_powers *ret);
LK_RT void lk_loads_powers_with(const struct lk_system *system, const struct lk_state *state,
                                double t, const double *inputs, const struct lk_law_powers *laws,
                                struct lk_powers *ret);
/** lk_loads_drive_power() - power of the drives [W]. RT: yes. */
LK_RT double lk_loads_drive_power(const struct lk_system *system, const struct lk_state *state);
/** lk_loads_impacts() - whether a hard stop was hit or left in the step. RT: yes. */
LK_RT int lk_loads_impacts(const struct lk_system *system);
/** lk_loads_potential() - potential energy of the laws and loads in @state [J]. */
LK_RT double lk_loads_potential(const struct lk_system *system, const struct lk_state *state);
/** lk_loads_energies() - kinetic and potential energy of @state [J]; reads its coordinates. */
LK_RT void lk_loads_energies(const struct lk_system *system, const struct lk_state *state,
                             double *ret_kinetic, double *ret_potential);

/* ---- step.c ---- */

/** lk_keep_coordinates() - coordinates and rates of system->next at the current poses and twists.
 * Cycle, RT: yes. */
LK_RT void lk_keep_coordinates(struct lk_system *system);

/** lk_step_inputs_are_finite() - of all input channels. RT: yes. */
LK_RT bool lk_step_inputs_are_finite(const struct lk_system *system, const double *inputs);
/** lk_step_begin() - what a step of any formulation begins with: system->next, signals, powers at
 * its start into @before.  lk_step_end() - what it ends with: coordinates, energies, whether the
 * new state is finite. @result: of the formulation. Return: @result, or LK_E_NOT_FINITE. Cycle, RT:
 * yes. */
LK_RT void lk_step_begin(struct lk_system *system, const double *inputs, struct lk_powers *before);
LK_RT int lk_step_end(struct lk_system *system, const double *inputs,
                      const struct lk_powers *before, int result);

/** lk_step_account() - coordinates, residuals and energies of an extrapolated step, in
 * system->next. Cycle, RT: yes. Return: 0, LK_E_NOT_FINITE. */
LK_RT int lk_step_account(struct lk_system *system);

/** lk_start_begin() - what a formulation keeps in a state besides its motion, for one that was not
 * stepped to; then lk_start_resume(). RT: yes. */
LK_RT void lk_start_begin(struct lk_system *system);

/** lk_start_resume() - restore the scratch that a step begins with from system->now, batched or
 * not: after a start, a reset or a refused step. Cycle, RT: yes. */
LK_RT void lk_start_resume(struct lk_system *system);

/** lk_start_renew() - the same for a step that is not batched: poses, twists, drives, Jacobians and
 * factor of system->now. Cycle, RT: yes. */
LK_RT void lk_start_renew(struct lk_system *system);

/** lk_start_hold_upright() - W M t, what a body @b that is held upright keeps of the given twist
 * @twist, as rows would leave it that are not there, see compile/plane.h. Thread: any but the
 * cycle.
 */
void lk_start_hold_upright(const struct lk_system *system, int b, struct lk_twist *twist);

/** lk_start_take_tangents() - E of compliant rows from the tangents in system->now. Cycle, RT: yes.
 */
LK_RT void lk_start_take_tangents(struct lk_system *system);

/** lk_system_decouple_laws() - after the start: compliant rows become applied forces, decoupled
 * from the factor. Not for the cycle. */
void lk_system_decouple_laws(struct lk_system *system);

#endif
