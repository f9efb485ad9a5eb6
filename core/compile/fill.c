/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the constants of joints and loads from the initial configuration, in the axes of the
 * bodies. */
#include "compile/fill.h"
#include "compile/passes/carriers.h"
#include "compile/passes/sways.h"
#include "maths/vec.h"
#include "rows/table.h"
#include <string.h>

/* Compute three unit vectors, the third along @axis. */
static void frame_of_axis(const double axis[3], double f[3][3])
{
    double pick[3] = {0, 0, 0};
    int smallest = 0;
    double length;

    for (int i = 1; i < 3; i++)
        if (fabs(axis[i]) < fabs(axis[smallest]))
            smallest = i;
    pick[smallest] = 1;
    lk_cross(axis, pick, f[0]);
    length = lk_norm(f[0]);
    for (int i = 0; i < 3; i++) {
        f[0][i] /= length;
        f[2][i] = axis[i];
    }
    lk_cross(f[2], f[0], f[1]);
}

/* Compute three unit vectors: the third along @axis, the first along the part of @other that is
 * square to @axis. */
static void frame_of_two(const double axis[3], const double other[3], double f[3][3])
{
    double along = lk_dot(axis, other), length;

    for (int i = 0; i < 3; i++) {
        f[0][i] = other[i] - along * axis[i];
        f[2][i] = axis[i];
    }
    length = lk_norm(f[0]);
    for (int i = 0; i < 3; i++)
        f[0][i] /= length;
    lk_cross(f[2], f[0], f[1]);
}

/* rotate @f by the shortest rotation of its third vector to @axis (half a turn about f[0] if the
 * two are opposite) */
static void turn_frame(double f[3][3], const double axis[3])
{
    double cosine = lk_dot(f[2], axis);
    double k[3];

    if (cosine < -1 + 1e-12) {
        for (int i = 0; i < 3; i++) {
            f[1][i] = -f[1][i];
            f[2][i] = axis[i];
        }
        return;
    }
    /* Rodrigues' formula with k = f2 x axis: v + k x v + k x (k x v) / (1 + cos) */
    lk_cross(f[2], axis, k);
    for (int n = 0; n < 3; n++) {
        double once[3], twice[3];

        lk_cross(k, f[n], once);
        lk_cross(k, once, twice);
        for (int i = 0; i < 3; i++)
            f[n][i] += once[i] + twice[i] / (1 + cosine);
    }
}

static enum lk_frame_rule frame_rule(enum lk_joint_type type)
{
    enum lk_kind kind = lk_kind_of(type);

    if (kind < LK_KINDS)
        return lk_joint_kinds[kind].frames;
    return type == LK_JOINT_SCREW || type == LK_JOINT_CONSTANT_VELOCITY || type == LK_JOINT_SKATE
               ? LK_FRAMES_AXIS
               : LK_FRAMES_WORLD;
}

/* Compute the initial frames of both sides in world axes; f[s][2] is the axis. */
static void initial_frames(const struct lk_joint_def *def, double f[2][3][3])
{
    static const double world[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    memcpy(f[0], world, sizeof(world));
    memcpy(f[1], world, sizeof(world));
    if (def->type == LK_JOINT_CONE_ON_RAIL || def->type == LK_JOINT_ROLLING) {
        frame_of_axis(def->axis[0], f[0]);
        frame_of_axis(def->axis[1], f[1]);
        return;
    }
    switch (frame_rule(def->type)) {
    case LK_FRAMES_WORLD:
        return;
    case LK_FRAMES_CROSS:
        frame_of_two(def->axis[0], def->axis[1], f[0]);
        frame_of_two(def->axis[1], def->axis[0], f[1]);
        return;
    case LK_FRAMES_AXIS:
        frame_of_axis(def->axis[0], f[0]);
        break;
    case LK_FRAMES_PLANE:
        memcpy(f[0][0], def->direction, sizeof(def->direction));
        memcpy(f[0][2], def->axis[0], sizeof(def->axis[0]));
        lk_cross(f[0][2], f[0][0], f[0][1]);
        break;
    }
    memcpy(f[1], f[0], sizeof(f[0]));
    turn_frame(f[1], def->axis[1]);
}

static bool is_point(const struct lk_body_def *b)
{
    return b->mass > 0 && b->inertia[0] == 0 && b->inertia[1] == 0 && b->inertia[2] == 0;
}

/* Compute an arm; an arm that is only the round-off of two positions becomes 0. Otherwise a
 * point mass, which has no inertia, would turn about such an arm. */
static void arm_of(const struct lk_system *sys, const struct lk_draft *d, int body,
                   const double point[3], double ret[3])
{
    const double *x = sys->pose[body].x;
    double least = LK_ROUND_OFF * (lk_norm(point) + lk_norm(x));

    if (body < d->n_bodies && is_point(&d->model->bodies[d->of[body]]))
        least = fmax(least, LK_ROUND_OFF_POINT * d->size);
    lk_sub(point, x, ret);
    if (lk_norm(ret) <= least)
        memset(ret, 0, 3 * sizeof(double));
}

static void place_side(const struct lk_system *sys, const struct lk_draft *d, const double point[3],
                       double f[3][3], struct lk_joint *j, int s)
{
    const struct lk_pose *pose = &sys->pose[j->body[s]];
    double arm[3];

    arm_of(sys, d, j->body[s], point, arm);
    lk_rotate_back(pose->R, arm, j->p[s]);
    for (int k = 0; k < 3; k++)
        lk_rotate_back(pose->R, f[k], j->f[s][k]);
}

/* The joint functions compute a travel as a constant plus the gap between the points along a
 * direction of side 0. Set the constant so that the initial travel is the value of the model file.
 */
static void zero_travels(struct lk_joint *j, const struct lk_joint_def *def, double f[3][3])
{
    enum lk_kind kind = lk_kind_of(def->type);
    double travel[3];

    lk_sub(def->point[1], def->point[0], travel);
    for (int i = 0; kind < LK_KINDS && i < lk_joint_kinds[kind].n_coordinates; i++) {
        enum lk_measure measure = lk_joint_kinds[kind].measure[i];

        if (measure < LK_ABOUT_AXIS)
            j->coordinate[i] -= lk_dot(f[measure - LK_ALONG_0], travel);
    }
}

static void fill_from_def(struct lk_system *sys, const struct lk_draft *d, struct lk_joint *j,
                          const struct lk_joint_def *def)
{
    double f[2][3][3];

    initial_frames(def, f);
    memcpy(j->coordinate, def->coordinate, sizeof(j->coordinate));
    for (int s = 0; s < 2; s++)
        place_side(sys, d, def->point[s], f[s], j, s);
    zero_travels(j, def, f[0]);
    j->length = def->length;
    j->pitch = def->pitch;
    j->sine = sin(def->half_angle);
    j->radius = def->rail_radius;
}

static void fill_from_force(struct lk_system *sys, const struct lk_draft *d, struct lk_joint *j,
                            const struct lk_force_def *def)
{
    double R[9], f[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    if (def->type == LK_FORCE_BUSHING || def->type == LK_FORCE_DRAG) {
        lk_quat_matrix(def->orientation, R);
        for (int k = 0; k < 3; k++)
            for (int i = 0; i < 3; i++)
                f[k][i] = R[3 * i + k];
    }
    for (int s = 0; s < 2; s++)
        place_side(sys, d, def->point[s], f, j, s);
}

static void fill_sway(struct lk_system *sys, const struct lk_draft *d, struct lk_joint *j,
                      const double (*point)[3])
{
    double f[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

    for (int s = 0; s < 2; s++)
        place_side(sys, d, point[s ^ j->is_exchanged], f, j, s);
}

/* Set the constants of a weld. The parts of a split body have the same pose, so all points and
 * frames coincide. */
static void fill_weld(struct lk_joint *j)
{
    for (int s = 0; s < 2; s++)
        for (int k = 0; k < 3; k++)
            j->f[s][k][k] = 1;
}

static int side_at(const struct lk_joint *j, int body)
{
    for (int s = 0; s < j->n_sides; s++)
        if (j->body[s] == body)
            return s;
    return -1;
}

/* set a reference from a coordinate row or a coupling to one of its joints */
static void refer(struct lk_system *sys, const struct lk_draft *d, struct lk_joint *j, int k,
                  int joint, int which)
{
    /* this joint may come later and not be filled yet: read its bodies from the draft */
    j->of[k] = &sys->joint[joint];
    j->which[k] = which;
    for (int s = 0; s < 2; s++)
        j->at_side[k][s] =
            j->type == LK_JOINT_COORDINATE ? s : side_at(j, d->blocks[joint].body[s]);
}

/* Set the constants of a coupling, so that it holds in the initial configuration. The ratio of a
 * differential refers to the mean of both outputs. */
static void couple(struct lk_system *sys, const struct lk_draft *d, struct lk_joint *j,
                   const struct lk_joint_def *def)
{
    const struct lk_joint_def *joints = d->model->joints;

    j->ratio = j->type == LK_JOINT_DIFFERENTIAL ? 2 / def->ratio : def->ratio;
    for (int k = 0; k < lk_coupled_joints(j->type); k++) {
        refer(sys, d, j, k, def->joint[k], def->coupled[k]);
        j->offset += (k == 0 ? -j->ratio : 1) * joints[def->joint[k]].coordinate[def->coupled[k]];
    }
}

/* Return joint @def as a slider, with its first direction perpendicular to @normal and to the axis.
 */
static struct lk_joint_def slider_of(const struct lk_joint_def *def, const double normal[3])
{
    struct lk_joint_def slider = *def;

    slider.type = LK_JOINT_SLIDER;
    lk_cross(normal, def->axis[0], slider.direction);
    return slider;
}

/* return whether block @b has all rows of joint @def, see plane.h */
static int has_all_rows(const struct lk_draft_block *b, const struct lk_joint_def *def)
{
    return b->type < LK_JOINT_PIN &&
           (b->type != LK_JOINT_POINT_ON_LINE || def->type == LK_JOINT_POINT_ON_LINE);
}

void lk_fill_joint(struct lk_system *sys, const struct lk_draft *d, int i)
{
    const struct lk_draft_block *b = &d->blocks[i];
    const struct lk_joint_def *def = b->joint >= 0 ? &d->model->joints[b->joint] : NULL;
    struct lk_joint_def other;
    struct lk_joint *j = &sys->joint[i];

    if (b->is_exchanged) {
        other = lk_carriers_exchange(def);
        def = &other;
    }
    if (b->type == LK_JOINT_SLIDER) {
        other = slider_of(def, lk_draft_plane(d, def)->normal);
        def = &other;
    }

    *j = (struct lk_joint){
        .type = b->type,
        .kind = b->kind,
        .n_sides = b->n_sides,
        .is_exchanged = b->is_exchanged,
        .n_rows = b->n_rows,
        .n_length = b->n_length,
        .row = d->plan.row[i],
        .is_known =
            has_all_rows(b, def) || (b->type != LK_JOINT_PIVOT && lk_draft_plane(d, def)->is_flat),
        .law = -1,
        .drive = b->drive,
    };
    memcpy(j->body, b->body, sizeof(j->body));
    if (b->type == LK_JOINT_COORDINATE)
        refer(sys, d, j, 0, b->joint, b->which);
    else if (lk_coupled_joints(b->type) > 0)
        couple(sys, d, j, def);
    else if (b->type == LK_JOINT_CREEP)
        fill_from_def(sys, d, j, &d->model->joints[d->model->forces[b->force].joint]);
    else if (b->type == LK_JOINT_TYRE)
        lk_fill_tyre_joint(sys, d->model, b->force, j);
    else if (b->type == LK_JOINT_CONTACT)
        lk_fill_contact_joint(sys, d->model, b->force, b->which, j);
    else if (def)
        fill_from_def(sys, d, j, def);
    else if (b->force >= 0)
        fill_from_force(sys, d, j, &d->model->forces[b->force]);
    else if (b->along >= 0)
        fill_sway(sys, d, j, lk_sways_points(d, &d->blocks[b->along]));
    else
        fill_weld(j);
    if (b->hold >= 0)
        j->offset = def->start[b->which];
}

struct lk_load lk_fill_load(const struct lk_system *sys, int body, const double point[3],
                            enum lk_frame frame, int is_torque)
{
    struct lk_load l = {
        .body = body,
        .is_torque = is_torque,
        .in_body_frame = frame == LK_FRAME_BODY,
    };
    double arm[3];

    lk_sub(point, sys->pose[body].x, arm);
    lk_rotate_back(sys->pose[body].R, arm, l.point);
    return l;
}
