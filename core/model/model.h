/* SPDX-License-Identifier: Apache-2.0 */
/* A model as read from its file: checked, in SI units, not yet compiled.
 *
 * core/model writes it (one reader per section), core/compile reads it.
 * Bodies, joints and channels are referred to by index; LK_GROUND is the world. */
#ifndef LK_MODEL_MODEL_H
#define LK_MODEL_MODEL_H

#include "linkage/kinds.h"
#include "linkage/linkage.h"
#include "linkage/parameters.h"
#include "linkage/scene.h"
#include "model/road_file.h"
#include "tyre/road.h"
#include "tyre/tyre.h"

#define LK_GROUND (-1)

/** enum lk_body_kind - MODAL: a body with modes;  NODE: a node of such a body, without mass of its
 * own: it moves with the body and its modes. */
enum lk_body_kind { LK_BODY_RIGID, LK_BODY_MODAL, LK_BODY_NODE };

/** struct lk_body_def - a body in its initial configuration.
 * @mass:             [kg], >= 0
 * @inertia:          Ixx Iyy Izz Ixy Ixz Iyz [kg m^2] about the centre of mass, body axes;
 * principal moments >= 0 and within the triangle inequality
 * @position:         centre of mass [m], world
 * @orientation:      unit quaternion, body to world
 * @velocity:         of the centre of mass [m/s], world
 * @angular_velocity: [rad/s], WORLD axes, as in the file
 * @modal: index of its modes;  @node: index of the node among those of the modal body */
struct lk_body_def {
    char name[LK_NAME_SIZE];
    double mass;
    double inertia[6];
    double position[3];
    double orientation[4];
    double velocity[3];
    double angular_velocity[3];
    enum lk_body_kind kind;
    int modal;
    int node;
};

/** struct lk_modal_pair - derivatives with respect to the coordinates of two modes. @k, @l: the
 * modes, k <= l;  @value: of the body: J2 (xx yy zz xy xz yz) and beta; of a node: displacement and
 * rotation */
struct lk_modal_pair {
    int k;
    int l;
    double value[9];
};

/** struct lk_modal_node_def - a node of a modal body. @body: index of the body that stands for it
 * @place: from the centre of mass [m], body axes
 * @shape: six values for each mode: displacement and rotation of the node for a unit coordinate
 * @pair:  their second derivatives */
struct lk_modal_node_def {
    int body;
    double place[3];
    double (*shape)[6];
    struct lk_modal_pair *pair;
    int n_pairs;
};

/** struct lk_recovery_def - a quantity that is linear in the coordinates of the modes, such as the
 * strain of a gauge.
 * @rows:  1, or 6: components xx yy zz xy xz yz of a stress
 * @value: @rows rows of a value for each mode, in @unit per unit of the coordinate */
struct lk_recovery_def {
    char name[LK_NAME_SIZE];
    char unit[LK_UNIT_SIZE];
    int rows;
    double *value;
};

/** struct lk_modal_def - modes of a body. With coordinates q, S of a point and u0 its place, the
 * point is at R (u0 + S q + u2 / 2), with u2 quadratic in q, in the axes of the body at its centre
 * of mass; the modes are those of the free body, of unit modal mass.
 * @body:    index of the body;  @n: number of modes
 * @omega:   angular frequency [rad/s];  @ratio: damping, of the critical one
 * @first:   derivatives of the inertia (xx yy zz xy xz yz)
 * @pair:    its second derivatives J2, and beta = int dm S_k x S_l */
struct lk_modal_def {
    int body;
    int n;
    double *omega;
    double *ratio;
    double (*first)[6];
    struct lk_modal_pair *pair;
    int n_pairs;
    struct lk_modal_node_def *node;
    int n_nodes;
    struct lk_recovery_def *recovery;
    int n_recoveries;
};

/** struct lk_table - a tabulated function. @n: points, >= 2;  @x: ascending;  @y: values. */
struct lk_table {
    int n;
    double *x;
    double *y;
};

/** struct lk_compliance - stiffness [N/m, N m/rad] and damping [N s/m, N m s/rad], >= 0, of up to
 * six directions: for a fixed joint or bushing, three along and three about the axes of the joint;
 * for other joints, one for each row, in the order of the rows. */
struct lk_compliance {
    double stiffness[6];
    double damping[6];
};

/** struct lk_drive_def - prescribes one coordinate of a joint over time (a rheonomic row).
 * @joint:      index of the joint;  @coordinate: index of the coordinate of this joint; for a fixed
 *              joint 0 to 5: x, y, z [m] and roll, pitch, yaw [rad] of the second body relative to
 *              its initial pose
 * @input:      LK_DRIVE_INPUT: index of the input channel;  @period: sample period [s], 0: each
 *              step
 * @table:      LK_DRIVE_TABLE: index in the model's tables, time [s] to value; @is_periodic: the
 *              table repeats
 * @offset, @amplitude, @omega [rad/s], @phase [rad]: LK_DRIVE_HARMONIC: offset + amplitude
 *              sin(omega t + phase)
 * @offset, @rate [rad/s, m/s]: LK_DRIVE_RAMP: offset + rate t, for all times */
struct lk_drive_def {
    enum lk_drive_type type;
    int joint;
    int coordinate;
    int input;
    double period;
    int table;
    int is_periodic;
    double offset;
    double amplitude;
    double omega;
    double phase;
    double rate;
};

/** struct lk_joint_def - a joint in its initial configuration.
 * @body:       first and second body, or LK_GROUND (not both)
 * @point:      the joint's initial point on the first and on the second body [m], world; equal
 *              unless the file gives `points`
 * @axis:       initial unit vector on each body, world; used by the types that have one: normal of
 *              a plane, line of point-on-line; universal: first axis on the first body, second axis
 *              on the second; constant-velocity: the two shafts; cone-on-rail: rail and axle;
 *              rolling: normal of the plane, and axle
 * @direction:  planar: unit vector of coordinate x in the plane, world
 * @coordinate: values of the joint's coordinates in the initial configuration [rad or m]; 0 unless
 *              given
 * @length:     distance: length of the rod [m]; rolling: radius of the wheel [m];  @pitch: screw:
 * travel per radian [m/rad]
 * @half_angle: cone-on-rail: angle between surface and axle of the wheel [rad], positive if the
 *              wheel widens along the axle;  @rail_radius, @wheel_radius: radii of the rail, and of
 *              the wheel at the second point [m]
 * @joint:      gear, rack: the two joints; differential: the three joints;  @coupled: index of the
 *              coordinate of each joint
 * @ratio:      gear, rack: change of the second coordinate for each unit of the first;
 *              differential: change of the first coordinate for each unit of the mean of the other
 *              two
 * @has_compliance: the rows are compliant, see struct lk_compliance
 * @hold:       bit i: the assembly keeps coordinate i at its value @start[i] */
struct lk_joint_def {
    char name[LK_NAME_SIZE];
    enum lk_joint_type type;
    int body[2];
    double point[2][3];
    double axis[2][3];
    double direction[3];
    double coordinate[LK_COORDINATES_MAX];
    double length;
    double pitch;
    double half_angle;
    double rail_radius;
    double wheel_radius;
    int joint[LK_COUPLED_MAX];
    int coupled[LK_COUPLED_MAX];
    double ratio;
    int has_compliance;
    struct lk_compliance compliance;
    unsigned hold;
    double start[LK_COORDINATES_MAX];
};

enum lk_frame { LK_FRAME_WORLD, LK_FRAME_BODY };

/** enum lk_force_type - force elements other than gravity and inputs, with the members that each
 * type uses. */
enum lk_force_type {
    LK_FORCE_JOINT_SPRING_DAMPER, /* joint, coordinate, stiffness, damping, rest, tables */
    LK_FORCE_SPRING_DAMPER, /* two bodies, points, stiffness, damping, rest (length), tables */
    LK_FORCE_BUSHING,       /* two bodies, point, orientation, compliance */
    LK_FORCE_CREEP,         /* joint, coefficient, speed, rail_speed, limit, load */
    LK_FORCE_FRICTION,      /* joint, coordinate, coulomb, stick, stribeck, creep, damping, wind_up,
                             * scale */
    LK_FORCE_IMPEDANCE,     /* joint, coordinate, or two bodies, points, joint -1; port */
    LK_FORCE_MAP,           /* joint, coordinate, map, scale */
    LK_FORCE_CALLBACK,      /* joint, coordinate; see struct lk_callback */
    LK_FORCE_LINE,          /* line */
    LK_FORCE_STOP,          /* joint, coordinate, lower, upper, stiffness, damping, onset */
    LK_FORCE_CONSTANT_FORCE,  /* body, point, vector, frame */
    LK_FORCE_CONSTANT_TORQUE, /* body, vector, frame */
    LK_FORCE_HARMONIC_FORCE,  /* the same members, for vector * sin(omega t + phase) */
    LK_FORCE_HARMONIC_TORQUE,
    LK_FORCE_TYRE,    /* joint, body (of the road, of the wheel), tyre */
    LK_FORCE_DRAG,    /* body, point, orientation, coefficient, vector (wind), scale */
    LK_FORCE_CONTACT, /* body, contact, mu, scale_input (of mu), stiffness */
    LK_FORCE_TYPES
};

/** struct lk_road_def - a road in its initial configuration.
 * @body:      body to which the road is fixed, or LK_GROUND;  @point: a point on the road, world
 *             [m]
 * @normal:    unit vector, world
 * @direction: for a profile or grid: unit vector perpendicular to @normal, world
 * @profile:   for a profile: tables of distance and height of each track [m]
 * @friction:  factor on the friction that the parameters of tyres describe
 * @samples:   1 or 4;  @file: name of the file of a grid;  @grid: content of this file
 * @ends:      for a grid: there is no road beyond the grid */
struct lk_road_def {
    char name[LK_NAME_SIZE];
    enum lk_road_kind kind;
    int body;
    double point[3];
    double normal[3];
    double direction[3];
    int profile[LK_TRACKS];
    double friction;
    int friction_input;
    int samples;
    char file[LK_NAME_SIZE];
    struct lk_road_file grid;
    int ends;
};

/** struct lk_law_def - a named law of tyres; is_mirrored: the law was measured as the tyre of a
 * right wheel */
struct lk_law_def {
    char name[LK_NAME_SIZE];
    struct lk_tyre_law law;
};

/** struct lk_tyre_def - a tyre, see struct lk_tyre in step/elements/tyres.h.
 * @radius, @width, @stiffness, @damping: as in struct lk_tyre;  @rim_radius [m], @rim_stiffness: 0:
 *     no rim;  @is_by_centre: the depth is measured below the centre;  @length: negative: not
 *     given;  @carcass: 0: not given
 * @lag: t_x, t_y [s];  @bore: stiffness [N m/rad], damping [N m s/rad]
 * @ground: index of the input that has the plane under it, on an external road; else -1
 * @law: for the side of the car on which the tyre is mounted */
struct lk_tyre_def {
    int road;
    enum lk_track track;
    double radius;
    double width;
    double stiffness;
    double damping;
    double rim_radius;
    double rim_stiffness;
    int is_by_centre;
    double length[2];
    double carcass[2];
    double lag[2];
    double bore[2];
    double friction;
    int friction_input;
    int ground;
    struct lk_tyre_law law;
};

/** struct lk_force_def - a force element; its type selects the members in use, see above.
 * @body:      first and second body, or LK_GROUND; loads on one body use the first
 * @stiffness: [N m/rad or N/m], >= 0;  @damping: [N m s/rad or N s/m], >= 0
 * @rest:      joint coordinate, or distance, without spring force [rad or m]; NAN: initial
 *             distance. Stiffness, damping and rest are the initial values of the inputs
 *             @port_input, if these are set
 * @stiffness_table: index in the model's tables, deflection (coordinate - rest) to force, or -1
 * @damping_table:   rate to force, or -1
 * @point:     point on each body at t = 0, world [m];  @vector: [N or N m] in @frame
 * @orientation: orientation of the axes of a bushing at t = 0, axes to world
 * @coulomb:   sliding friction [N or N m], >= 0;  @stick: friction at rest, >= coulomb
 * @stribeck:  rate at which friction falls from stick to coulomb
 * @mu, @mu_stick: with @has_mu, coefficients on the normal force of the joint, see
 *             step/elements/bearing.h;  @radius: radius of the pin, for an angle [m];  @length: of
 * the bearing [m], 0: torques do not count
 * @creep:     rate below which friction acts like a damper (regularisation), 0: as small as the
 *             step allows
 * @has_wind_up: friction with a presliding (bristle) spring of @wind_stiffness and @wind_damping;
 *             NAN: as the step allows
 * @scale:     factor on friction or on the tables, or the initial value of input @scale_input (-1:
 *             no input)
 * @lower, @upper: limits of a stop, -INFINITY or INFINITY for none
 * @onset:     penetration over which the stiffness of a stop builds up [rad or m], >= 0
 * @coefficient: coefficients of creep along and across the rail [N], >= 0;  @speed: divisor of the
 *             slip [m/s], > 0;  @rail_speed: speed of the rail along its axis [m/s];  @limit: limit
 *             of each force [N], or INFINITY;  @load: normal force to which coefficients and limit
 *             belong [N], 0: not given;  @follows_load: they follow the normal force of the
 * contact;
 *             @spin: coefficient of spin creepage, lateral force times speed over rad/s [N m], >= 0
 * @omega [rad/s], @phase [rad]: frequency and phase of harmonic loads
 * @tyre: index in the model's tyres
 * @contact:   the shapes in contact, the surface first, and their kinds; if the surface is a road,
 *             it is @road;  @face: faces of boxes, see struct lk_contact_pair, 0: none;
 * @restitution: 0 to 1;  @stiffness: 0: rigid;  @mu: friction, or the initial value of the input
 * @scale_input
 * @map:       table whose x are the levels of a map; the tables after it are functions from rate to
 *             force, one for each level;  @scale: the level, or the factor on the wind of a drag
 * @coefficient: for a drag: 1/2 density times drag area [kg/m]
 * @line:      the two coordinates that a transmission line connects;  @ratio: flow into the line
 *             for each unit of their rates;  @impedance: > 0;  @delay [s], > 0;  @load: initial
 *             load in the line
 * @port:      for an impedance: values, or the initial values of the inputs @port_input (-1:
 *             constant). An index beyond the last input means a block, as for all signals */
struct lk_force_def {
    char name[LK_NAME_SIZE];
    enum lk_force_type type;
    int joint;
    int coordinate;
    int body[2];
    double stiffness;
    double damping;
    double rest;
    int stiffness_table;
    int damping_table;
    double point[2][3];
    double vector[3];
    double orientation[4];
    enum lk_frame frame;
    struct lk_compliance compliance;
    bool is_element; /* bushing of a beam, which the finding beam-undamped judges */
    struct {
        int joint[2];
        int coordinate[2];
        double ratio[2];
        double impedance;
        double delay;
        double load;
    } line;
    double coulomb;
    int has_mu;
    double mu;
    double mu_stick;
    double radius;
    double length;
    double stick;
    double stribeck;
    double creep;
    int has_wind_up;
    double wind_stiffness;
    double wind_damping;
    double scale;
    int scale_input;
    double lower;
    double upper;
    double onset;
    double coefficient[3];
    double speed;
    double rail_speed;
    double limit;
    double load;
    int follows_load;
    double spin;
    double omega;
    double phase;
    int tyre;
    struct {
        int shape[2];
        int road;
        enum lk_contact_kind kind[2];
        int face[2];
        int n_points;
        bool is_swapped;
        double restitution;
    } contact;
    int map;
    double port[LK_PORT_VALUES];
    int port_input[LK_PORT_VALUES];
};

/** lk_force_is_on_coordinate() - return whether an element acts along one coordinate of a joint. */
static inline int lk_force_is_on_coordinate(const struct lk_force_def *f)
{
    return f->type == LK_FORCE_JOINT_SPRING_DAMPER || f->type == LK_FORCE_FRICTION ||
           (f->type == LK_FORCE_IMPEDANCE && f->joint >= 0) || f->type == LK_FORCE_MAP ||
           f->type == LK_FORCE_CALLBACK || f->type == LK_FORCE_STOP;
}

/** struct lk_input_def - an input channel; members as in struct lk_force_def.
 * @is_angle: of a drive: the unit is rad;  @is_used: a force element or an output names the signal
 * @unit:   unit of a signal, set by the element that uses the signal; NULL: not used yet
 * @limits: lowest and highest value; infinite: none
 * @rate:   largest change per second; infinite: none
 * @initial: initial value of each scalar;  @has_initial: the model gives @initial, so that a
 *           drive starts there and not at the coordinate of the initial configuration */
struct lk_input_def {
    char name[LK_NAME_SIZE];
    enum lk_input_type type;
    int joint;
    int coordinate;
    int body;
    double point[3];
    enum lk_frame frame;
    int is_angle;
    int is_used;
    const char *unit;
    double limits[2];
    double rate;
    double initial;
    int has_initial;
};

#define LK_BLOCK_SOURCES_MAX 16 /* largest number of inputs of a block */
#define LK_BLOCKS_MAX        256
#define LK_BLOCK_STATES_MAX  16 /* largest number of states of a block */

/** struct lk_source_def - source of an input of a block.
 * @at: index of the input, joint or block, or, if @is_length is set, of a force element between two
 *      points
 * @coordinate, @is_rate: for a sensor;  @value: for a number */
struct lk_source_def {
    enum lk_net_kind kind;
    int at;
    int coordinate;
    int is_length;
    int is_rate;
    double value;
};

/** struct lk_block_def - a block of any type.
 * @a, @b, @c, @d: of LINEAR, row by row: n_states x n_states, n_states x n_sources, n_states,
 *           n_sources
 * @initial: initial value of its states, or of the output of a delay
 * @lower, @upper: limits of the only state, or of SATURATION and DEAD_BAND; infinite: none
 * @time:    time of a delay [s]
 * @table:   index in the model's tables, or -1;  @is_monotone: a monotone curve, else straight
 *           lines
 * @place:   position in the order of evaluation
 * @is_used: a force element, another block or an output uses the block */
struct lk_block_def {
    char name[LK_NAME_SIZE];
    enum lk_block_kind kind;
    char unit[LK_UNIT_SIZE];
    int n_sources;
    struct lk_source_def source[LK_BLOCK_SOURCES_MAX];
    int n_states;
    double a[LK_BLOCK_STATES_MAX * LK_BLOCK_STATES_MAX];
    double b[LK_BLOCK_STATES_MAX * LK_BLOCK_SOURCES_MAX];
    double c[LK_BLOCK_STATES_MAX];
    double d[LK_BLOCK_SOURCES_MAX];
    double initial[LK_BLOCK_STATES_MAX];
    double lower;
    double upper;
    double time;
    int table;
    int is_monotone;
    int place;
    int is_used;
};

/** struct lk_output_def - an output channel.
 * @point: point at t = 0, world [m];  @orientation: orientation of the axes of a sensor at t = 0,
 *         to world
 * @force, @input, @block: index of the force element, the input, the block
 * @mode:  index of the mode of @body, or of the recovery
 * @told:  for the work of a port: the input by which the bench reports its own value, or -1
 * @ahead: prediction time [s] */
struct lk_output_def {
    char name[LK_NAME_SIZE];
    enum lk_output_type type;
    int joint;
    int body;
    int force;
    int input;
    int block;
    int mode;
    int told;
    double ahead;
    double point[3];
    double orientation[4];
};

/** struct lk_shape_def - a shape that the model gives, for viewers and contacts.
 * @body:        body to which it is fixed, or LK_GROUND
 * @frame:       frame of positions and orientation: WORLD in the initial configuration, or BODY
 *               relative to its centre of mass
 * @position:    position of its centre [m];  @orientation: orientation of its axes
 * @size:        [m], as in struct lk_shape;  @color: red, green, blue, opacity, if @has_color
 * @points:      @n_points points of a line [m], on the heap. Of a profile: in its plane, from
 *               @position along the x and y axes of @orientation, counterclockwise
 * @is_half_space: a plate stands for a half-space: @position is on its upper side, its z axis is
 *               the normal
 * @is_capsule:  a cylinder has hemispheres at its ends, beyond its length
 * @is_profile:  a line stands for a profile of the width @size[2] */
struct lk_shape_def {
    char name[LK_NAME_SIZE];
    enum lk_shape_kind kind;
    int body;
    enum lk_frame frame;
    double position[3];
    double orientation[4];
    double size[3];
    double color[4];
    int has_color;
    bool is_half_space;
    bool is_capsule;
    bool is_profile;
    int n_points;
    double (*points)[3];
};

/** enum lk_coordinates - coordinates of `ali3`. LIE: rotation group, six unknowns per body.
 * EULER_PARAMETERS: the form of the index-3 DCA paper, with seven coordinates per body; rows and
 * normalisation are enforced by penalty. AS_PRINTED: the same to the letter, see methods/euler.c.
 */
enum lk_coordinates {
    LK_COORDINATES_LIE,
    LK_COORDINATES_EULER_PARAMETERS,
    LK_COORDINATES_AS_PRINTED,
};

/* values of `engine` in a model or a study */
#define LK_ENGINE_NAMES "auto", "avx512", "avx2", "portable", "scalar", "none"

/** enum lk_reduction - simplifications of a step that the compiler may use; the motion is the same
 * to round-off.
 * PLANAR: omit rows of bodies that cannot tilt, compile/passes/plane.h
 * HUBS: keep the motion of a body with many joints as an unknown of the tree, compile/draft.h
 * SPLITS: split a body with many joints into parts joined by welds, compile/draft.h
 * INDEPENDENT_ROWS: omit the second solve of rows that never depend on each other,
 * compile/passes/independence.h */
enum lk_reduction {
    LK_REDUCTION_PLANAR = 1 << 0,
    LK_REDUCTION_HUBS = 1 << 1,
    LK_REDUCTION_SPLITS = 1 << 2,
    LK_REDUCTION_INDEPENDENT_ROWS = 1 << 3,
    LK_REDUCTIONS_ALL = (1 << 4) - 1
};
/** lk_reduction_names - names in a model file, in the order of the bits; NULL at the end */
extern const char *const lk_reduction_names[];

/** struct lk_solver_def - the `solver` section.
 * @formulation: "auto", see lk_formulation_choose(), or a name
 * @penalty:    penalty of the Euler-parameter form, 0: automatic
 * @soft_redundancy: rigid rows have the compliance of steel parts, 5e-10 m/N, so redundant rows may
 *              be inconsistent
 * @step:       1e-6 to 0.1 [s];  @iterations: 1 to 20, 0: default of the formulation
 * @order:      see lk_solver_check_order(); 2 if the formulation has a fixed order
 * @engine:     see struct lk_options;  @reductions: bits of enum lk_reduction */
struct lk_solver_def {
    char formulation[LK_NAME_SIZE];
    enum lk_coordinates coordinates;
    double penalty;
    int soft_redundancy;
    double step;
    int iterations;
    int order;
    char engine[16];
    unsigned reductions;
};

/** struct lk_model - all sections, each in the order of the file.
 * @folder: folder of the files that the model names, used while reading; NULL: no files are read
 * @files:  content of these files, or NULL */
struct lk_model {
    const char *folder;
    const struct lk_packed_files *files;
    char name[LK_NAME_SIZE];
    /* hash of all words and numbers of the text, and of the files that it names */
    uint64_t hash;
    double gravity[3];    /* [m/s^2], world */
    int gravity_input[3]; /* input of each component, -1: constant */
    int starts_balanced;  /* the start is a static equilibrium */
    struct lk_body_def *bodies;
    struct lk_joint_def *joints;
    struct lk_force_def *forces;
    struct lk_input_def *inputs;
    struct lk_output_def *outputs;
    struct lk_drive_def *drives;
    struct lk_block_def *blocks;
    struct lk_table *tables;
    struct lk_road_def *roads;
    struct lk_law_def *laws;
    struct lk_tyre_def *tyres; /* tyres of forces of type tyre, in the order of these */
    struct lk_shape_def *shapes;
    struct lk_modal_def *modals;
    int n_bodies;
    int n_modals;
    int n_joints;
    int n_forces;
    int n_inputs;
    int n_outputs;
    int n_drives;
    int n_blocks;
    int n_tables;
    int n_roads;
    int n_laws;
    int n_tyres;
    struct lk_parameter *parameters;
    int n_parameters;
    int n_shapes;
    struct lk_solver_def solver;
};

/** lk_model_leader() - return the body with modes of which @body is a node, else @body itself; the
 * ground is its own. */
static inline int lk_model_leader(const struct lk_model *m, int body)
{
    return body >= 0 && m->bodies[body].kind == LK_BODY_NODE ? m->modals[m->bodies[body].modal].body
                                                             : body;
}

/** lk_model_points() - return the number of points of contact of the first @n_forces forces, which
 * is the index of the first point of the next one. */
static inline int lk_model_points(const struct lk_model *m, int n_forces)
{
    int n = 0;

    for (int i = 0; i < n_forces; i++)
        n += m->forces[i].type == LK_FORCE_CONTACT ? m->forces[i].contact.n_points : 0;
    return n;
}

/** lk_input_type_name(), lk_output_type_name() - return the name of a type in a model file, such
 * as "joint-torque". Static text. */
const char *lk_input_type_name(enum lk_input_type type);
const char *lk_output_type_name(enum lk_output_type type);

/** lk_solver_check_order() - check that @formulation supports @order. Return: 0, LK_E_MODEL. */
int lk_solver_check_order(const char *formulation, int order, struct lk_error *ret_error);

#endif
