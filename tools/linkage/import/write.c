/* SPDX-License-Identifier: Apache-2.0 */
/* Writer of the model file: bodies, joints, forces of joints, an input for each joint of limited
 * effort, an output for each coordinate, an output for the frame of each link that became part of
 * another body, and shapes. */
#include "import.h"

#include "linkage/linkage.h"
#include "linkage/text.h"
#include "maths/vec.h"
#include "numbers.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CHANNELS_MAX 1024
#define RATE         100   /* rate of an input: full effort within 10 ms [1/s] */
#define ROUND        1e-15 /* round-off of rotations, as a share of the largest number */

/** struct writer - state of the writer.
 * @channel: names of the @n_channels inputs and outputs so far */
struct writer {
    const struct robot *robot;
    const struct import_options *options;
    FILE *file;
    char (*channel)[LK_NAME_SIZE];
    int n_channels;
    int n_outputs;
};

/* ---- numbers ---- */

static void put_number(FILE *f, double x)
{
    print_shortest(f, x == 0 ? 0 : x); /* converts -0 to 0 */
}

static void put_numbers(FILE *f, const double *x, int n)
{
    double largest = 0;

    for (int i = 0; i < n; i++)
        largest = lk_max(largest, fabs(x[i]));
    fputc('[', f);
    for (int i = 0; i < n; i++) {
        fputs(i > 0 ? ", " : "", f);
        put_number(f, fabs(x[i]) <= ROUND * largest ? 0 : x[i]);
    }
    fputc(']', f);
}

static void put_pair(FILE *f, double x[2][3])
{
    fputc('[', f);
    put_numbers(f, x[0], 3);
    fputs(", ", f);
    put_numbers(f, x[1], 3);
    fputc(']', f);
}

/* ---- names ---- */

/* Make a valid name from @from and @end that differs from the @n names at @taken. */
static void make_name(const char *from, const char *end, const char *taken, int n, size_t size,
                      char ret[LK_NAME_SIZE])
{
    char plain[40];
    size_t length = 0;

    for (; *from != '\0' && length < sizeof(plain) - 1; from++)
        plain[length++] =
            (char)(isalnum((unsigned char)*from) || *from == '_' || *from == '-' ? *from : '_');
    plain[length] = '\0';
    for (int k = 1;; k++) {
        int i = 0;

        snprintf(ret, LK_NAME_SIZE, "%s%s%s", isalpha((unsigned char)plain[0]) ? "" : "_", plain,
                 end);
        if (k > 1)
            snprintf(ret + strlen(ret), LK_NAME_SIZE - strlen(ret), "_%d", k);
        while (i < n && strcmp(taken + (size_t)i * size, ret) != 0)
            i++;
        if (i == n && strcmp(ret, "ground") != 0)
            return;
    }
}

/* Make the name of a channel; NULL if there is no room for another channel. */
static const char *make_channel(struct writer *w, const char *from, const char *end)
{
    char *name = w->channel[w->n_channels];

    if (w->n_channels == 2 * CHANNELS_MAX)
        return NULL;
    make_name(from, end, w->channel[0], w->n_channels, sizeof(w->channel[0]), name);
    w->n_channels++;
    return name;
}

void name_robot(struct robot *robot)
{
    for (int i = 0; i < robot->n_links; i++)
        make_name(robot->links[i].name, "", robot->links[0].own, i, sizeof(robot->links[0]),
                  robot->links[i].own);
    for (int i = 0; i < robot->n_limbs; i++)
        make_name(robot->limbs[i].name, "", robot->limbs[0].own, i, sizeof(robot->limbs[0]),
                  robot->limbs[i].own);
}

/* ---- places ---- */

static const char *body_name(const struct writer *w, int b)
{
    return stands(w->robot, w->options, b) ? "ground"
                                           : w->robot->links[w->robot->bodies[b].first].own;
}

static void body_frame(const struct writer *w, int b, struct frame *ret)
{
    *ret = w->robot->links[w->robot->bodies[b].first].frame;
}

/** struct sides - a joint as seen from both bodies.
 * @frame: world frame on each body
 * @axis:  axis on each body
 * @value: coordinate between these frames */
struct sides {
    struct frame frame[2];
    double axis[2][3];
    double value;
};

static void find_sides(const struct writer *w, const struct limb *limb, struct sides *s)
{
    const struct link *parent = &w->robot->links[limb->parent],
                      *child = &w->robot->links[limb->child];
    struct frame body, relative, back;
    double sine = 0;

    body_frame(w, parent->body, &body);
    frame_in(&body, &parent->in_body, &s->frame[0]);
    frame_in(&s->frame[0], &limb->origin, &s->frame[0]);
    body_frame(w, child->body, &body);
    frame_in(&body, &child->in_body, &s->frame[1]);
    frame_in(&s->frame[1], &limb->closing, &s->frame[1]);
    frame_direction(&s->frame[0], limb->axis, s->axis[0]);
    frame_direction(&s->frame[1], limb->child_axis, s->axis[1]);
    frame_inverse(&s->frame[0], &back);
    frame_in(&back, &s->frame[1], &relative);
    if (limb->kind == KIND_PRISMATIC) {
        s->value = lk_dot(relative.r, limb->axis);
        for (int i = 0; i < 3; i++) /* move the first body's frame to the displaced position */
            s->frame[0].r[i] += s->value * s->axis[0][i];
    } else if (limb->kind == KIND_REVOLUTE) {
        for (int i = 0; i < 3; i++)
            sine += relative.q[1 + i] * limb->axis[i];
        s->value = 2 * atan2(sine, relative.q[0]);
        s->value += 2 * M_PI * rint((limb->value - s->value) / (2 * M_PI));
    } else {
        s->value = 0;
    }
    /* The values differ by round-off only. */
    if (fabs(s->value - limb->value) < 1e-12 * (1 + fabs(limb->value)))
        s->value = limb->value;
}

static bool is_apart(double x[2][3], double more)
{
    double d[3];

    lk_sub(x[0], x[1], d);
    return lk_norm(d) > more;
}

/* ---- sections ---- */

static bool is_written(const struct writer *w, const struct limb *limb)
{
    return limb->kind != KIND_FIXED && limb->kind != KIND_FLOATING && !limb->locked &&
           w->robot->links[limb->parent].body != w->robot->links[limb->child].body;
}

static void write_bodies(const struct writer *w)
{
    const struct robot *robot = w->robot;
    FILE *f = w->file;

    fputs("bodies:\n", f);
    for (int b = 0; b < robot->n_bodies; b++) {
        const struct body *body = &robot->bodies[b];

        if (stands(robot, w->options, b))
            continue;
        fprintf(f, "  %s:", body_name(w, b));
        if (body->mended[0] != '\0')
            fprintf(f, " # mended: %s", body->mended);
        else if (body->n_links > 1)
            fprintf(f, " # of %d links", body->n_links);
        fputs("\n    mass: ", f);
        put_number(f, body->mass);
        fputs("\n    inertia: ", f);
        put_numbers(f, body->inertia, 6);
        fputs("\n    position: ", f);
        put_numbers(f, body->position, 3);
        fputs("\n    orientation: {quaternion: ", f);
        put_numbers(f, body->orientation, 4);
        fputs("}\n", f);
    }
}

static void write_joint(const struct writer *w, const struct limb *limb)
{
    static const char *const types[] = {[KIND_REVOLUTE] = "revolute",
                                        [KIND_PRISMATIC] = "prismatic",
                                        [KIND_SPHERICAL] = "spherical",
                                        [KIND_PLANAR] = "planar",
                                        [KIND_CYLINDRICAL] = "cylindrical"};
    const struct link *links = w->robot->links;
    struct sides s;
    double point[2][3];
    FILE *f = w->file;

    find_sides(w, limb, &s);
    memcpy(point[0], s.frame[0].r, sizeof(point[0]));
    memcpy(point[1], s.frame[1].r, sizeof(point[1]));
    fprintf(f, "  %s: {type: %s, bodies: [%s, %s], ", limb->own, types[limb->kind],
            body_name(w, links[limb->parent].body), body_name(w, links[limb->child].body));
    if (is_apart(point, 1e-9)) {
        fputs("points: ", f);
        put_pair(f, point);
    } else {
        fputs("point: ", f);
        put_numbers(f, point[1], 3);
    }
    if (limb->kind != KIND_SPHERICAL && is_apart(s.axis, 1e-9)) {
        fputs(", axes: ", f);
        put_pair(f, s.axis);
    } else if (limb->kind != KIND_SPHERICAL) {
        fputs(", axis: ", f);
        put_numbers(f, s.axis[1], 3);
    }
    if (has_coordinate(limb) && s.value + limb->drawn != 0) {
        fputs(", coordinate: ", f);
        put_number(f, s.value + limb->drawn);
    }
    fputs("}", f);
    if (limb->has_limits && w->options->no_stops)
        fprintf(f, " # limits %g, %g", limb->lower, limb->upper);
    fputs("\n", f);
}

static void write_joints(const struct writer *w)
{
    const struct robot *robot = w->robot;
    bool any = false;

    for (int i = 0; i < robot->n_limbs; i++) {
        const struct limb *limb = &robot->limbs[i];

        if (!is_written(w, limb))
            continue;
        fputs(any ? "" : "joints: # [parent, child]\n", w->file);
        any = true;
        write_joint(w, limb);
    }
    for (int i = 0; i < robot->n_limbs; i++) {
        const struct limb *limb = &robot->limbs[i];

        if (!is_written(w, limb) || limb->mimic < 0 || !is_written(w, &robot->limbs[limb->mimic]))
            continue;
        fprintf(w->file, "  %.57s_gear: {type: gear, joints: [%s, %s], ratio: ", limb->own,
                robot->limbs[limb->mimic].own, limb->own);
        put_number(w->file, limb->multiplier);
        fputs("}\n", w->file);
    }
}

static void put_limit(FILE *f, const char *key, double limit)
{
    if (isinf(limit))
        return;
    fprintf(f, ", %s: ", key);
    put_number(f, limit);
}

static void write_spring(FILE *f, const struct limb *limb)
{
    if (limb->stiffness == 0 && limb->damping == 0)
        return;
    fprintf(f, "  %.54s_%s: {type: joint-spring-damper, joint: %s", limb->own,
            limb->stiffness > 0 ? "spring" : "damping", limb->own);
    if (limb->stiffness > 0) {
        fputs(", stiffness: ", f);
        put_number(f, limb->stiffness);
    }
    if (limb->rest != 0 && limb->stiffness > 0) {
        fputs(", rest: ", f);
        put_number(f, limb->rest);
    }
    if (limb->damping > 0) {
        fputs(", damping: ", f);
        put_number(f, limb->damping);
    }
    fputs("}\n", f);
}

static void write_forces(const struct writer *w)
{
    const double *stops = w->options->stops;
    FILE *f = w->file;
    bool any = false;

    for (int i = 0; i < w->robot->n_limbs; i++) {
        const struct limb *limb = &w->robot->limbs[i];
        bool stop = limb->has_limits && limb->mimic < 0 && !w->options->no_stops;

        if (!is_written(w, limb) || !has_coordinate(limb) ||
            (limb->stiffness == 0 && limb->damping == 0 && limb->friction == 0 && !stop))
            continue;
        fputs(any ? "" : "forces:\n", f);
        any = true;
        write_spring(f, limb);
        if (limb->friction > 0) {
            fprintf(f, "  %.53s_friction: {type: friction, joint: %s, coulomb: ", limb->own,
                    limb->own);
            put_number(f, limb->friction);
            fputs("}\n", f);
        }
        if (stop) {
            fprintf(f, "  %.57s_stop: {type: stop, joint: %s", limb->own, limb->own);
            put_limit(f, "lower", limb->lower);
            put_limit(f, "upper", limb->upper);
            fprintf(f, ", stiffness: %g, damping: %g}\n", stops[0], stops[1]);
        }
    }
}

static void write_inputs(struct writer *w)
{
    FILE *f = w->file;
    bool any = false;

    for (int i = 0, n = 0; i < w->robot->n_limbs && n < CHANNELS_MAX; i++) {
        const struct limb *limb = &w->robot->limbs[i];
        bool turns = limb->kind == KIND_REVOLUTE;
        const char *name;

        if (!is_written(w, limb) || !has_coordinate(limb) || limb->mimic >= 0 ||
            !(limb->effort > 0))
            continue;
        name = limb->motor[0] != '\0' ? make_channel(w, limb->motor, "")
                                      : make_channel(w, limb->own, turns ? "_torque" : "_force");
        fputs(any ? "" : "inputs: # limited by the effort of each joint; so much a second, too\n",
              f);
        any = true;
        n++;
        fprintf(f, "  %s: {type: %s, joint: %s", name, turns ? "joint-torque" : "joint-force",
                limb->own);
        if (isinf(limb->effort)) {
            fputs("}\n", f);
            continue;
        }
        fputs(", limits: [", f);
        put_number(f, -limb->effort);
        fputs(", ", f);
        put_number(f, limb->effort);
        fputs("], rate: ", f);
        put_number(f, RATE * limb->effort);
        fputs("}\n", f);
    }
}

static bool begin_output(struct writer *w, const char *from, const char *end)
{
    const char *name = w->n_outputs < CHANNELS_MAX ? make_channel(w, from, end) : NULL;

    if (name == NULL)
        return false;
    fputs(w->n_outputs++ == 0 ? "outputs:\n" : "", w->file);
    fprintf(w->file, "  %s: ", name);
    return true;
}

static void write_outputs(struct writer *w)
{
    const struct robot *robot = w->robot;

    for (int i = 0; i < robot->n_limbs; i++) {
        const struct limb *limb = &robot->limbs[i];

        if (is_written(w, limb) && has_coordinate(limb) && !limb->is_rotor &&
            begin_output(w, limb->own, ""))
            fprintf(w->file, "{type: joint-position, joint: %s}\n", limb->own);
    }
    for (int i = 0; i < robot->n_links; i++) {
        const struct link *link = &robot->links[i];
        struct frame body, frame;

        if (stands(robot, w->options, link->body) || robot->bodies[link->body].first == i ||
            (link->joint >= 0 && robot->limbs[link->joint].locked) ||
            !begin_output(w, link->own, ""))
            continue;
        body_frame(w, link->body, &body);
        frame_in(&body, &link->in_body, &frame);
        fprintf(w->file, "{type: point-position, body: %s, point: ", body_name(w, link->body));
        put_numbers(w->file, frame.r, 3);
        fputs("} # the frame of that link\n", w->file);
    }
}

/* Write numbers of a shape, rounded to nanometres for shorter files. */
static void put_rounded(FILE *f, const double *x, int n)
{
    double rounded[4];

    for (int i = 0; i < n; i++)
        rounded[i] = fabs(x[i]) < 1e6 ? rint(x[i] * 1e9) / 1e9 : x[i];
    put_numbers(f, rounded, n);
}

/* Write the size and the orientation of a shape. @frame: in the world */
static void write_extent(FILE *f, const struct shape *shape, const struct frame *frame)
{
    double axis[3];

    if (shape->kind == LK_SHAPE_BOX) {
        fputs(", size: ", f);
        put_numbers(f, shape->size, 3);
        if (fabs(frame->q[0]) < 1) {
            fputs(", orientation: {quaternion: ", f);
            put_rounded(f, frame->q, 4);
            fputc('}', f);
        }
        return;
    }
    fputs(", diameter: ", f);
    put_number(f, shape->size[0]);
    if (shape->kind == LK_SHAPE_SPHERE)
        return;
    frame_direction(frame, (const double[]){0, 0, 1}, axis);
    fputs(", length: ", f);
    put_number(f, shape->size[2]);
    fputs(", axis: ", f);
    put_rounded(f, axis, 3);
}

/* Write a shape as shape @k of its link. Names of links are unique, so LINK_K is unique, too. */
static void write_shape(const struct writer *w, const struct shape *shape, int k)
{
    static const char *const types[] = {
        [LK_SHAPE_BOX] = "box", [LK_SHAPE_SPHERE] = "sphere", [LK_SHAPE_CYLINDER] = "cylinder"};
    const struct link *link = &w->robot->links[shape->link];
    struct frame frame;
    FILE *f = w->file;

    body_frame(w, link->body, &frame);
    frame_in(&frame, &link->in_body, &frame);
    frame_in(&frame, &shape->at, &frame);
    fprintf(f, "  %s_%d: {type: %s, body: %s, position: ", link->own, k, types[shape->kind],
            body_name(w, link->body));
    put_rounded(f, frame.r, 3);
    write_extent(f, shape, &frame);
    if (shape->has_color) {
        fputs(", color: ", f);
        put_numbers(f, shape->color, shape->color[3] < 1 ? 4 : 3);
    }
    fputs("}\n", f);
}

static void write_shapes(const struct writer *w)
{
    const struct robot *robot = w->robot;

    for (int i = 0, k = 0; i < robot->n_shapes; i++) {
        k = i > 0 && robot->shapes[i].link == robot->shapes[i - 1].link ? k + 1 : 1;
        fputs(i == 0 ? "shapes:\n" : "", w->file);
        write_shape(w, &robot->shapes[i], k);
    }
}

bool write_robot(const struct robot *robot, const struct import_options *options, FILE *file)
{
    struct writer w = {.robot = robot, .options = options, .file = file};
    const char *slash = strrchr(options->path, '/');
    char name[LK_NAME_SIZE];

    w.channel = calloc(2 * CHANNELS_MAX, sizeof(*w.channel));
    if (w.channel == NULL)
        return false;
    make_name(robot->name, "", NULL, 0, 0, name);
    fprintf(file, IMPORT_MARK "\nname: %s # from ", name);
    lk_text_print(file, slash != NULL ? slash + 1 : options->path);
    fputs("\ngravity: ", file);
    put_numbers(file, robot->gravity, 3);
    fputs("\n", file);
    write_bodies(&w);
    write_joints(&w);
    write_forces(&w);
    write_inputs(&w);
    write_outputs(&w);
    write_shapes(&w);
    free(w.channel);
    return true;
}
