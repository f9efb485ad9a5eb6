/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of a model that linkage kc examines: by name, or by its tyres, masses and drives. */
#include "commands.h"
#include "kc.h"
#include "linkage/nearest.h"
#include "model/model.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ANGLE_RANGE  0.5  /* steering travel if nothing limits it [rad] */
#define LENGTH_RANGE 0.05 /* the same of a rack [m] */

/* Return the index of a joint, -1 after an error message. */
static int find_joint(const struct kc *kc, const char *option, const char *name)
{
    char meant[LK_MEANT_SIZE];

    for (int j = 0; j < kc->model->n_joints; j++)
        if (strcmp(kc->model->joints[j].name, name) == 0)
            return j;
    complain("%s: %s: no joint '%s'%s", kc->o->path, option, name,
             lk_meant(name, (const char *)kc->model->joints, sizeof(*kc->model->joints),
                      kc->model->n_joints, meant));
    return -1;
}

/* ---- wheels ---- */

/* Return the radius of the wheel at a joint: of the option, or of its tyre. NAN: none. */
static double radius_of(const struct kc *kc, int joint)
{
    const struct lk_model *model = kc->model;

    if (isfinite(kc->o->radius))
        return kc->o->radius;
    for (int i = 0; i < model->n_forces; i++)
        if (model->forces[i].type == LK_FORCE_TYRE && model->forces[i].joint == joint)
            return model->tyres[model->forces[i].tyre].radius;
    return NAN;
}

static int add_wheel(struct kc *kc, int joint)
{
    double radius = radius_of(kc, joint);
    const struct lk_joint_def *def = &kc->model->joints[joint];
    struct lk_suspension_request *q = &kc->request;

    if (def->type != LK_JOINT_REVOLUTE || def->body[1] == LK_GROUND) {
        complain("%s: joint '%s' is no wheel, expected a revolute joint of a carrier and a wheel",
                 kc->o->path, def->name);
        return EXIT_REFUSED;
    }
    if (!isfinite(radius)) {
        complain("%s: no tyre gives the radius of wheel '%s', expected --radius R", kc->o->path,
                 def->name);
        return EXIT_REFUSED;
    }
    for (int w = 0; w < q->n_wheels; w++)
        if (q->wheel[w].joint == joint)
            return EXIT_DONE;
    if (q->n_wheels == LK_SUSPENSION_WHEELS_MAX) {
        complain("%s: more than %d wheels; name those of interest by --wheel", kc->o->path,
                 LK_SUSPENSION_WHEELS_MAX);
        return EXIT_REFUSED;
    }
    q->wheel[q->n_wheels].joint = joint;
    q->wheel[q->n_wheels++].radius = radius;
    return EXIT_DONE;
}

static int add_named_wheels(struct kc *kc)
{
    const char *at = kc->o->wheels;
    int code = EXIT_DONE;

    while (code == EXIT_DONE) {
        size_t size = strcspn(at, ",");
        char name[LK_NAME_SIZE];
        int joint;

        snprintf(name, sizeof(name), "%.*s", (int)(size < sizeof(name) ? size : sizeof(name)), at);
        joint = find_joint(kc, "--wheel", name);
        if (joint < 0)
            return EXIT_REFUSED;
        code = add_wheel(kc, joint);
        if (at[size] == '\0')
            break;
        at += size + 1;
    }
    return code;
}

static int add_tyres(struct kc *kc)
{
    int code = EXIT_DONE;

    for (int i = 0; i < kc->model->n_forces && code == EXIT_DONE; i++) {
        const struct lk_force_def *f = &kc->model->forces[i];

        if (f->type == LK_FORCE_TYRE)
            code = add_wheel(kc, f->joint);
    }
    if (code == EXIT_DONE && kc->request.n_wheels == 0) {
        complain("%s: no wheels: no force of type tyre; expected --wheel JOINT[,JOINT...] and "
                 "--radius R",
                 kc->o->path);
        return EXIT_REFUSED;
    }
    return code;
}

/* ---- chassis ---- */

static bool is_wheel_or_carrier(const struct kc *kc, int body)
{
    for (int w = 0; w < kc->request.n_wheels; w++) {
        const struct lk_joint_def *joint = &kc->model->joints[kc->request.wheel[w].joint];

        if (joint->body[0] == body || joint->body[1] == body)
            return true;
    }
    return false;
}

static int find_heaviest(struct kc *kc)
{
    const struct lk_model *m = kc->model;
    int heaviest = 0;

    for (int b = 0; b < m->n_bodies; b++)
        if (m->bodies[b].mass > m->bodies[heaviest].mass)
            heaviest = b;
    if (is_wheel_or_carrier(kc, heaviest)) {
        complain(
            "%s: the heaviest body '%s' is a wheel or its carrier, expected --chassis BODY, or "
            "--chassis ground of a rig",
            kc->o->path, m->bodies[heaviest].name);
        return EXIT_REFUSED;
    }
    kc->request.chassis = heaviest;
    return EXIT_DONE;
}

static int find_chassis(struct kc *kc)
{
    const struct lk_model *m = kc->model;
    const char *name = kc->o->chassis;
    char meant[LK_MEANT_SIZE];

    if (name == NULL)
        return find_heaviest(kc);
    kc->request.chassis = LK_GROUND;
    if (strcmp(name, "ground") == 0)
        return EXIT_DONE;
    for (int b = 0; b < m->n_bodies; b++)
        if (strcmp(m->bodies[b].name, name) == 0)
            kc->request.chassis = b;
    if (kc->request.chassis != LK_GROUND)
        return EXIT_DONE;
    complain("%s: --chassis: no body '%s'%s", kc->o->path, name,
             lk_meant(name, (const char *)m->bodies, sizeof(*m->bodies), m->n_bodies, meant));
    return EXIT_REFUSED;
}

/* ---- steering ---- */

static int add_steer(struct kc *kc, int joint, int which)
{
    struct lk_suspension_request *q = &kc->request;

    if (q->n_steers == LK_SUSPENSION_STEERS_MAX) {
        complain("%s: an input drives more than %d joints; name one by --steer", kc->o->path,
                 LK_SUSPENSION_STEERS_MAX);
        return EXIT_REFUSED;
    }
    q->steer[q->n_steers].joint = joint;
    q->steer[q->n_steers++].which = which;
    return EXIT_DONE;
}

/* Return whether a drive moves a joint between bodies, no platform and no wheel. */
static bool may_steer(const struct kc *kc, const struct lk_drive_def *drive)
{
    if (drive->type != LK_DRIVE_INPUT || kc->model->joints[drive->joint].type == LK_JOINT_FIXED)
        return false;
    for (int w = 0; w < kc->request.n_wheels; w++)
        if (kc->request.wheel[w].joint == drive->joint)
            return false;
    return true;
}

static int steer_by_input(struct kc *kc, int input)
{
    int code = EXIT_DONE;

    for (int i = 0; i < kc->model->n_drives && code == EXIT_DONE; i++) {
        const struct lk_drive_def *d = &kc->model->drives[i];

        if (may_steer(kc, d) && d->input == input)
            code = add_steer(kc, d->joint, d->coordinate);
    }
    return code;
}

static int find_only_input(struct kc *kc)
{
    const struct lk_model *m = kc->model;
    int input = -1;

    for (int i = 0; i < m->n_drives; i++) {
        const struct lk_drive_def *d = &m->drives[i];

        if (!may_steer(kc, d) || d->input == input)
            continue;
        if (input >= 0) {
            complain(
                "%s: inputs '%s' and '%s' both drive joints, expected --steer JOINT, or --steer "
                "none",
                kc->o->path, m->inputs[input].name, m->inputs[d->input].name);
            return EXIT_REFUSED;
        }
        input = d->input;
    }
    return input >= 0 ? steer_by_input(kc, input) : EXIT_DONE;
}

static int find_steer(struct kc *kc)
{
    int joint;

    if (kc->o->steer == NULL)
        return find_only_input(kc);
    if (strcmp(kc->o->steer, "none") == 0)
        return EXIT_DONE;
    joint = find_joint(kc, "--steer", kc->o->steer);
    if (joint < 0)
        return EXIT_REFUSED;
    for (int i = 0; i < kc->model->n_drives; i++)
        if (kc->model->drives[i].joint == joint && may_steer(kc, &kc->model->drives[i]))
            return steer_by_input(kc, kc->model->drives[i].input);
    if (lk_joint_traits[kc->model->joints[joint].type].n_coordinates == 0) {
        complain("%s: --steer: joint '%s' of type %s has no coordinate, expected a revolute or "
                 "prismatic joint",
                 kc->o->path, kc->o->steer, lk_joint_traits[kc->model->joints[joint].type].name);
        return EXIT_REFUSED;
    }
    return add_steer(kc, joint, 0);
}

/* Find the steering travel: the limits of the input, or a small one. */
static void find_steer_range(struct kc *kc)
{
    const struct lk_model *m = kc->model;
    const struct lk_joint_def *joint = &m->joints[kc->request.steer[0].joint];

    kc->is_steer_angle = lk_joint_coordinate_is_angle(joint->type, kc->request.steer[0].which);
    kc->steer_range = kc->is_steer_angle ? ANGLE_RANGE : LENGTH_RANGE;
    for (int i = 0; i < m->n_drives; i++) {
        const struct lk_drive_def *d = &m->drives[i];

        if (d->joint == kc->request.steer[0].joint && d->type == LK_DRIVE_INPUT &&
            isfinite(m->inputs[d->input].limits[1]) && m->inputs[d->input].limits[1] > 0)
            kc->steer_range = m->inputs[d->input].limits[1];
    }
    if (isfinite(kc->o->steer_range))
        kc->steer_range = kc->o->steer_range;
}

/* Check the axes of the world: gravity, if any, acts along -z. */
static int check_gravity(const struct kc *kc)
{
    const double *g = kc->model->gravity;

    if (fabs(g[0]) + fabs(g[1]) <= 1e-3 * fabs(g[2]) && g[2] <= 0)
        return EXIT_DONE;
    complain("%s: gravity is (%g, %g, %g), expected it along -z: x is forward, y left, z up",
             kc->o->path, g[0], g[1], g[2]);
    return EXIT_REFUSED;
}

int kc_choose(struct kc *kc)
{
    int code = kc->o->wheels != NULL ? add_named_wheels(kc) : add_tyres(kc);

    if (code == EXIT_DONE)
        code = check_gravity(kc);
    if (code == EXIT_DONE)
        code = find_chassis(kc);
    if (code == EXIT_DONE)
        code = find_steer(kc);
    if (code == EXIT_DONE && kc->request.n_steers > 0)
        find_steer_range(kc);
    return code;
}
