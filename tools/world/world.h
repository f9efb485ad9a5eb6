/* SPDX-License-Identifier: Apache-2.0 */
/* The pose of a car as datagrams for other programs. Thread: any. */
#ifndef TOOLS_WORLD_WORLD_H
#define TOOLS_WORLD_WORLD_H

#include <stddef.h>
#include <stdint.h>

#define WORLD_SEEN       13 /* values of a body-pose and of a body-velocity */
#define WORLD_ESMINI     88 /* bytes of a datagram for esmini */
#define WORLD_PORT       49950
#define WORLD_PACKET_MAX 512

/** struct world_car - a car at one time, in the axes of the world.
 * @at:       its reference point [m];  @velocity: of this point [m/s]
 * @heading, @pitch, @roll: turns about z, then about the new y, then about the new x [rad] (ISO
 * 8855: a nose that is down has a pitch above 0)
 * @speed:    of the point, along the car [m/s];  @wheel: angle of the front wheels [rad] */
struct world_car {
    double at[3];
    double velocity[3];
    double heading;
    double pitch;
    double roll;
    double speed;
    double wheel;
};

/** world_see() - Compute the car.
 * @values: outputs body-pose and body-velocity of a body, of which the velocity is that of its
 * centre of mass, world, and the angular velocity is in its own axes
 * @point:  the reference point, from the centre of mass, in the axes of the body [m] */
void world_see(const double values[WORLD_SEEN], const double point[3], struct world_car *ret);

/** world_esmini() - Encode a datagram for a UDPDriverController of esmini, as the structure in its
 * memory on a little-endian machine: four 32-bit numbers (version 1, mode 2, object, frame), eight
 * doubles (x, y, z, heading, pitch, roll, speed, angle of the wheels), one byte (no dead
 * reckoning), seven bytes without meaning. */
void world_esmini(const struct world_car *car, uint32_t object, uint32_t frame,
                  unsigned char ret[WORLD_ESMINI]);

/** world_osi() - Encode a TrafficUpdate of OSI 3. The reference point is the centre of the box.
 * @box: length, width, height [m];  @time_s: since the start of the run
 * Return: number of bytes. */
size_t world_osi(const struct world_car *car, uint64_t object, double time_s, const double box[3],
                 unsigned char ret[WORLD_PACKET_MAX]);

#endif
