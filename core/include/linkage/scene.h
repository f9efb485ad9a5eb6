/* SPDX-License-Identifier: Apache-2.0 */
/* Shapes of a mechanism for viewers: derived from joints, masses and forces, or given by the model.
 * Computes their positions from the poses of the bodies.
 *
 *     lk_scene_new(model, &scene);
 *     lk_system_poses(system, poses);                      any state of the system
 *     lk_scene_place(poses, shape->body, point, place);    a point of a shape, in the world
 *
 * A shape is fixed to a body, in axes of the body with its centre of mass as origin, or to the
 * world; springs and rods connect two bodies. Poses are lists of seven numbers per body, in the
 * order of the model: x y z of the centre of mass [m], w x y z of the quaternion that turns body
 * vectors into world vectors. All numbers are finite, whatever the model.
 * Thread: any but the cycle, unless said otherwise.  RT: no. */
#ifndef LINKAGE_SCENE_H
#define LINKAGE_SCENE_H

#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_SCENE_WORLD (-1) /* index that stands for the world instead of a body */
#define LK_SPAN_POINTS 18   /* points of the line that represents a spring or a rod */

/** enum lk_shape_kind - geometry of a shape; a LINE passes through a list of points. */
enum lk_shape_kind { LK_SHAPE_BOX, LK_SHAPE_SPHERE, LK_SHAPE_CYLINDER, LK_SHAPE_LINE };

/** enum lk_shape_part - element that a shape represents. GIVEN: a shape of the model;  BODY: a box
 * of uniform density with the body's mass and inertia;  BAR: a bar from the centre of mass to a
 * point where a joint or force acts;  CENTRE: a mark at the centre of mass, with a volume that
 * increases with the mass */
enum lk_shape_part {
    LK_PART_GIVEN,
    LK_PART_BODY,
    LK_PART_BAR,
    LK_PART_CENTRE,
    LK_PART_JOINT,
    LK_PART_WHEEL,
    LK_PART_ROD,
    LK_PART_SPRING,
    LK_PART_ROAD
};

/** struct lk_shape - one shape.
 * @name:        name of the body, joint, force, road or shape of the model that it represents
 * @body:        index of the body, or LK_SCENE_WORLD
 * @to:          ROD, SPRING: the body at the other end, or LK_SCENE_WORLD; otherwise equal to
 *               @body
 * @position:    middle of the shape [m], axes of @body
 * @orientation: rotation of the axes of the shape relative to the axes of @body
 * @size:        [m] BOX: edges along its x, y, z; SPHERE, CYLINDER: two diameters, then the
 *               third one or the height, along z; LINE: 0
 * @color:       red, green, blue, opacity, 0 to 1
 * @first_point, @n_points: LINE: its points, in @body's axes. ROD, SPRING: two points, the
 *               second one in the axes of @to */
struct lk_shape {
    enum lk_shape_kind kind;
    enum lk_shape_part part;
    char name[LK_NAME_SIZE];
    int body;
    int to;
    double position[3];
    double orientation[4];
    double size[3];
    double color[4];
    int first_point;
    int n_points;
};

/** struct lk_scene_joint - geometry of a joint.
 * @type:    as in the model file, static text;  @kind: the type as enum lk_joint_type
 * @is_soft: the joint is compliant, so its gap is no fault
 * @point:   joint point on each of the two bodies [m], axes of that body
 * @axis:    unit vector of the joint axis on each of the two bodies, axes of that body, if
 *           @has_axis
 * @length:  prescribed distance [m] */
struct lk_scene_joint {
    char name[LK_NAME_SIZE];
    const char *type;
    int kind;
    int body[2];
    int is_soft;
    int has_axis;
    double point[2][3];
    double axis[2][3];
    double length;
};

/** struct lk_scene_arrow - a force that a channel of the model carries: an input of type
 * body-force, an output of type joint-reaction, whose first three values are the force on the second
 * body, or the force of a contact on the body of its second shape.
 * @channel:      name of the channel;  @is_input: it is an input
 * @body:         the body on which the force acts, or LK_SCENE_WORLD
 * @in_body_axes: the values are along the axes of @body; otherwise along those of the world
 * @point:        where it acts [m], axes of @body */
struct lk_scene_arrow {
    char channel[LK_NAME_SIZE];
    int is_input;
    int body;
    int in_body_axes;
    double point[3];
};

/** struct lk_scene - shapes and joints of a model; couplings are not included.
 * @name:   name of each body;  @mass: mass of each body [kg]
 * @drawn:  poses of the initial configuration as the model gives them
 * @up:     unit vector against gravity; the z axis if there is no gravity
 * @size:   size of the mechanism in the initial configuration [m], more than 0
 * @unit:   size of a typical body: median reach of the bodies with joints [m] */
struct lk_scene {
    int n_bodies;
    int n_shapes;
    int n_joints;
    int n_points;
    const char (*name)[LK_NAME_SIZE];
    const double *mass;
    const double *drawn;
    const struct lk_shape *shape;
    const struct lk_scene_joint *joint;
    const double (*point)[3];
    double up[3];
    double size;
    double unit;
    int n_arrows;
    const struct lk_scene_arrow *arrow;
};

/** lk_scene_new() - create the scene of @model, which may be freed afterwards. Return: 0,
 * -ENOMEM. */
int lk_scene_new(const struct lk_model *model, struct lk_scene **ret_scene);
void lk_scene_free(struct lk_scene *scene);

/** lk_scene_place() - compute the position of a point fixed to a body. @local: in body axes, from
 * the centre of mass [m];  @ret: world [m] */
void lk_scene_place(const double *poses, int body, const double local[3], double ret[3]);
/** lk_scene_turn() - transform a body-fixed vector to world axes. */
void lk_scene_turn(const double *poses, int body, const double local[3], double ret[3]);

/** lk_scene_span() - compute the line that represents a rod (straight) or a spring (coil).
 * @shape: of part ROD or SPRING;  @ret: LK_SPAN_POINTS points, world [m]. Return: number of
 *         points. */
int lk_scene_span(const struct lk_scene *scene, const struct lk_shape *shape, const double *poses,
                  double (*ret)[3]);

/** struct lk_scene_gap - gap of a joint.
 * @shift: distance of its points in the constrained directions [m];  @tilt: angle between its axes
 *         [rad];  @place: its points on the two bodies, world [m] */
struct lk_scene_gap {
    double shift;
    double tilt;
    double place[2][3];
};

/** lk_scene_gap() - compute the gap of joint @joint at @poses; 0 for a cone on a rail, which has no
 * joint points. */
void lk_scene_gap(const struct lk_scene *scene, int joint, const double *poses,
                  struct lk_scene_gap *ret);

/** lk_scene_assemble() - compute the poses with all joints closed and all coordinates at their
 * `start` values. If that fails, compute the best poses found, to show which joints remain open.
 * @poses: LK_POSE_SIZE numbers per body, written if the model can be compiled
 * Return: 0, LK_E_ASSEMBLY (@poses are written; @ret_error names the joints), LK_E_MODEL, -ENOMEM.
 */
int lk_scene_assemble(const struct lk_model *model, double *poses, struct lk_error *ret_error);

#ifdef __cplusplus
}
#endif
#endif
