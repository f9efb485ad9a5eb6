/* SPDX-License-Identifier: Apache-2.0 */
/* What a model file says, checked and in SI, before anything is compiled.
 *
 * Written by core/model (one reader a section), read by core/step when a system is compiled.
 * Bodies, joints and channels are referred to by index; LK_GROUND stands for the world. */
#ifndef LK_MODEL_MODEL_H
#define LK_MODEL_MODEL_H

#include "linkage/linkage.h"

#define LK_GROUND (-1)

/** struct lk_body_def - a rigid body as drawn at t = 0.
 * @mass:             [kg], > 0
 * @inertia:          Ixx Iyy Izz Ixy Ixz Iyz [kg m^2] about the centre of mass, body axes; positive
 *                    definite and within the triangle inequality
 * @position:         centre of mass [m], world
 * @orientation:      unit quaternion, body to world
 * @velocity:         of the centre of mass [m/s], world
 * @angular_velocity: [rad/s], WORLD axes, as in the file */
struct lk_body_def {
    char name[LK_NAME_SIZE];
    double mass;
    double inertia[6];
    double position[3];
    double orientation[4];
    double velocity[3];
    double angular_velocity[3];
};

/** enum lk_joint_type - one file a type in core/joints. */
enum lk_joint_type {
    LK_JOINT_REVOLUTE,
    LK_JOINT_SPHERICAL,
    LK_JOINT_PRISMATIC,
    LK_JOINT_FIXED,
    LK_JOINT_TYPES
};

/** struct lk_joint_def - a joint as drawn at t = 0.
 * @body:       first and second body, or LK_GROUND (not both)
 * @point:      the joint's point as drawn on the first and on the second body [m], world; equal
 *              unless the file gives `points`
 * @axis:       unit vector as drawn on each body, world; used by revolute and prismatic
 * @coordinate: value of the joint's coordinate in the drawing [rad or m]; 0 unless given */
struct lk_joint_def {
    char name[LK_NAME_SIZE];
    enum lk_joint_type type;
    int body[2];
    double point[2][3];
    double axis[2][3];
    double coordinate;
};

enum lk_frame { LK_FRAME_WORLD, LK_FRAME_BODY };

/** enum lk_force_type - force elements other than gravity and inputs. */
enum lk_force_type {
    LK_FORCE_JOINT_SPRING_DAMPER, /* joint, stiffness, damping, rest */
    LK_FORCE_CONSTANT_FORCE,      /* body, point, vector, frame */
    LK_FORCE_CONSTANT_TORQUE,     /* body, vector, frame */
    LK_FORCE_TYPES
};

/** struct lk_force_def - a force element; which members count depends on the type, see above.
 * @stiffness: [N m/rad or N/m], >= 0;  @damping: [N m s/rad or N s/m], >= 0
 * @rest:      joint coordinate without spring force [rad or m]
 * @point:     where a force acts, as drawn, world [m];  @vector: [N or N m] in @frame */
struct lk_force_def {
    char name[LK_NAME_SIZE];
    enum lk_force_type type;
    int joint;
    int body;
    double stiffness;
    double damping;
    double rest;
    double point[3];
    double vector[3];
    enum lk_frame frame;
};

enum lk_input_type {
    LK_INPUT_JOINT_TORQUE, /* revolute joint, 1 value [N m], acts on the second body about the axis
                            */
    LK_INPUT_JOINT_FORCE, /* prismatic joint, 1 value [N], acts on the second body along the axis */
    LK_INPUT_BODY_FORCE,  /* body, point, frame, 3 values [N] */
    LK_INPUT_BODY_TORQUE, /* body, frame, 3 values [N m] */
    LK_INPUT_TYPES
};

/** struct lk_input_def - an input channel; members as in struct lk_force_def. */
struct lk_input_def {
    char name[LK_NAME_SIZE];
    enum lk_input_type type;
    int joint;
    int body;
    double point[3];
    enum lk_frame frame;
};

enum lk_output_type {
    LK_OUTPUT_JOINT_POSITION, /* revolute [rad], prismatic [m] */
    LK_OUTPUT_JOINT_VELOCITY, /* revolute [rad/s], prismatic [m/s] */
    LK_OUTPUT_JOINT_REACTION, /* fx fy fz tx ty tz, on the second body, world, at the point */
    LK_OUTPUT_BODY_POSE,      /* x y z qw qx qy qz */
    LK_OUTPUT_BODY_VELOCITY,  /* vx vy vz wx wy wz, world */
    LK_OUTPUT_POINT_POSITION, /* x y z of a point fixed to the body */
    LK_OUTPUT_POINT_VELOCITY, /* vx vy vz of that point, world */
    LK_OUTPUT_ENERGY,         /* kinetic, potential [J] */
    LK_OUTPUT_WORK,           /* input, dissipated [J], since the start */
    LK_OUTPUT_RESIDUAL,       /* position, velocity, increment */
    LK_OUTPUT_TYPES
};

/** struct lk_output_def - an output channel; @point is where the point is at t = 0, world [m]. */
struct lk_output_def {
    char name[LK_NAME_SIZE];
    enum lk_output_type type;
    int joint;
    int body;
    double point[3];
};

/** struct lk_solver_def - the `solver` section. @formulation is "ali3"; @step in [1e-6, 0.1] s;
 * @iterations 1 to 20. */
struct lk_solver_def {
    char formulation[LK_NAME_SIZE];
    double step;
    int iterations;
};

/** struct lk_model - all sections, each in the order of the file. */
struct lk_model {
    char name[LK_NAME_SIZE];
    double gravity[3]; /* [m/s^2], world */
    struct lk_body_def *bodies;
    struct lk_joint_def *joints;
    struct lk_force_def *forces;
    struct lk_input_def *inputs;
    struct lk_output_def *outputs;
    int n_bodies;
    int n_joints;
    int n_forces;
    int n_inputs;
    int n_outputs;
    struct lk_solver_def solver;
};

#endif
