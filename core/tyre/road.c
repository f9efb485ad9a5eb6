/* SPDX-License-Identifier: Apache-2.0 */
#include "tyre/road.h"
#include "maths/vec.h"
#include <string.h>

/* compute the tangent plane of a profile, whose height along the normal depends on the
 * distance along the direction */
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

static int touch_grid(const struct lk_road *road, const double place[3], struct lk_road_plane *ret)
{
    double from[3], left[3], at[2], length;
    struct lk_road_height h;
    int is_there;

    lk_sub(place, road->point, from);
    lk_cross(road->normal, road->direction, left);
    at[0] = lk_dot(from, road->direction);
    at[1] = lk_dot(from, left);
    is_there = lk_road_grid_at(&road->grid, at, &h) && !(road->ends && h.is_beyond);
    length = lk_root(1 + h.slope[0] * h.slope[0] + h.slope[1] * h.slope[1]);
    ret->grip = h.grip;
    for (int i = 0; i < 3; i++) {
        ret->point[i] =
            road->point[i] + at[0] * road->direction[i] + at[1] * left[i] + h.z * road->normal[i];
        ret->normal[i] =
            (road->normal[i] - h.slope[0] * road->direction[i] - h.slope[1] * left[i]) / length;
    }
    if (!is_there) {
        memcpy(ret->point, place, sizeof(ret->point));
        memcpy(ret->normal, road->normal, sizeof(ret->normal));
    }
    return is_there;
}

int lk_road_at(const struct lk_road *road, enum lk_track track, const double place[3],
               struct lk_road_plane *ret)
{
    if (road->kind == LK_ROAD_GRID)
        return touch_grid(road, place, ret);
    ret->grip = 1;
    if (road->kind == LK_ROAD_PROFILE) {
        touch_profile(road, &road->profile[track], place, ret);
        return 1;
    }
    memcpy(ret->point, road->point, sizeof(ret->point));
    memcpy(ret->normal, road->normal, sizeof(ret->normal));
    return 1;
}

/* compute the point of @plane above or below @place */
static void drop(const struct lk_road *road, const double place[3],
                 const struct lk_road_plane *plane, double ret[3])
{
    double down[3], way;

    lk_sub(plane->point, place, down);
    way = lk_dot(down, plane->normal) / lk_dot(road->normal, plane->normal);
    for (int i = 0; i < 3; i++)
        ret[i] = place[i] + way * road->normal[i];
}

int lk_road_patch(const struct lk_road *road, enum lk_track track, const double place[3],
                  const double ahead[3], const double left[3], struct lk_road_plane *ret)
{
    double sample[4][3], length[3], width[3], normal[3], norm;
    int is_there = lk_road_at(road, track, place, ret), all = is_there;

    for (int k = 0; k < 4; k++) {
        struct lk_road_plane plane;
        double at[3], sign = k % 2 == 0 ? 1 : -1;

        for (int i = 0; i < 3; i++)
            at[i] = place[i] + sign * (k < 2 ? ahead[i] : left[i]);
        all &= lk_road_at(road, track, at, &plane);
        drop(road, at, &plane, sample[k]);
    }
    lk_sub(sample[0], sample[1], length);
    lk_sub(sample[2], sample[3], width);
    lk_cross(length, width, normal);
    norm = lk_norm(normal);
    if (!all || !(lk_dot(normal, road->normal) > 0))
        return is_there;
    for (int i = 0; i < 3; i++) {
        ret->point[i] = 0.25 * (sample[0][i] + sample[1][i] + sample[2][i] + sample[3][i]);
        ret->normal[i] = normal[i] / norm;
    }
    return is_there;
}
