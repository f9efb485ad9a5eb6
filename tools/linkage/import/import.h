/* SPDX-License-Identifier: Apache-2.0 */
/* linkage import: a model of another program as a model file of ours. The data's way:
 *
 *   formats.c  XML text          -> the reader that its first element asks for (xml.c: the parser)
 *   urdf.c     URDF              -> struct robot: links and joints as the file has them
 *   mjcf.c     MJCF              -> the same, of what MuJoCo makes of it (mjcf_process.c), without
 *              what is for a later version of it (mjcf_newer.c)
 *   simscape.c Simscape Multibody -> the same, of an assembly with its loops, first generation
 *   simscape_assembly.c and on    -> and second, with joints made of constraints
 *   loops.c    file of loops     -> further joints of the robot, which close loops
 *   place.c    struct robot      -> world frames at the drawn configuration, links merged to bodies
 *   balls.c    hinges through a point, with nothing between them, that are a ball joint
 *   masses.c   links of a body   -> mass, centre and inertia of each body; what is wrong with them
 *   write.c    struct robot      -> YAML
 *   import.c   options, the order of the above, the model read again by its own reader
 *
 * Whatever is worth saying about the file is a note with its line; a note that is an error keeps
 * the model from being written. Nothing here is for the cycle thread. */
#ifndef TOOLS_LINKAGE_IMPORT_H
#define TOOLS_LINKAGE_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct _xmlNode;

#define IMPORT_SIZE_MAX  (64u << 20) /* bytes of a file */
#define IMPORT_ITEMS_MAX 4096        /* links; joints */

/* ---- notes.c ---- */

enum note_kind {
    NOTE_SAID,  /* what was done with it */
    NOTE_WRONG, /* looks wrong, the model is written all the same */
    NOTE_ERROR, /* the model is not written */
};

/** struct note - one line about the file. @line: of the file, 0: none */
struct note {
    enum note_kind kind;
    long line;
    char text[400];
};

/** struct notes - @path: of the file, for messages;  @n_errors: of the @n notes
 * @lost: no memory for a note */
struct notes {
    const char *path;
    int n, room, n_errors;
    bool lost;
    struct note *note;
};

/** note() - add a line; control characters of what is quoted are replaced. */
void note(struct notes *notes, enum note_kind kind, long line, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/** notes_print() - all, in the order of their lines: "path:line: text". */
void notes_print(const struct notes *notes, FILE *file);
void notes_free(struct notes *notes);

/* ---- frame.c ---- */

/** struct frame - a pose: point [m] and unit quaternion, in the axes of whatever it is drawn in. */
struct frame {
    double r[3];
    double q[4];
};

extern const struct frame frame_unity;

/** frame_of() - from a shift [m] and roll, pitch, yaw [rad]: Rz(yaw) Ry(pitch) Rx(roll). */
void frame_of(const double xyz[3], const double rpy[3], struct frame *ret);
/** frame_in() - @inner, given in the axes of @outer, in those in which @outer is. Results may
 * alias arguments here and below. */
void frame_in(const struct frame *outer, const struct frame *inner, struct frame *ret);
/** frame_inverse() - the pose of the world in @frame. */
void frame_inverse(const struct frame *frame, struct frame *ret);
/** frame_point(), frame_direction() - a point or direction in the axes of @frame, in the world's.
 */
void frame_point(const struct frame *frame, const double p[3], double ret[3]);
void frame_direction(const struct frame *frame, const double d[3], double ret[3]);

/* ---- the robot ---- */

#define LINK_NONE (-1)

enum joint_kind {
    KIND_FIXED,
    KIND_REVOLUTE, /* and continuous: without limits */
    KIND_PRISMATIC,
    KIND_SPHERICAL,
    KIND_PLANAR,
    KIND_FLOATING,
    KIND_CYLINDRICAL,
};

/** struct link - @frame: world pose at the drawn configuration;  @in_body: pose in the first link
 * of its body;  @next: further link of its body, LINK_NONE
 * @is_rotor: stands for the inertia of another joint
 * @has_inertial: then @mass [kg], @centre (pose of the axes of @inertia in those of the link) and
 * @inertia [kg m^2] about the centre of mass, xx yy zz xy xz yz */
struct link {
    char *name;
    char own[64]; /* as our files may call it */
    long line, inertial_line;
    bool has_inertial, is_rotor;
    double mass;
    struct frame centre;
    double inertia[6];
    int joint; /* of which it is the child, LINK_NONE: a root */
    struct frame frame, in_body;
    int body, next;
};

/** struct limb - a joint of the file. @parent, @child: links;  @origin: pose of the joint in the
 * parent;  @closing: pose of the joint in the child, other than unity only where it closes a loop
 * @axis, @child_axis: unit vectors in @origin and @closing;  @value: of its coordinate as drawn
 * @drawn: what the file's own coordinate is more than that
 * @effort: largest force or torque of its @motor, whose name is "" where the file has none
 * @stiffness: of a spring that is at rest at @rest;  @is_rotor: of such a link, no output
 * @locked: held by --repair, or by the file;  @mimic: another joint whose coordinate it follows,
 * value = multiplier other + offset */
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

/** struct body - links that move as one. @first: the link that it is named after, others by next
 * @mass, @inertia (about @position, axes of @orientation): of all of them
 * @mended: what --repair changed, "" */
struct body {
    int first, n_links;
    double mass, inertia[6];
    double position[3], orientation[4];
    char mended[200];
};

/** struct robot - what a file says. @root: the link that hangs on no joint;  @says_root: which
 * stands, no option has to say it;  @gravity: [m/s^2];  @lacks_gravity: it is only assumed */
struct robot {
    char *name;
    int n_links, n_limbs, n_bodies;
    int room_links, room_limbs;
    struct link *links;
    struct limb *limbs;
    struct body *bodies;
    int root;
    bool says_root, lacks_gravity;
    double gravity[3];
};

/** has_coordinate() - whether a joint has one angle or displacement. */
static inline bool has_coordinate(const struct limb *limb)
{
    return limb->kind == KIND_REVOLUTE || limb->kind == KIND_PRISMATIC;
}

/** robot_link(), robot_limb() - append one, zeroed, with a copy of @name (@size bytes); NULL: no
 * memory, or IMPORT_ITEMS_MAX of them. */
struct link *robot_link(struct robot *robot, const char *name);
struct limb *robot_limb(struct robot *robot, const char *name);
/** robot_find_link(), robot_find_limb() - by the name in the file; LINK_NONE */
int robot_find_link(const struct robot *robot, const char *name);
int robot_find_limb(const struct robot *robot, const char *name);
void robot_free(struct robot *robot);

/** robot_read() - read a file of any format. @text: what is in it;  @path: meshes are beside it.
 * Thread: the only one, as a reader may need a process of its own. Notes tell what is wrong; the
 * robot is complete if none is an error. */
void robot_read(const char *path, const char *text, size_t size, struct robot *robot,
                struct notes *notes);
/** urdf_read(), simscape_read(), mjcf_read() - the readers for it. @root: first element of the file
 */
void urdf_read(const struct _xmlNode *root, struct robot *robot, struct notes *notes);
void simscape_read(const struct _xmlNode *root, struct robot *robot, struct notes *notes);
void mjcf_read(const char *path, const char *text, size_t size, const struct _xmlNode *root,
               struct robot *robot, struct notes *notes);

/** loops_read() - read a file of loops: YAML with `closed_loop: [[A, B], ...]`, names of links or
 * of joints (then their child links), and `type: [6d, ...]`: 6d ties the frames of both links
 * together, 3d their points, rotation allowed. Appends a limb for each.
 * Return: false after notes. */
bool loops_read(const char *path, struct robot *robot, struct notes *notes);

/** struct import_options - @floating: whether the root link is free, else it stands
 * @values: "JOINT=VALUE" texts;  @stops: stiffness and damping of end stops, unless @no_stops
 * @gravity: [m/s^2], if @has_gravity, whatever the file says
 * @repair: mend what can be mended */
struct import_options {
    const char *path, *output, *loops;
    bool floating, has_root, repair;
    bool no_stops, has_gravity;
    double gravity[3];
    double stops[2];
    const char *values[256];
    int n_values;
};

/** place_robot() - world frames of all links at the drawn configuration. */
void place_robot(struct robot *robot, const struct import_options *options, struct notes *notes);
/** merge_links() - which links are one body: those that fixed and locked joints hold together. */
void merge_links(struct robot *robot, struct notes *notes);
/** limb_motion() - what a joint's value does, in the axes of its origin. */
void limb_motion(const struct limb *limb, struct frame *ret);
/** stands() - whether body @b is the ground. */
bool stands(const struct robot *robot, const struct import_options *options, int b);

/** make_ball() - make a ball joint of three hinges, of which two are on body @b. @massless: of each
 * body. Return: whether it was done: then links have to be merged again. */
bool make_ball(struct robot *robot, const bool *massless, int b, struct notes *notes);

/** sum_masses() - bodies from their links; judges them, mends them with @options->repair. */
void sum_masses(struct robot *robot, const struct import_options *options, struct notes *notes);

/** name_robot() - names of links and joints that our files accept, each once. */
void name_robot(struct robot *robot);

/** write_robot() - the model file of @robot. Return: false: no memory. */
bool write_robot(const struct robot *robot, const struct import_options *options, FILE *file);

#endif
