/* SPDX-License-Identifier: Apache-2.0 */
#include "modes_picture.h"
#include "commands.h"
#include "linkage/file.h"
#include "view/offline.h"
#include "view/view.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SWING                                                                                      \
    0.12 /* drawn amplitude: of the largest displacement in sizes of the mechanism, and of a       \
          * rotation in units of two radians */
#define PALE         0.25
#define FRAMES       61 /* instants of a period on a page */
#define PERIOD_SHOWN 2  /* duration of a period on a page [s] */

/* Return entry @at of the motion of all bodies at an angle of the period [rad]. */
static double motion_of(const struct lk_linear *l, const struct lk_mode *mode, int at, double angle)
{
    double re = cos(angle), im = sin(angle);
    double sum = 0;

    for (int i = 0; i < l->n_motions; i++)
        sum += (re * mode->shape[2 * i] - im * mode->shape[2 * i + 1]) *
               l->motion[(size_t)i * (size_t)l->n_bodies * 6 + (size_t)at];
    return sum;
}

/* Return the factor with which the mode is drawn. */
static double find_swing(const struct lk_linear *l, const struct lk_mode *mode, double size)
{
    double most = 0;

    for (int k = 0; k < 6 * l->n_bodies; k++)
        most = fmax(most, fabs(motion_of(l, mode, k, 0)) / (k % 6 < 3 ? size : 2));
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
                        double angle, double *poses)
{
    for (int b = 0; b < l->n_bodies; b++) {
        double *pose = poses + (ptrdiff_t)LK_POSE_SIZE * b, v[3];

        for (int k = 0; k < 3; k++) {
            pose[k] += swing * motion_of(l, mode, 6 * b + k, angle);
            v[k] = swing * motion_of(l, mode, 6 * b + 3 + k, angle);
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
    move_bodies(l, mode, find_swing(l, mode, scene->size), 0, poses);
    draw_scene(p, scene, poses);
    picture_finish(p);
}

static bool save_picture(const struct lk_scene *scene, double *poses, const struct lk_linear *l,
                         const struct lk_mode *mode, const char *title, const char *path)
{
    static const double ink[4] = {0.15, 0.15, 0.15, 1};
    struct picture p = {.width = 960, .height = 640};
    bool good;

    draw(&p, scene, poses, l, mode);
    picture_note(&p, 16, p.height - 8.0, title, ink);
    if (p.failed)
        complain("out of memory");
    good = !p.failed && save_svg(path, &p);
    free(p.mark);
    return good;
}

/* Write a page with a period of the mode, which it repeats. A mode that does not oscillate goes to
 * and fro as well. */
static bool save_page(const struct lk_scene *scene, const double *poses, const struct lk_linear *l,
                      const struct lk_mode *mode, const char *title, const char *path)
{
    size_t n_values = (size_t)scene->n_bodies * LK_POSE_SIZE;
    double *motion = calloc(FRAMES * n_values + 1, sizeof(*motion)), time[FRAMES];
    double period = mode->frequency > 0 ? 1 / mode->frequency : PERIOD_SHOWN;
    double swing = find_swing(l, mode, scene->size);
    const struct offline_motion shown = {.time = time,
                                         .poses = motion,
                                         .n = FRAMES,
                                         .least = INFINITY,
                                         .speed = period / PERIOD_SHOWN};
    bool good;

    if (motion == NULL) {
        complain("out of memory");
        return false;
    }
    for (int i = 0; i < FRAMES; i++) {
        time[i] = i * period / (FRAMES - 1);
        memcpy(motion + (size_t)i * n_values, poses, n_values * sizeof(*poses));
        move_bodies(l, mode, swing, 2 * M_PI * i / (FRAMES - 1), motion + (size_t)i * n_values);
    }
    good = offline_save(path, title, scene, &shown);
    free(motion);
    return good;
}

bool draw_mode(const struct lk_model *model, const struct lk_system *system,
               const struct lk_linear *l, const struct lk_mode *mode, int number, const char *svg,
               const char *html)
{
    struct lk_scene *scene = NULL;
    double *poses = NULL;
    char title[128];
    bool good;

    if (lk_scene_new(model, &scene) == 0)
        poses = calloc((size_t)scene->n_bodies + 1, LK_POSE_SIZE * sizeof(*poses));
    good = poses != NULL;
    if (good) {
        lk_system_poses(system, poses);
        snprintf(title, sizeof(title), "%s, mode %d: %.4g Hz, damping %.3g", lk_model_name(model),
                 number, mode->frequency, mode->damping);
        good = html == NULL || save_page(scene, poses, l, mode, title, html);
        good = (svg == NULL || save_picture(scene, poses, l, mode, title, svg)) && good;
    } else {
        complain("out of memory");
    }
    free(poses);
    lk_scene_free(scene);
    return good;
}
