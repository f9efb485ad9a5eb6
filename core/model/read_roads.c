/* SPDX-License-Identifier: Apache-2.0 */
/* Section `roads`: what tyres stand on. */
#include "reader.h"

#include <string.h>

static const char *const kinds[] = {"plane", NULL};

/* in the order of enum lk_road_kind */
static const char *const keys[][8] = {
    {"type", "body", "friction", "point", "normal", NULL},
};

static int read_plane(struct lk_node map, struct lk_road_def *road, struct lk_error *err)
{
    struct lk_node normal = lk_node_get(map, "normal");
    int result = lk_read_vector_or(map, "point", road->point, err);

    if (normal.index == 0)
        return result;
    return lk_also(result, lk_read_direction_node(normal, "normal", road->normal, err));
}

static int read_road(struct lk_node key, struct lk_node map, struct lk_model *model,
                     struct lk_road_def *road, struct lk_error *err)
{
    int type = 0, result, typed;

    *road = (struct lk_road_def){
        .body = LK_GROUND, .normal = {0, 0, 1}, .friction = 1, .friction_input = -1};
    result = lk_read_name(key, "road", road->name, err);
    typed = lk_read_type(map, "a road", kinds, &type, err);
    if (typed != 0)
        return lk_also(result, typed);
    road->kind = (enum lk_road_kind)type;
    result = lk_also(result, lk_node_check_keys(map, "a road", keys[type], err));
    if (lk_node_get(map, "body").index != 0)
        result =
            lk_also(result, lk_read_body(lk_node_get(map, "body"), model, true, &road->body, err));
    result = lk_also(result, lk_read_number_or_signal(map, "friction", 0, model, &road->friction,
                                                      &road->friction_input, err));
    return lk_also(result, read_plane(map, road, err));
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
