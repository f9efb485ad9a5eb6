/* SPDX-License-Identifier: Apache-2.0 */
/* Reads section `roads`: the surfaces below tyres. */
#include "linkage/crc.h"
#include "packed.h"
#include "reader.h"

#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX (256u << 20) /* largest size of all files of a model [bytes] */

static const char *const kinds[] = {"plane", "profile", "grid", "external", NULL};

/* keys of each type, in the order of enum lk_road_kind */
static const char *const keys[][10] = {
    {"type", "body", "friction", "point", "normal", NULL},
    {"type", "body", "friction", "point", "normal", "direction", "left", "right", "samples", NULL},
    {"type", "body", "friction", "point", "normal", "direction", "file", "beyond", "samples", NULL},
    {"type", "friction", NULL},
};

static int read_plane(struct lk_node map, struct lk_road_def *road, struct lk_error *err)
{
    struct lk_node normal = lk_node_get(map, "normal");
    int result = lk_read_vector_or(map, "point", road->point, err);

    if (normal.index == 0)
        return result;
    return lk_also(result, lk_read_direction_node(normal, "normal", road->normal, err));
}

/* read the direction, and keep its component perpendicular to the normal */
static int read_direction(struct lk_node map, struct lk_road_def *road, struct lk_error *err)
{
    struct lk_node node = lk_node_get(map, "direction");
    double along = 0, square = 0;
    int result = 0;

    if (node.index != 0)
        result = lk_read_direction_node(node, "direction", road->direction, err);
    for (int i = 0; i < 3; i++)
        along += road->direction[i] * road->normal[i];
    for (int i = 0; i < 3; i++) {
        road->direction[i] -= along * road->normal[i];
        square += road->direction[i] * road->direction[i];
    }
    if (result == 0 && square < 1e-6)
        return lk_node_refuse(node.index != 0 ? node : map, err,
                              "the direction of the road is that of its normal, expected one along "
                              "the road");
    for (int i = 0; i < 3; i++)
        road->direction[i] /= sqrt(square);
    return result;
}

static int read_profile(struct lk_node map, struct lk_model *model, struct lk_road_def *road,
                        struct lk_error *err)
{
    int result = read_direction(map, road, err);

    road->profile[0] = road->profile[1] = -1;
    if (lk_node_get(map, "left").index == 0)
        return lk_also(result, lk_node_refuse(map, err,
                                              "the key 'left' is missing, expected a map with "
                                              "distance and height, which 'right' may replace on "
                                              "the other side"));
    result = lk_also(result, lk_read_table(map, "left", "distance", "height", false, model,
                                           &road->profile[LK_TRACK_LEFT], err));
    road->profile[LK_TRACK_RIGHT] = road->profile[LK_TRACK_LEFT];
    return lk_also(result, lk_read_table(map, "right", "distance", "height", false, model,
                                         &road->profile[LK_TRACK_RIGHT], err));
}

static int check_name(struct lk_node node, const struct lk_model *model, const char *name,
                      struct lk_error *err)
{
    if (model->folder == NULL && model->files == NULL)
        return lk_node_refuse(node, err,
                              "the file '%s' of the road is not read for a text from elsewhere, "
                              "expected a folder for roads: 'roads' of the daemon's configuration",
                              name);
    return lk_check_file(node, "roads", name, err);
}

/* return the number of bytes in the files of all roads so far */
static size_t read_so_far(const struct lk_model *model)
{
    size_t sum = 0;

    for (int i = 0; i < model->n_roads; i++)
        sum += model->roads[i].grid.size;
    return sum;
}

/* Read one of the files that were packed with the model. */
static int take_given(const struct lk_packed_files *files, const char *name,
                      struct lk_road_file *ret, struct lk_error *err)
{
    for (int i = 0; i < files->n; i++)
        if (strcmp(files->file[i].name, name) == 0)
            return lk_road_file_take(files->file[i].bytes, files->file[i].size, ret, err);
    lk_error_set(err, "it is not among the files that came with the model");
    return LK_E_TEXT;
}

static int read_file(struct lk_node node, struct lk_model *model, struct lk_road_def *road,
                     struct lk_error *err)
{
    struct lk_error why = {""};
    char path[PATH_MAX];
    int result = check_name(node, model, road->file, err);

    if (result != 0)
        return result;
    if (model->files == NULL &&
        snprintf(path, sizeof(path), "%s/%s", model->folder, road->file) >= PATH_MAX)
        return lk_node_refuse(node, err, "the path of the file is too long");
    result = model->files != NULL ? take_given(model->files, road->file, &road->grid, &why)
                                  : lk_road_file_read(path, &road->grid, &why);
    if (result == LK_E_TEXT)
        return lk_node_refuse(node, err, "the file '%s': %s", road->file, why.text);
    if (result == 0 && read_so_far(model) > FILES_MAX)
        return lk_node_refuse(node, err, "the files of all roads have more than %u MiB",
                              FILES_MAX >> 20);
    return result;
}

static int read_grid(struct lk_node map, struct lk_model *model, struct lk_road_def *road,
                     struct lk_error *err)
{
    static const char *const edges[] = {"level", "none", NULL};
    struct lk_node beyond = lk_node_get(map, "beyond");
    int result = read_direction(map, road, err);
    int named = lk_node_read_text(map, "file", sizeof(road->file), road->file, err);

    if (named == 0)
        named = read_file(lk_node_get(map, "file"), model, road, err);
    result = lk_also(result, named);
    return beyond.index == 0
               ? result
               : lk_also(result, lk_node_read_choice(map, "beyond", edges, &road->ends, err));
}

static int read_samples(struct lk_node map, struct lk_road_def *road, struct lk_error *err)
{
    static const char *const counts[] = {"1", "4", NULL};
    int four = 0, result = 0;

    if (lk_node_get(map, "samples").index != 0)
        result = lk_node_read_choice(map, "samples", counts, &four, err);
    road->samples = four ? 4 : 1;
    return result;
}

static int read_road(struct lk_node key, struct lk_node map, struct lk_model *model,
                     struct lk_road_def *road, struct lk_error *err)
{
    int type = 0, result, typed;

    *road = (struct lk_road_def){.body = LK_GROUND,
                                 .normal = {0, 0, 1},
                                 .direction = {1, 0, 0},
                                 .friction = 1,
                                 .friction_input = -1,
                                 .samples = 1};
    result = lk_read_name(key, "road", road->name, err);
    typed = lk_read_type(map, "a road", kinds, &type, err);
    if (typed != 0)
        return lk_also(result, typed);
    road->kind = (enum lk_road_kind)type;
    result = lk_also(result, lk_node_check_keys(map, "a road", keys[type], err));
    if (lk_node_get(map, "body").index != 0)
        result =
            lk_also(result, lk_read_body(lk_node_get(map, "body"), model, true, &road->body, err));
    result = lk_also(result, lk_read_number_or_signal(map, "friction", 0, "1", model,
                                                      &road->friction, &road->friction_input, err));
    result = lk_also(result, read_plane(map, road, err));
    if (road->kind == LK_ROAD_PLANE || road->kind == LK_ROAD_EXTERNAL)
        return result;
    result = lk_also(result, read_samples(map, road, err));
    return lk_also(result, road->kind == LK_ROAD_PROFILE ? read_profile(map, model, road, err)
                                                         : read_grid(map, model, road, err));
}

int lk_read_roads(struct lk_node root, struct lk_model *model, struct lk_error *err)
{
    struct lk_node map;
    int result = lk_read_section(root, "roads", LK_ROADS_MAX, sizeof(*model->roads), &map,
                                 &model->roads, &model->n_roads, err);

    for (int i = 0; i < model->n_roads && lk_node_goes_on(root, result); i++)
        result = lk_also(result, read_road(lk_node_key_at(map, i), lk_node_at(map, i), model,
                                           &model->roads[i], err));
    return result;
}

void lk_free_roads(struct lk_model *model)
{
    for (int i = 0; i < model->n_roads; i++)
        lk_road_file_free(&model->roads[i].grid);
    free(model->roads);
}

int lk_model_files(const struct lk_model *model, uint32_t *ret_crc)
{
    uint32_t crc = 0;
    int n = 0;

    for (int i = 0; i < model->n_roads; i++) {
        const struct lk_road_file *f = &model->roads[i].grid;

        if (model->roads[i].kind != LK_ROAD_GRID)
            continue;
        crc = lk_crc32_join(crc, f->crc, f->size);
        n++;
    }
    *ret_crc = crc;
    return n;
}
