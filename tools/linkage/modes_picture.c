/* SPDX-License-Identifier: Apache-2.0 */
#include "modes_picture.h"
#include "commands.h"
#include "linkage/file.h"
#include "view/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWING                                                                                      \
    0.12 /* drawn amplitude: of the largest displacement in sizes of the mechanism, and of a       \
          * rotation in units of two radians */
#define PALE 0.25

/* Return the real part of entry @at of the motion of all bodies. */
static double motion_of(const struct lk_linear *l, const struct lk_mode *mode, int at)
{
    double sum = 0;

    for (int i = 0; i < l->n_motions; i++)
        sum += mode->shape[2 * i] * l->motion[(size_t)i * (size_t)l->n_bodies * 6 + (size_t)at];
    return sum;
}

/* Return the factor with which the mode is drawn. */
static double find_swing(const struct lk_linear *l, const struct lk_mode *mode, double size)
{
    double most = 0;

    for (int k = 0; k < 6 * l->n_bodies; k++)
        most = fmax(most, fabs(motion_of(l, mode, k)) / (k % 6 < 3 ? size : 2));
    return most > 0 ? SWING / most : 0;
}

/* Rotate @q by a small vector in world axes. */
static void turn(double q[4], const double v[3])
{
    double angle = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    double c = cos(angle / 2), s = angle > 0 ? sin(angle / 2) / angle : 0;
    double x = s * v[0], y = s * v[1], z = s * v[2];
    const double old[4] = {q[0], q[1], q[2], q[3]};

    q[0] = c * old[0] - x * old[1] - y * old[2] - z * old[3];
    q[1] = c * old[1] + x * old[0] + y * old[3] - z * old[2];
    q[2] = c * old[2] + y * old[0] + z * old[1] - x * old[3];
    q[3] = c * old[3] + z * old[0] + x * old[2] - y * old[1];
}

static void move_bodies(const struct lk_linear *l, const struct lk_mode *mode, double swing,
                        double *poses)
{
    for (int b = 0; b < l->n_bodies; b++) {
        double *pose = poses + (ptrdiff_t)LK_POSE_SIZE * b, v[3];

        for (int k = 0; k < 3; k++) {
            pose[k] += swing * motion_of(l, mode, 6 * b + k);
            v[k] = swing * motion_of(l, mode, 6 * b + 3 + k);
        }
        turn(pose + 3, v);
    }
}

static void draw(struct picture *p, const struct lk_scene *scene, double *poses,
                 const struct lk_linear *l, const struct lk_mode *mode)
{
    camera_choose(&p->camera, scene, poses, NULL);
    draw_scene(p, scene, poses);
    for (int i = 0; i < p->n; i++)
        p->mark[i].color[3] *= PALE;
    move_bodies(l, mode, find_swing(l, mode, scene->size), poses);
    draw_scene(p, scene, poses);
    picture_finish(p);
}

bool draw_mode(const struct lk_model *model, const struct lk_system *system,
               const struct lk_linear *l, const struct lk_mode *mode, int number, const char *path)
{
    static const double ink[4] = {0.15, 0.15, 0.15, 1};
    struct picture p = {.width = 960, .height = 640};
    struct lk_scene *scene = NULL;
    double *poses = NULL;
    char text[128];
    bool good;

    if (lk_scene_new(model, &scene) == 0)
        poses = calloc((size_t)scene->n_bodies + 1, LK_POSE_SIZE * sizeof(*poses));
    if (poses != NULL) {
        lk_system_poses(system, poses);
        draw(&p, scene, poses, l, mode);
        snprintf(text, sizeof(text), "%s, mode %d: %.4g Hz, damping %.3g", lk_model_name(model),
                 number, mode->frequency, mode->damping);
        picture_note(&p, 16, p.height - 8.0, text, ink);
    }
    good = poses != NULL && !p.failed;
    if (!good)
        complain("out of memory");
    good = good && save_svg(path, &p);
    free(p.mark);
    free(poses);
    lk_scene_free(scene);
    return good;
}
