/* SPDX-License-Identifier: Apache-2.0 */
/* linkage import: converts a model of another program to our model format. Data flow:
 *
 *     formats.c   XML text         -> the reader for its first element (xml.c: the parser)
 *     urdf.c      URDF             -> struct robot: links and joints as in the file; masses of
 *                                     links without them by urdf_shapes.c; shapes by
 *                                     urdf_visuals.c
 *     mjcf.c      MJCF             -> struct robot, as compiled by MuJoCo (mjcf_process.c), without
 *                                     elements of later versions (mjcf_newer.c); shapes by
 *                                     mjcf_geoms.c
 *     simscape.c  Simscape Multibody, first generation
 *                                  -> struct robot: an assembly with its loops
 *     simscape_assembly.c ...      -> second generation, with joints made of constraints
 *     loops.c     file of loops    -> further joints of the robot, which close loops
 *     place.c     struct robot     -> world frames as drawn, links merged to bodies
 *     balls.c     three hinges     -> a ball joint, if the axes meet in massless bodies
 *     shapes.c    shapes of a link, mesh.c: bounding boxes of STL and OBJ
 *     masses.c    links of a body  -> mass, centre and inertia of each body, and their errors
 *     write.c     struct robot     -> YAML
 *     import.c    options, calls of these steps, check of the written model by its reader
 *
 * Messages about the file are notes with a line number. If a note is an error, the model is not
 * written. Do not use these functions in the cycle thread. */
#ifndef TOOLS_LINKAGE_IMPORT_H
#define TOOLS_LINKAGE_IMPORT_H

#include "linkage/scene.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct _xmlNode;

#define IMPORT_MARK      "linkage: 1 # by linkage import" /* beginning of the models */
#define IMPORT_SIZE_MAX  (64u << 20)                      /* largest size of a file [bytes] */
#define IMPORT_ITEMS_MAX 4096 /* largest number of links, and of joints */

/* ---- notes.c ---- */

enum note_kind {
    NOTE_SAID,  /* information on the conversion */
    NOTE_WRONG, /* warning; the model is still written */
    NOTE_ERROR, /* error; the model is not written */
};

/** struct note - a message about the file. @line: line of the file, 0: none */
struct note {
    enum note_kind kind;
    long line;
    char text[400];
};

/** struct notes - all messages about a file. @path: path of the file, for messages; @n_errors:
 * number of errors among the @n notes @lost: a note was lost because memory was exhausted */
struct notes {
    const char *path;
    int n, room, n_errors;
    bool lost;
    struct note *note;
};

/** note() - Add a message; control characters in quoted text are replaced. */
void note(struct notes *notes, enum note_kind kind, long line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** notes_print() - Print all notes in the order of their lines: "path:line: text". */
void notes_print(const struct notes *notes, FILE *file);
void notes_free(struct notes *notes);

/* ---- frame.c ---- */

/** struct frame - a pose: position [m] and unit quaternion, relative to an outer frame. */
struct frame {
    double r[3];
    double q[4];
};

extern const struct frame frame_unity;

/** frame_of() - Compute a frame from a displacement [m] and roll, pitch, yaw [rad]: Rz(yaw)
 * Ry(pitch) Rx(roll). */
void frame_of(const double xyz[3], const double rpy[3], struct frame *ret);
/** frame_in() - Transform the pose @inner, which is relative to @outer, to the frame to which
 * @outer is relative. The results of all functions for frames may alias their arguments. */
void frame_in(const struct frame *outer, const struct frame *inner, struct frame *ret);
/** frame_inverse() - Return the pose of the outer frame relative to @frame. */
void frame_inverse(const struct frame *frame, struct frame *ret);
/** frame_point(), frame_direction() - Transform a point or a direction from the axes of @frame to
 * the world. */
void frame_point(const struct frame *frame, const double p[3], double ret[3]);
void frame_direction(const struct frame *frame, const double d[3], double ret[3]);

/* ---- the robot ---- */

#define LINK_NONE (-1)

enum joint_kind {
    KIND_FIXED,
    KIND_REVOLUTE, /* also for a continuous joint, which has no limits */
    KIND_PRISMATIC,
    KIND_SPHERICAL,
    KIND_PLANAR,
    KIND_FLOATING,
    KIND_CYLINDRICAL,
};

/** struct link - a link of the file.
 * @frame:        world pose at the drawn configuration
 * @in_body:      pose in the first link of its body
 * @next:         further link of its body, LINK_NONE
 * @is_rotor:     the link represents the rotor inertia of another joint
 * @has_inertial: the following fields are valid
 * @mass, @centre, @inertia: mass [kg]; centre of mass and axes of @inertia, relative to the link;
 *                moments about the centre of mass, xx yy zz xy xz yz [kg m^2] */
struct link {
    char *name;
    char own[64]; /* name in our model file */
    long line, inertial_line;
    bool has_inertial, is_rotor;
    double mass;
    struct frame centre;
    double inertia[6];
    int joint; /* joint whose child this link is, LINK_NONE: a root */
    struct frame frame, in_body;
    int body, next;
};

/** struct limb - a joint of the file.
 * @parent, @child:     indices of the two links
 * @origin:             pose of the joint in the parent
 * @closing:            pose of the joint in the child, the identity unless the joint closes a loop
 * @axis, @child_axis:  unit vectors of the joint axis in @origin and @closing
 * @value:              coordinate of the joint in the drawn configuration
 * @drawn:              offset between the coordinate in the file and @value
 * @effort:             largest force or torque of its @motor, whose name is "" if the file has none
 * @stiffness:          stiffness of a spring with rest position @rest
 * @is_rotor:           joint of a rotor link, without output
 * @locked:             the coordinate is fixed by --repair or by the file
 * @mimic_name, @mimic: name and index of the joint that determines the coordinate of this one:
 *                      value = multiplier * (value of that joint) + offset */
struct limb {
    char *name;
    char own[64];
    long line;
    enum joint_kind kind;
    int parent, child;
    bool closes;
    struct frame origin, closing;
    double axis[3], child_axis[3];
    bool has_limits;
    double lower, upper, effort, speed;
    char motor[64];
    double damping, friction, stiffness, rest;
    char *mimic_name;
    long mimic_line;
    int mimic;
    double multiplier, offset;
    bool locked, is_rotor;
    double value, drawn;
};

/** struct body - links joined rigidly.
 * @first:          link that gives the body its name; the others follow through @next
 * @mass, @inertia: sums over all links; @inertia is about @position, in the axes of @orientation
 * @mended:         text about changes made by --repair, or "" */
struct body {
    int first, n_links;
    double mass, inertia[6];
    double position[3], orientation[4];
    char mended[200];
};

/** struct shape - a shape for viewers: box, sphere or cylinder.
 * @link: index of its link, @at: pose in the link
 * @size: see struct lk_shape [m]
 * @color: red, green, blue, opacity, 0 to 1, if @has_color; otherwise viewers choose */
struct shape {
    int link;
    enum lk_shape_kind kind;
    struct frame at;
    double size[3];
    bool has_color;
    double color[4];
};

/** struct undrawn - shapes of the file that the model lacks. @names: the first few, or "" */
struct undrawn {
    int n;
    char names[120];
};

/** struct robot - links and joints of a file.
 * @root:          link without a parent joint
 * @says_root:     the file defines the ground, so no option is needed
 * @gravity:       [m/s^2]
 * @lacks_gravity: the file gives no gravity, so @gravity is an assumption
 * @density:       of links without inertia [kg/m^3], set by the caller; 0: they have no mass
 * @reads_meshes:  URDF: open files of meshes, set by the caller */
struct robot {
    char *name;
    int n_links, n_limbs, n_bodies, n_shapes;
    int room_links, room_limbs, room_shapes;
    struct link *links;
    struct limb *limbs;
    struct body *bodies;
    struct shape *shapes;
    int root;
    bool says_root, lacks_gravity;
    double gravity[3];
    double density;
    bool reads_meshes;
};

/** has_coordinate() - Return true if a joint has exactly one coordinate. */
static inline bool has_coordinate(const struct limb *limb)
{
    return limb->kind == KIND_REVOLUTE || limb->kind == KIND_PRISMATIC;
}

/** robot_link(), robot_limb() - Append a zeroed link or joint with a copy of @name (@size bytes).
 * Return: NULL if memory is exhausted, or if IMPORT_ITEMS_MAX items exist. */
struct link *robot_link(struct robot *robot, const char *name);
struct limb *robot_limb(struct robot *robot, const char *name);
/** robot_find_link(), robot_find_limb() - Find a link or a joint by its name in the file.
 * Return: index, or LINK_NONE */
int robot_find_link(const struct robot *robot, const char *name);
int robot_find_limb(const struct robot *robot, const char *name);
void robot_free(struct robot *robot);

/** robot_shape() - Append a shape.
 * Return: false if its numbers are outside of the range of a model, memory is exhausted, or
 * IMPORT_ITEMS_MAX shapes exist. */
bool robot_shape(struct robot *robot, const struct shape *shape);
/** robot_capsule() - Append a capsule: a cylinder and two spheres. @capsule: diameter, diameter,
 * length of the cylinder along z in @size; its kind is ignored. Return: see robot_shape(). */
bool robot_capsule(struct robot *robot, const struct shape *capsule);
/** robot_box_of() - Append a box with the bounds @low and @high, in the axes of @box->at. Edges of a
 * flat box become 1e-3 of the longest. Return: see robot_shape(). */
bool robot_box_of(struct robot *robot, const struct shape *box, const double low[3],
                  const double high[3]);
/** undrawn_add() - Count a shape that the model lacks. Repeated names are listed once. */
void undrawn_add(struct undrawn *undrawn, const char *name);

/** mesh_bounds() - Compute the bounding box of a mesh.
 * @text:   STL (binary or text) or OBJ, with a terminating zero after @size bytes
 * @is_obj: the format
 * Return: false if no vertex was found or one is not finite. */
bool mesh_bounds(const char *text, size_t size, bool is_obj, double ret_low[3], double ret_high[3]);
/** mesh_read_bounds() - Compute the bounding box of a mesh file.
 * @path: path of the model. Relative names start at its folder; the package in package://PACKAGE/ is
 *        a folder that contains the model, or is next to such a folder
 * @name: name of the mesh in the model
 * Return: false if there is no such file or its format is unknown. */
bool mesh_read_bounds(const char *path, const char *name, double ret_low[3], double ret_high[3]);

/** robot_read() - Read a file of any format. The robot is complete if no note is an error.
 * @text: content of the file
 * @path: path of the file, whose folder contains the meshes
 * Thread: the only one of the process, because a reader may fork. */
void robot_read(const char *path, const char *text, size_t size, struct robot *robot,
                struct notes *notes);
/** urdf_read(), simscape_read(), mjcf_read() - Readers of the formats, for robot_read().
 * @path: path of the file
 * @root: first element of the file */
void urdf_read(const char *path, const struct _xmlNode *root, struct robot *robot,
               struct notes *notes);
void simscape_read(const struct _xmlNode *root, struct robot *robot, struct notes *notes);
void mjcf_read(const char *path, const char *text, size_t size, const struct _xmlNode *root,
               struct robot *robot, struct notes *notes);

/** loops_read() - Read a file of loops: YAML with `closed_loop: [[A, B], ...]` and `type: [6d,
 * ...]`. A and B are names of links, or of joints whose child links are meant. 6d makes the frames
 * of both links coincide, 3d only their origins. A limb is appended for each loop.
 * Return: false after notes. */
bool loops_read(const char *path, struct robot *robot, struct notes *notes);

/** struct import_options - options of the command.
 * @floating: the root link is free; otherwise it is the ground
 * @values:   "JOINT=VALUE" texts
 * @stops:    stiffness and damping of end stops, unless @no_stops
 * @gravity:  [m/s^2], replaces that of the file if @has_gravity
 * @repair:   correct errors where possible
 * @density:  see struct robot */
struct import_options {
    const char *path, *output, *loops;
    bool floating, has_root, repair;
    bool no_stops, has_gravity;
    double gravity[3];
    double density;
    double stops[2];
    const char *values[256];
    int n_values;
};

/** place_robot() - Compute the world frames of all links at the drawn configuration. */
void place_robot(struct robot *robot, const struct import_options *options, struct notes *notes);
/** merge_links() - Merge links connected by fixed and locked joints to bodies. */
void merge_links(struct robot *robot, struct notes *notes);
/** limb_motion() - Return the displacement of a joint at its value, in the axes of its origin. */
void limb_motion(const struct limb *limb, struct frame *ret);
/** stands() - Return true if body @b is the ground. */
bool stands(const struct robot *robot, const struct import_options *options, int b);

/** make_ball() - Replace three hinges, of which two are on body @b, by a ball joint.
 * @massless: flag of each body: it has no mass
 * Return: true if the ball joint was made. Then call merge_links() again. */
bool make_ball(struct robot *robot, const bool *massless, int b, struct notes *notes);

/** turn_inertia() - Transform a symmetric matrix S' in the axes of @q to the outer axes: S = R S'
 * R^T. Matrices are xx yy zz xy xz yz.
 * add_point_inertia() - Add the inertia of a point mass @mass at @d. */
void turn_inertia(const double q[4], const double inertia[6], double ret[6]);
void add_point_inertia(double mass, const double d[3], double inertia[6]);

/** sum_masses() - Sum the masses of links to bodies; check them, and correct them with
 * @options->repair. */
void sum_masses(struct robot *robot, const struct import_options *options, struct notes *notes);

/** name_robot() - Assign unique valid names to links and joints. */
void name_robot(struct robot *robot);

/** write_robot() - Write the model file of @robot. Return: false: no memory. */
bool write_robot(const struct robot *robot, const struct import_options *options, FILE *file);

#endif
