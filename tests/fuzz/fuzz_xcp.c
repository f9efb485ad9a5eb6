/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes as packets of an XCP master. Each is answered within the bounds of a packet, or not at
 * all. Written values stay within their limits, and lists send packets of their announced length. A
 * frame with an impossible length ends the connection. A new connection then begins, with a new
 * session. */
#include "codes.h"
#include "slave.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct xcp_image image;
static struct xcp_slave slave;
static unsigned int n_sent;

static int write_values(void *context, int place, int n, const double *values)
{
    (void)context;
    for (int i = 0; i < n; i++) {
        if (!isfinite(values[i]) || (place + i < 3 && !(fabs(values[i]) <= 2)))
            abort();
        xcp_image_put(&image, XCP_INPUTS, place + i, values[i]);
    }
    return n % 2 == 0 ? XCP_E_NONE : XCP_E_ACCESS_DENIED;
}

/* Check a packet. Every second one is refused as if there were no room. */
static bool take_packet(void *context, const uint8_t *packet, size_t size)
{
    (void)context;
    if (size < 2 || size > XCP_MAX_DTO || (packet[0] > 0xfb && packet[0] != XCP_EVENT))
        abort();
    return ++n_sent % 2 == 0;
}

static bool has_room(void *context, size_t size)
{
    (void)context;
    return size % 3 != 0;
}

static void make_image(void)
{
    static const char *const units[] = {"N", "N", "N"}, *const components[] = {"x", "y", "z"};
    const struct xcp_channel force = {.name = "push-tip",
                                      .n = 3,
                                      .component = components,
                                      .unit = units,
                                      .says = "body-force",
                                      .low = -2,
                                      .high = 2};
    struct xcp_channel free_one = force;

    free_one.name = "free";
    free_one.low = -INFINITY;
    free_one.high = INFINITY;
    xcp_image_begin(&image, "fuzzed", 0.001);
    xcp_image_channel(&image, XCP_OUTPUTS, &force);
    xcp_image_channel(&image, XCP_INPUTS, &force);
    xcp_image_channel(&image, XCP_INPUTS, &free_one);
    xcp_image_parameter(&image, "mass", "kg", "acts at bodies.arm.mass", 0, 1, 0.5);
    if (xcp_image_end(&image) != 0 || xcp_a2l_make(&image, "127.0.0.1", 5555) != 0)
        abort();
}

static void take_command(const uint8_t *packet, size_t size)
{
    uint8_t answer[XCP_MAX_CTO];
    size_t n = xcp_slave_command(&slave, packet, size, answer);

    if (n > XCP_MAX_CTO || (n > 0 && answer[0] != XCP_RESPONSE && answer[0] != XCP_ERROR) ||
        (n > 0 && answer[0] == XCP_ERROR && n < 2))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const struct xcp_calls calls = {
        .write = write_values, .fits = has_room, .send = take_packet};
    size_t n;
    int taken;

    if (image.n == 0)
        make_image();
    xcp_slave_init(&slave, &calls);
    slave.image = &image;
    while ((taken = xcp_frame_take(data, size, &n)) != 0) {
        if (taken < 0) {
            xcp_slave_end(&slave, true);
            data++;
            size--;
            continue;
        }
        take_command(data + XCP_FRAME, n);
        slave.clock_us += 1000;
        xcp_slave_event(&slave, data[2] % XCP_EVENTS);
        data += XCP_FRAME + n;
        size -= XCP_FRAME + n;
    }
    return 0;
}
