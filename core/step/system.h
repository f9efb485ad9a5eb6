/* SPDX-License-Identifier: Apache-2.0 */
/* A compiled model: constants, state and scratch, all in one arena.
 *
 * The state lives in two equal blocks of doubles: a step reads `now`, writes `next`, and the two
 * are swapped when the result is finite; a third block keeps the start. Scratch is written anew by
 * every step, but the factor and the Jacobians at the final pose, which the next step begins with.
 */
#ifndef LK_STEP_SYSTEM_H
#define LK_STEP_SYSTEM_H

#include "joints/joint.h"
#include "linkage/linkage.h"
#include "maths/hot.h"
#include "tree/fronts.h"

/** struct lk_body - constants of a body. @inertia: J [kg m^2], body axes. */
struct lk_body {
    double mass;
    double inertia[6];
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
 * @x_old .. @a_old:  the state that the step starts from, a_old with the input jump
 * @u, @turn, @theta: motion within the step: x - x_old [m] world, q_old^-1 q, log(R_old^T R) [rad]
 */
struct lk_quad {
    lk_four mass;
    lk_four inertia[6];
    lk_four x_old[3];
    lk_four q_old[4];
    lk_four v_old[6];
    lk_four a_old[6];
    lk_four u[3];
    lk_four turn[4];
    lk_four theta[3];
};

/** struct lk_load_def - a constant force or torque on a body. */
struct lk_load {
    int body;
    int is_torque;
    int in_body_frame;
    double point[3]; /* from the centre of mass, body axes [m] */
    double vector[3];
};

/** struct lk_spring - a joint spring-damper, for the energy books. */
struct lk_spring {
    int joint;
    double stiffness;
    double damping;
    double rest;
};

/** struct lk_input, struct lk_output - what a channel acts on or shows. */
struct lk_input {
    enum lk_input_type type;
    int joint;
    int offset;
    struct lk_load load;
};

struct lk_output {
    enum lk_output_type type;
    int joint;
    int body;
    int offset;
    double point[3]; /* from the centre of mass, body axes [m] */
};

/** struct lk_books - what is counted along a run; all doubles, part of the state. @steps: done so
 * far, exact up to 2^53. */
struct lk_books {
    double steps;
    double residual_position;
    double residual_velocity;
    double increment;
    double kinetic;
    double potential;
    double work_input;
    double dissipated;
};

/** struct lk_state - one block of doubles and where its parts begin.
 * @lambda:     multipliers of all rows, in the order of elimination [N, N m]
 * @coordinate: of each joint [rad or m], angles wound up over turns;  @rate: its derivative; both
 *              only where the joint needs_coordinate
 * @inputs:     values that act in the step that led here */
struct lk_state {
    double *block;
    struct lk_motion *motion;
    double *lambda;
    double *coordinate;
    double *rate;
    double *inputs;
    struct lk_books *books;
};

struct lk_system;

/** struct lk_formulation - a way to step the same model; one file each, listed in formulations.c.
 * @step: computes system->next from system->now; @inputs: NULL when the model has none. Cycle.
 *        Return: 0, LK_E_TURN; the work is the same. */
struct lk_formulation {
    const char *name;
    LK_RT int (*step)(struct lk_system *system, const double *inputs);
};

extern const struct lk_formulation lk_formulation_ali3;

/** lk_formulation_find() - by name, or NULL. */
const struct lk_formulation *lk_formulation_find(const char *name);

/** struct lk_system - see the top of this file. Index n_bodies stands for the ground in @body, @W,
 * @pose, @twist and @residual. */
struct lk_system {
    /* constants */
    const struct lk_formulation *formulation;
    double h; /* step [s] */
    double s; /* h^2 / 4 [s^2] */
    int iterations;
    double gravity[3];
    int n_bodies;
    int n_joints;
    int n_rows;
    int n_loads;
    int n_springs;
    int n_inputs;
    int n_outputs;
    int input_size;
    int output_size;
    size_t state_size; /* doubles of a state block */
    struct lk_body *body;
    struct lk_inverse_mass *W;
    struct lk_inverse_mass *sW; /* h^2 / 4 W */
    struct lk_side *side;       /* of all bodies, one body after another */
    int *first_side;            /* n_bodies + 1: where those of a body begin */
    struct lk_joint *joint;
    double *regular; /* E of every row: rigid, a small part of its diagonal; compliant,
                      * 1 / (k + 2 c / h) */
    struct lk_load *load;
    struct lk_spring *spring;
    struct lk_input *input;
    struct lk_output *output;
    struct lk_channel *input_channel;
    struct lk_channel *output_channel;
    char (*body_name)[LK_NAME_SIZE];
    char (*joint_name)[LK_NAME_SIZE];
    struct lk_summary summary;

    /* state */
    struct lk_state now;
    struct lk_state next;
    struct lk_state start;

    /* scratch of a step */
    struct lk_fronts fronts;
    struct lk_pose *pose;         /* n_bodies + 1 */
    struct lk_twist *twist;       /* n_bodies + 1: velocities that go with the poses */
    struct lk_twist *residual;    /* n_bodies + 1: g, then s W g */
    struct lk_twist *correction;  /* n_bodies + 1: Phi_q^T of a solution */
    struct lk_quad *quad;         /* (n_bodies + 3) / 4 */
    struct lk_jacobian *jacobian; /* at the pose of the last factor */
    double *solution;             /* n_rows: right-hand side, then solution */
};

/* ---- evaluate.c: kinematics and rows, shared by all formulations. All for the cycle, RT: yes.
 * ---- */

/** lk_evaluate_poses() - system->pose of every body of @state. */
LK_RT void lk_evaluate_poses(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_twists() - system->twist from the velocities of @state. */
LK_RT void lk_evaluate_twists(struct lk_system *system, const struct lk_state *state);
/** lk_evaluate_jacobians() - system->jacobian at the present poses, compliant rows included. */
LK_RT void lk_evaluate_jacobians(struct lk_system *system);
/** lk_evaluate_factor() - factor at the present Jacobians. */
LK_RT void lk_evaluate_factor(struct lk_system *system);
/** lk_evaluate_coordinate() - coordinate of joint @j at the present poses, and its rate at the
 * present twists. An angle is known but for whole turns; the turn is the one nearest to where the
 * trapezoidal rule leads from system->now, so that two bodies may turn against each other by more
 * than half a turn a step. @ret_rate: written. */
LK_RT double lk_evaluate_coordinate(const struct lk_system *system, int j, double *ret_rate);
/** lk_evaluate_coordinate_near() - the same without rate, the turn nearest to @near. */
LK_RT double lk_evaluate_coordinate_near(const struct lk_system *system, int j, double near);
/** lk_evaluate_coordinate_rate() - rate of the coordinate of joint @j at the present twists. */
LK_RT double lk_evaluate_coordinate_rate(const struct lk_system *system, int j);
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

/** lk_project_velocities() - make the velocities of @state fit the joints: sigma from
 * rhs Phi_q v (rigid rows; 0 for compliant ones), v -= s W Phi_q^T sigma, with the last factor.
 * Index-3 DCA paper, mass-orthogonal projection; twists must be those of @state and are updated. */
LK_RT void lk_project_velocities(struct lk_system *system, struct lk_state *state);

/** lk_project_accelerations() - the same for accelerations: kappa from rhs Phi_q a + d2Phi/dt2,
 * a -= s W Phi_q^T kappa, lambda += s kappa, which makes the multipliers converge with order 2. */
LK_RT void lk_project_accelerations(struct lk_system *system, struct lk_state *state);

/* ---- loads.c ---- */

/** lk_loads_subtract() - @sum -= Q of gravity, constant loads and @inputs at the present poses.
 * @inputs: may be NULL. */
LK_RT void lk_loads_subtract(const struct lk_system *system, const double *inputs,
                             struct lk_twist *sum);
/** lk_loads_subtract_applied() - the same without gravity. */
LK_RT void lk_loads_subtract_applied(const struct lk_system *system, const double *inputs,
                                     struct lk_twist *sum);
/** lk_loads_subtract_inputs() - only of the input channels. */
LK_RT void lk_loads_subtract_inputs(const struct lk_system *system, const double *inputs,
                                    struct lk_twist *sum);
/** lk_loads_input_power() - power of @inputs [W] at the present poses and twists. */
LK_RT double lk_loads_input_power(const struct lk_system *system, const double *inputs);
/** lk_loads_damper_power() - power that dampers take out [W]. */
LK_RT double lk_loads_damper_power(const struct lk_system *system);
/** lk_loads_energies() - kinetic and potential energy of @state [J]; the coordinates count. */
LK_RT void lk_loads_energies(const struct lk_system *system, const struct lk_state *state,
                             double *ret_kinetic, double *ret_potential);

/* ---- start.c ---- */

/** lk_start_consistent() - from the drawing in system->now to a start that fits: assemble
 * positions, project velocities, solve accelerations and multipliers. Not for the cycle. Return: 0,
 * LK_E_ASSEMBLY. */
int lk_start_consistent(struct lk_system *system, struct lk_error *ret_error);

/** lk_start_renew() - poses, Jacobians and factor of system->now, as a step leaves them behind;
 * after a reset or a refused step. Cycle, RT: yes. */
LK_RT void lk_start_renew(struct lk_system *system);

/* ---- channels.c: describes channels when a system is compiled ---- */

void lk_channels_describe_input(const struct lk_input_def *def, int offset,
                                struct lk_channel *ret_channel);
void lk_channels_describe_output(const struct lk_output_def *def, enum lk_joint_type joint_type,
                                 int offset, struct lk_channel *ret_channel);

#endif
