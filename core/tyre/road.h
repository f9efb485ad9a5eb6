/* SPDX-License-Identifier: Apache-2.0 */
/* Roads: the plane that touches a road near a point, in the axes of the body that carries the road.
 * Pure functions of fixed work. Thread: any. RT: yes. */
#ifndef LK_TYRE_ROAD_H
#define LK_TYRE_ROAD_H

/** enum lk_road_kind - PLANE: @point, @normal */
enum lk_road_kind { LK_ROAD_PLANE };

/** struct lk_road - one road. @point, @normal (unit): in the axes of its body, from its centre of
 * mass [m] */
struct lk_road {
    enum lk_road_kind kind;
    double point[3];
    double normal[3];
};

/** struct lk_road_plane - what a wheel stands on: a point and the unit normal. */
struct lk_road_plane {
    double point[3];
    double normal[3];
};

/** lk_road_at() - the plane that touches @road above or below @place. */
void lk_road_at(const struct lk_road *road, const double place[3], struct lk_road_plane *ret);

#endif
