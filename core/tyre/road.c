/* SPDX-License-Identifier: Apache-2.0 */
#include "tyre/road.h"
#include "maths/vec.h"
#include <string.h>

/* the tangent plane of a height along the normal that depends on the distance along the direction
 */
static void touch_profile(const struct lk_road *road, const struct lk_points *profile,
                          const double place[3], struct lk_road_plane *ret)
{
    double from[3], along, inside, height, slope, length;
    struct lk_piece piece;

    lk_sub(place, road->point, from);
    along = lk_dot(from, road->direction);
    inside = fmin(fmax(along, profile->x[0]), profile->x[profile->n - 1]);
    piece = lk_points_piece(profile, inside);
    height = lk_piece_value(&piece);
    slope = lk_piece_slope(&piece);
    length = lk_root(1 + slope * slope);
    for (int i = 0; i < 3; i++) {
        ret->point[i] = road->point[i] + along * road->direction[i] + height * road->normal[i];
        ret->normal[i] = (road->normal[i] - slope * road->direction[i]) / length;
    }
}

void lk_road_at(const struct lk_road *road, enum lk_track track, const double place[3],
                struct lk_road_plane *ret)
{
    if (road->kind == LK_ROAD_PROFILE) {
        touch_profile(road, &road->profile[track], place, ret);
        return;
    }
    memcpy(ret->point, road->point, sizeof(ret->point));
    memcpy(ret->normal, road->normal, sizeof(ret->normal));
}
