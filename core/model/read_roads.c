/* SPDX-License-Identifier: Apache-2.0 */
/* Section `roads`: what tyres stand on. */
#include "reader.h"

#include <math.h>
#include <string.h>

static const char *const kinds[] = {"plane", "profile", NULL};

/* in the order of enum lk_road_kind */
static const char *const keys[][9] = {
    {"type", "body", "friction", "point", "normal", NULL},
    {"type", "body", "friction", "point", "normal", "direction", "left", "right", NULL},
};

static int read_plane(struct lk_node map, struct lk_road_def *road, struct lk_error *err)
{
    struct lk_node normal = lk_node_get(map, "normal");
    int result = lk_read_vector_or(map, "point", road->point, err);

    if (normal.index == 0)
        return result;
    return lk_also(result, lk_read_direction_node(normal, "normal", road->normal, err));
}

/* the direction as far as it is square to the normal */
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

static int read_road(struct lk_node key, struct lk_node map, struct lk_model *model,
                     struct lk_road_def *road, struct lk_error *err)
{
    int type = 0, result, typed;

    *road = (struct lk_road_def){.body = LK_GROUND,
                                 .normal = {0, 0, 1},
                                 .direction = {1, 0, 0},
                                 .friction = 1,
                                 .friction_input = -1};
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
    result = lk_also(result, read_plane(map, road, err));
    return road->kind == LK_ROAD_PROFILE ? lk_also(result, read_profile(map, model, road, err))
                                         : result;
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
