/* SPDX-License-Identifier: Apache-2.0 */
#include "offline.h"
#include "commands.h"
#include "foxglove/scene_json.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Parts of the page before and after the data; empty if the build had none of its libraries. */
extern const unsigned char offline_head[], offline_tail[];
extern const size_t offline_head_size, offline_tail_size;

static void put_place(struct lk_json *json, const char *key, const double place[3])
{
    lk_json_open(json, key, '[');
    for (int k = 0; k < 3; k++)
        lk_json_rounded(json, NULL, place[k], 7);
    lk_json_close(json, ']');
}

/* Write the joints that are open at one instant. */
static void put_open(struct lk_json *json, const struct lk_scene *scene, const double *poses,
                     double least)
{
    lk_json_open(json, NULL, '[');
    for (int i = 0; i < scene->n_joints; i++) {
        struct lk_scene_gap gap;

        lk_scene_gap(scene, i, poses, &gap);
        if (scene->joint[i].is_soft || (gap.shift <= least * scene->size && gap.tilt <= least))
            continue;
        lk_json_open(json, NULL, '{');
        lk_json_text(json, "joint", scene->joint[i].name);
        lk_json_rounded(json, "shift", gap.shift, 7);
        lk_json_rounded(json, "tilt", gap.tilt, 7);
        put_place(json, "from", gap.place[0]);
        put_place(json, "to", gap.place[1]);
        lk_json_close(json, '}');
    }
    lk_json_close(json, ']');
}

/* Write the joint with the largest gap at one instant, even if this gap is small. */
static void put_worst(struct lk_json *json, const struct lk_scene *scene, const double *poses,
                      double least)
{
    struct lk_scene_gap gap;
    double largest = -1;
    int worst = -1;

    for (int i = 0; i < scene->n_joints && isfinite(least); i++) {
        lk_scene_gap(scene, i, poses, &gap);
        if (!scene->joint[i].is_soft && gap.shift > largest) {
            largest = gap.shift;
            worst = i;
        }
    }
    if (worst < 0) {
        lk_json_null(json, NULL);
        return;
    }
    lk_json_open(json, NULL, '{');
    lk_json_text(json, "joint", scene->joint[worst].name);
    lk_json_rounded(json, "shift", largest, 3);
    lk_json_close(json, '}');
}

static void put_data(struct lk_json *json, const char *name, const struct lk_scene *scene,
                     const struct offline_motion *m)
{
    size_t n_values = (size_t)scene->n_bodies * LK_POSE_SIZE;

    lk_json_open(json, NULL, '{');
    lk_json_text(json, "name", name);
    lk_json_rounded(json, "speed", m->speed, 7);
    lk_json_open(json, "times", '[');
    for (int i = 0; i < m->n; i++)
        lk_json_rounded(json, NULL, m->time[i], 9);
    lk_json_close(json, ']');
    lk_json_open(json, "poses", '[');
    for (int i = 0; i < m->n; i++) {
        lk_json_open(json, NULL, '[');
        for (size_t k = 0; k < n_values; k++)
            lk_json_rounded(json, NULL, m->poses[(size_t)i * n_values + k], 7);
        lk_json_close(json, ']');
    }
    lk_json_close(json, ']');
    lk_json_open(json, "open", '[');
    for (int i = 0; i < m->n; i++)
        put_open(json, scene, m->poses + (size_t)i * n_values, m->least);
    lk_json_close(json, ']');
    lk_json_open(json, "worst", '[');
    for (int i = 0; i < m->n; i++)
        put_worst(json, scene, m->poses + (size_t)i * n_values, m->least);
    lk_json_close(json, ']');
    lk_scene_json(json, scene);
    lk_json_close(json, '}');
}

static bool write_page(FILE *file, const char *name, const struct lk_scene *scene,
                       const struct offline_motion *motion)
{
    char *text = NULL;
    size_t size = 0;
    struct lk_json json = {.file = open_memstream(&text, &size)};
    bool good = json.file != NULL;

    if (good) {
        put_data(&json, name, scene, motion);
        good = fclose(json.file) == 0;
    }
    if (good) {
        fwrite(offline_head, 1, offline_head_size, file);
        put_in_script(file, text, size);
        fwrite(offline_tail, 1, offline_tail_size, file);
    }
    free(text);
    return good && !ferror(file);
}

bool offline_can_write(const char *path)
{
    if (offline_tail_size > 0)
        return true;
    complain("--html %s: this program was built without esbuild and libjs-three (-Dpage); "
             "--svg needs no library",
             path);
    return false;
}

bool offline_save(const char *path, const char *name, const struct lk_scene *scene,
                  const struct offline_motion *motion)
{
    bool written = false;
    struct output *to = NULL;
    int fault = output_open(path, OUTPUT_MARK_HTML, &to);

    if (fault == 0)
        written = write_page(output_file(to), name, scene, motion);
    if (fault == 0)
        fault = output_close(to, written);
    if (fault == 0 && !written)
        fault = -ENOMEM;
    return told_output(path, fault) == EXIT_DONE;
}
