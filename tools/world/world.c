/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "osi.pb-c.h"

#include <math.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "datagrams are copied as they are");

#define VERSION 1 /* of the datagrams of esmini */
#define XYZHPR  2 /* its mode with a whole pose */

/** struct state - datagram of esmini. */
struct state {
    uint32_t version;
    uint32_t mode;
    uint32_t object;
    uint32_t frame;
    double x, y, z;
    double heading, pitch, roll;
    double speed;
    double wheel;
    unsigned char reckons;
    unsigned char none[7];
};
_Static_assert(sizeof(struct state) == WORLD_ESMINI, "as in the memory of esmini");

/* compute the rotation matrix of a quaternion w, x, y, z, row by row */
static void matrix_of(const double q[4], double R[9])
{
    double w = q[0], x = q[1], y = q[2], z = q[3];
    const double all[9] = {
        1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
        2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
        2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};

    memcpy(R, all, sizeof(all));
}

void world_see(const double v[WORLD_SEEN], const double point[3], struct world_car *ret)
{
    const double *w = v + 10;
    const double turning[3] = {w[1] * point[2] - w[2] * point[1], w[2] * point[0] - w[0] * point[2],
                               w[0] * point[1] - w[1] * point[0]};
    double R[9];

    matrix_of(v + 3, R);
    *ret = (struct world_car){.wheel = 0};
    for (int i = 0; i < 3; i++) {
        ret->at[i] = v[i];
        ret->velocity[i] = v[7 + i];
        for (int k = 0; k < 3; k++) {
            ret->at[i] += R[3 * i + k] * point[k];
            ret->velocity[i] += R[3 * i + k] * turning[k];
        }
    }
    for (int i = 0; i < 3; i++)
        ret->speed += R[3 * i] * ret->velocity[i];
    ret->heading = atan2(R[3], R[0]);
    ret->pitch = asin(fmin(fmax(-R[6], -1), 1));
    ret->roll = atan2(R[7], R[8]);
}

void world_esmini(const struct world_car *c, uint32_t object, uint32_t frame,
                  unsigned char ret[WORLD_ESMINI])
{
    const struct state state = {
        .version = VERSION,
        .mode = XYZHPR,
        .object = object,
        .frame = frame,
        .x = c->at[0],
        .y = c->at[1],
        .z = c->at[2],
        .heading = c->heading,
        .pitch = c->pitch,
        .roll = c->roll,
        .speed = c->speed,
        .wheel = c->wheel,
    };

    memcpy(ret, &state, sizeof(state));
}

/* set all three fields of a message of x, y and z */
#define SET_VECTOR(message, values)                                                                \
    do {                                                                                           \
        (message).has_x = (message).has_y = (message).has_z = 1;                                   \
        (message).x = (values)[0];                                                                 \
        (message).y = (values)[1];                                                                 \
        (message).z = (values)[2];                                                                 \
    } while (0)

size_t world_osi(const struct world_car *c, uint64_t object, double time_s, const double box[3],
                 unsigned char ret[WORLD_PACKET_MAX])
{
    Osi3__InterfaceVersion version = OSI3__INTERFACE_VERSION__INIT;
    Osi3__Timestamp timestamp = OSI3__TIMESTAMP__INIT;
    Osi3__Identifier id = OSI3__IDENTIFIER__INIT;
    Osi3__Dimension3d dimension = OSI3__DIMENSION3D__INIT;
    Osi3__Vector3d position = OSI3__VECTOR3D__INIT, velocity = OSI3__VECTOR3D__INIT;
    Osi3__Orientation3d orientation = OSI3__ORIENTATION3D__INIT;
    Osi3__BaseMoving base = OSI3__BASE_MOVING__INIT;
    Osi3__MovingObject moving = OSI3__MOVING_OBJECT__INIT, *list = &moving;
    Osi3__TrafficUpdate update = OSI3__TRAFFIC_UPDATE__INIT;

    version.has_version_major = version.has_version_minor = version.has_version_patch = 1;
    version.version_major = 3;
    version.version_minor = 5;
    timestamp.has_seconds = timestamp.has_nanos = 1;
    timestamp.seconds = (int64_t)floor(time_s);
    timestamp.nanos = (uint32_t)fmin(rint(1e9 * (time_s - floor(time_s))), 999999999);
    id.has_value = 1;
    id.value = object;
    dimension.has_length = dimension.has_width = dimension.has_height = 1;
    dimension.length = box[0];
    dimension.width = box[1];
    dimension.height = box[2];
    SET_VECTOR(position, c->at);
    SET_VECTOR(velocity, c->velocity);
    orientation.has_roll = orientation.has_pitch = orientation.has_yaw = 1;
    orientation.roll = c->roll;
    orientation.pitch = c->pitch;
    orientation.yaw = c->heading;
    base.dimension = &dimension;
    base.position = &position;
    base.orientation = &orientation;
    base.velocity = &velocity;
    moving.id = &id;
    moving.base_moving = &base;
    moving.has_type = 1;
    moving.type = OSI3__MOVING_OBJECT__TYPE__TYPE_VEHICLE;
    update.version = &version;
    update.timestamp = &timestamp;
    update.n_update = 1;
    update.update = &list;
    return osi3__traffic_update__pack(&update, ret); /* at most 200 bytes, all of fixed size */
}
