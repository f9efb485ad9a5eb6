/* SPDX-License-Identifier: Apache-2.0 */
/* A recording as a page. The number of its steps is unknown before its end, so every step is kept
 * at first. Whenever the room is used up, every other instant is removed and the distance between
 * instants doubles. The page interpolates. */
#include "film.h"
#include "commands.h"
#include "linkage/file.h"
#include "offline.h"
#include "recordings/replayed.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define INSTANTS 4000   /* limit of the number of instants on a page */
#define NUMBERS  600000 /* limit of the numbers in all poses of these instants */

/* struct film - instants kept so far.
 * @room:            limit of @n, even
 * @every, @n_steps: one of @every steps is kept; number of steps, the start included */
struct film {
    char name[LK_NAME_SIZE];
    struct lk_scene *scene;
    size_t n_values;
    int n, room;
    uint64_t every, n_steps;
    double *time;
    double *poses;
};

static void keep(struct film *film, const struct lk_system *system)
{
    film->time[film->n] = lk_system_time(system);
    lk_system_poses(system, film->poses + (size_t)film->n++ * film->n_values);
}

/* Remove every other instant. */
static void thin(struct film *film)
{
    film->n /= 2;
    film->every *= 2;
    for (int i = 0; i < film->n; i++) {
        film->time[i] = film->time[2 * i];
        memcpy(film->poses + (size_t)i * film->n_values,
               film->poses + (size_t)(2 * i) * film->n_values, film->n_values * sizeof(double));
    }
}

static void take_step(void *context, const struct lk_system *system)
{
    struct film *film = context;

    if (film->n == film->room)
        thin(film);
    if (film->n_steps++ % film->every == 0)
        keep(film, system);
}

static bool begin(void *context, const struct lk_model *model, const struct lk_system *system)
{
    struct film *film = context;

    snprintf(film->name, sizeof(film->name), "%s", lk_model_name(model));
    if (lk_scene_new(model, &film->scene) == 0) {
        film->n_values = (size_t)film->scene->n_bodies * LK_POSE_SIZE;
        film->room = 2 * (int)fmax(2, fmin(INSTANTS, NUMBERS / (double)(film->n_values + 1)) / 2);
        film->time = calloc((size_t)film->room, sizeof(*film->time));
        film->poses = calloc((size_t)film->room * film->n_values + 1, sizeof(*film->poses));
    }
    if (film->time == NULL || film->poses == NULL) {
        complain("out of memory");
        return false;
    }
    film->every = 1;
    take_step(film, system);
    return true;
}

static int save(const struct film *film, const char *html)
{
    const struct offline_motion motion = {
        .time = film->time, .poses = film->poses, .n = film->n, .least = INFINITY};

    if (!offline_save(html, film->name, film->scene, &motion))
        return EXIT_REFUSED;
    printf("%s: %s, %d instants up to t = %g s\n", html, film->name, film->n,
           film->time[film->n - 1]);
    return EXIT_DONE;
}

int film_view(const char *path, const char *roads, const char *html)
{
    struct film film = {.n = 0};
    const struct replay_watch watch = {begin, take_step, &film};
    int code = replay_motion(path, roads, &watch);

    if (film.n > 1 && save(&film, html) != EXIT_DONE)
        code = EXIT_REFUSED;
    lk_scene_free(film.scene);
    free(film.time);
    free(film.poses);
    return code;
}

bool film_is_recording(const char *path)
{
    static const char magic[] = "\x89MCAP";
    char first[sizeof(magic) - 1] = "";
    int fd = lk_file_open(path);
    bool is = fd >= 0 && read(fd, first, sizeof(first)) == (ssize_t)sizeof(first) &&
              memcmp(first, magic, sizeof(first)) == 0;

    if (fd >= 0)
        close(fd);
    return is;
}
