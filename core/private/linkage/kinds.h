/* SPDX-License-Identifier: Apache-2.0 */
/* Types of joints, drives and channels that a model file may name, and types that the compiler
 * adds. The reader and the real-time library share no other definitions. */
#ifndef LINKAGE_KINDS_H
#define LINKAGE_KINDS_H

#ifdef __cplusplus
extern "C" {
#endif

/** enum lk_joint_type - types of joints; their rows are in core/rows. Gear and rack couple the
 * coordinates of two other joints, a differential couples the coordinates of three joints. Types
 * from LK_JOINT_IN_FILE on cannot appear in a file; other elements are compiled to them. */
enum lk_joint_type {
    LK_JOINT_REVOLUTE,
    LK_JOINT_SPHERICAL,
    LK_JOINT_PRISMATIC,
    LK_JOINT_FIXED,
    LK_JOINT_CYLINDRICAL,
    LK_JOINT_UNIVERSAL,
    LK_JOINT_PLANAR,
    LK_JOINT_SCREW,
    LK_JOINT_POINT_ON_LINE,
    LK_JOINT_DISTANCE,
    LK_JOINT_CONSTANT_VELOCITY,
    LK_JOINT_CONE_ON_RAIL,
    LK_JOINT_SKATE,
    LK_JOINT_ROLLING,
    LK_JOINT_GEAR,
    LK_JOINT_RACK,
    LK_JOINT_DIFFERENTIAL,
    LK_JOINT_IN_FILE,
    LK_JOINT_BUSHING = LK_JOINT_IN_FILE, /* six rows: shift and turn of the second body */
    LK_JOINT_COORDINATE,                 /* one row: a coordinate of another joint */
    LK_JOINT_CREEP,                      /* two rows: slip of a wheel on its rail */
    LK_JOINT_AIR,                        /* three rows: a point of a body in the air */
    LK_JOINT_TYRE,                       /* six rows: a wheel against a road */
    LK_JOINT_SWAY,                       /* three rows: across a rod under tension */
    LK_JOINT_CONTACT,                    /* three rows: a point of contact of two bodies */
    LK_JOINT_PIN,                        /* this and the types below remain after planar reduction;
                                          * 3 rows: a hinge */
    LK_JOINT_SLIDER,                     /* three rows: a prismatic joint */
    LK_JOINT_PIN_X,                      /* two rows: a hinge about the world's x axis */
    LK_JOINT_PIN_Y,                      /* about the world's y axis */
    LK_JOINT_PIN_Z,                      /* about the world's z axis */
    LK_JOINT_PIVOT,                      /* no rows: a hinge about which a body turns in place */
    LK_JOINT_TYPES
};

#define LK_COORDINATES_MAX 3 /* largest number of coordinates of one joint */
#define LK_COUPLED_MAX     3 /* largest number of joints that a coupling relates */

/** lk_coupled_joints() - return the number of joints that a coupling of type @type relates; 0 for
 * joints between bodies. RT: yes. */
static inline int lk_coupled_joints(enum lk_joint_type type)
{
    return type == LK_JOINT_DIFFERENTIAL                    ? 3
           : type == LK_JOINT_GEAR || type == LK_JOINT_RACK ? 2
                                                            : 0;
}

/** struct lk_joint_traits - properties of a joint type, in rows/traits.c. Shared by reader,
 * compiler and documentation.
 * @name:           as in a model file
 * @n_rows:         scalar constraints, the first @n_length of these are lengths [m], the rest are
 *                  angles
 * @n_coordinates:  coordinates that the joint leaves free and measures
 * @coordinate:     their names; "" when there is only one
 * @is_angle:       bit i: coordinate i is an angle [rad], else a length [m]
 * @n_slips:        nonholonomic rows: the last rows, which are K v = 0 without a value. They leave
 *                  every pose within reach, but not every velocity */
struct lk_joint_traits {
    const char *name;
    int n_rows;
    int n_length;
    int n_coordinates;
    const char *coordinate[LK_COORDINATES_MAX];
    unsigned is_angle;
    int n_slips;
};

extern const struct lk_joint_traits lk_joint_traits[LK_JOINT_TYPES];

/** lk_joint_coordinate_is_angle() - return whether coordinate @i of a type of joint is an
 * angle.
 * RT: yes. */
static inline int lk_joint_coordinate_is_angle(enum lk_joint_type type, int i)
{
    return (lk_joint_traits[type].is_angle >> i) & 1;
}

/** enum lk_contact_kind - shapes of bodies in contact. The order decides which one of a pair is the
 * surface, whose points are those of the other one: see rows/contact.h. */
enum lk_contact_kind {
    LK_CONTACT_HALF_SPACE,
    LK_CONTACT_ROAD,
    LK_CONTACT_BOX,
    LK_CONTACT_PROFILE,
    LK_CONTACT_CYLINDER,
    LK_CONTACT_CAPSULE,
    LK_CONTACT_SPHERE,
    LK_CONTACT_KINDS
};

/** enum lk_drive_type - source of the value of a drive. */
enum lk_drive_type { LK_DRIVE_INPUT, LK_DRIVE_TABLE, LK_DRIVE_HARMONIC, LK_DRIVE_RAMP };

/** enum lk_input_type - target of an input channel, and the members of its definition. */
enum lk_input_type {
    LK_INPUT_JOINT_TORQUE, /* on the second body of a joint, about an angle coordinate, 1
                            * value [N m] */
    LK_INPUT_JOINT_FORCE,  /* on the second body of a joint, along a length coordinate, 1
                            * value [N] */
    LK_INPUT_BODY_FORCE,   /* body, point, frame, 3 values [N] */
    LK_INPUT_BODY_TORQUE,  /* body, frame, 3 values [N m] */
    LK_INPUT_DRIVE,        /* 1 value [rad or m] for drives; is_angle selects the unit */
    LK_INPUT_SIGNAL,       /* 1 value that force elements name: a level [1], a stiffness [N/m] */
    LK_INPUT_GROUND,       /* 5 values: the plane under a tyre, world: a point [m] and slopes [1] */
    LK_INPUT_TYPES
};

/** enum lk_port_value - values of an impedance that a bench sets. The force of the impedance is
 * force - stiffness (x - rest) - damping v. */
enum lk_port_value {
    LK_PORT_FORCE,     /* [N or N m] */
    LK_PORT_STIFFNESS, /* [N/m or N m/rad], >= 0 */
    LK_PORT_DAMPING,   /* [N s/m or N m s/rad], >= 0 */
    LK_PORT_REST,      /* [m or rad] */
    LK_PORT_VALUES
};

/** lk_input_is_load() - return whether an input is itself a force or torque. RT: yes. */
static inline int lk_input_is_load(enum lk_input_type type)
{
    return type < LK_INPUT_DRIVE;
}

/** lk_input_is_along() - return whether an input acts along a coordinate of a joint. RT: yes. */
static inline int lk_input_is_along(enum lk_input_type type)
{
    return type == LK_INPUT_JOINT_TORQUE || type == LK_INPUT_JOINT_FORCE;
}

#define LK_UNIT_SIZE 16 /* bytes of a unit that a model gives, with its terminating zero */

/** enum lk_block_kind - function from the inputs u of a block to its output y. */
enum lk_block_kind {
    LK_BLOCK_LINEAR,     /* z' = a z + b u, y = c z + d u */
    LK_BLOCK_PRODUCT,    /* product of all inputs */
    LK_BLOCK_TABLE,      /* look-up in a table */
    LK_BLOCK_SATURATION, /* input limited to a range */
    LK_BLOCK_DEAD_BAND,  /* part of the input beyond a range */
    LK_BLOCK_DELAY       /* dead time */
};

/** enum lk_net_kind - source of an input of a block: a number, an input of the model, a coordinate
 * of a joint or its rate, or the output of a block. */
enum lk_net_kind { LK_FROM_NUMBER, LK_FROM_INPUT, LK_FROM_SENSOR, LK_FROM_BLOCK };

/** enum lk_output_type - quantity of an output channel. */
enum lk_output_type {
    LK_OUTPUT_JOINT_POSITION,     /* all coordinates of a joint [rad, m] */
    LK_OUTPUT_JOINT_VELOCITY,     /* rates of all coordinates of a joint */
    LK_OUTPUT_JOINT_ACCELERATION, /* second derivatives of these coordinates */
    LK_OUTPUT_JOINT_REACTION,     /* fx fy fz tx ty tz, on the second body, world, at the point */
    LK_OUTPUT_BODY_POSE,          /* x y z qw qx qy qz */
    LK_OUTPUT_BODY_VELOCITY,      /* vx vy vz wx wy wz, world */
    LK_OUTPUT_BODY_ACCELERATION,  /* ax ay az alx aly alz, world */
    LK_OUTPUT_POINT_POSITION,     /* x y z of a point fixed to the body */
    LK_OUTPUT_POINT_VELOCITY,     /* vx vy vz of such a point, world */
    LK_OUTPUT_POINT_ACCELERATION, /* ax ay az of such a point, world */
    LK_OUTPUT_INERTIAL_SENSOR, /* fx fy fz wx wy wz: specific force and angular rate, sensor axes */
    LK_OUTPUT_FORCE,           /* 1 value or several of a force element: see doc/reference */
    LK_OUTPUT_DRIVE_FORCE,     /* force or torque of the drives of a joint */
    LK_OUTPUT_ENERGY,          /* kinetic, potential [J] */
    LK_OUTPUT_WORK,            /* input, dissipated, drive, applied, balance, step, closing [J] */
    LK_OUTPUT_RESIDUAL,        /* position, velocity, increment */
    LK_OUTPUT_CONDITION,       /* pivot, increment, acceleration (violation) */
    LK_OUTPUT_TYRE,            /* fx fy fz mx my mz of a road on a tyre, axes of the contact */
    LK_OUTPUT_TYRE_CONTACT,    /* kappa slope camber deflection x y z: slips and contact point */
    LK_OUTPUT_INPUT,           /* the values of an input that acted in the last step */
    LK_OUTPUT_MOBILITY,        /* inverse effective mass at the point of an input or impedance */
    LK_OUTPUT_PORT_WORK,       /* work of an input or an impedance since the start [J] */
    LK_OUTPUT_BLOCK,           /* output of a block, in its own unit */
    LK_OUTPUT_MODE,            /* coordinate of a mode [kg^0.5 m], and its rate */
    LK_OUTPUT_RECOVERY,        /* stress, strain or load in a modal body, in its own unit */
    LK_OUTPUT_CONTACT,         /* gap normal friction slip residual of a contact */
    LK_OUTPUT_TYPES
};

#ifdef __cplusplus
}
#endif

#endif
