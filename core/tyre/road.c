/* SPDX-License-Identifier: Apache-2.0 */
#include "tyre/road.h"
#include <string.h>

void lk_road_at(const struct lk_road *road, const double place[3], struct lk_road_plane *ret)
{
    (void)place;
    memcpy(ret->point, road->point, sizeof(ret->point));
    memcpy(ret->normal, road->normal, sizeof(ret->normal));
}
