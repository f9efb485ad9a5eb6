/* SPDX-License-Identifier: Apache-2.0 */
/* linkage-esmini: sends the pose of a car to another program by UDP: to a UDPDriverController of
 * esmini, or as TrafficUpdate of OSI. It claims nothing and only follows outputs. */
#include "bench.h"
#include "message.h"
#include "option_table.h"
#include "service.h"
#include "world.h"

#include <arpa/inet.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define SILENT_MS  100 /* longest wait for a sample */
#define OBJECT_MAX 1000

/** struct options - the command line. @wheel: output of the angle of the wheels, divided by @ratio;
 * NULL: none;  @port: 0: WORLD_PORT plus the object
 * @point, @box: [m] */
struct options {
    const char *endpoint[3];
    const char *pose;
    const char *velocity;
    const char *wheel;
    const char *to;
    int port;
    int object;
    int divisor;
    double ratio;
    double point[3];
    double box[3];
    bool is_osi;
};

static int take_three(const struct option_row *row, const char *text)
{
    double *ret = row->data;
    char rest;

    if (sscanf(text, "%lf,%lf,%lf%c", &ret[0], &ret[1], &ret[2], &rest) == 3)
        return 0;
    complain("--%s '%s': expected three numbers X,Y,Z [m]", row->name, text);
    return OPTIONS_USAGE;
}

static int open_socket(const struct options *o)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

    address.sin_port = htons((uint16_t)(o->port > 0 ? o->port : WORLD_PORT + o->object));
    if (inet_pton(AF_INET, o->to, &address.sin_addr) != 1) {
        complain("--to '%s': expected an address as 127.0.0.1", o->to);
    } else if (fd < 0 || connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0) {
        complain("no socket to %s: %s", o->to, strerror(errno));
    } else {
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static void send_car(const struct options *o, int fd, const Linkage__V1__OutputSample *sample)
{
    unsigned char packet[WORLD_PACKET_MAX];
    struct world_car car;
    size_t size = WORLD_ESMINI;

    world_see(sample->values, o->point, &car);
    if (o->wheel != NULL)
        car.wheel = sample->values[WORLD_SEEN] / o->ratio;
    if (o->is_osi)
        size = world_osi(&car, (uint64_t)o->object, sample->time_s, o->box, packet);
    else
        world_esmini(&car, (uint32_t)o->object, (uint32_t)sample->step, packet);
    /* whether anybody listens is not known to this protocol */
    (void)!send(fd, packet, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static int run(const struct options *o, int fd)
{
    char names[3][64], *selection[3] = {names[0], names[1], names[2]};
    const struct lk_client_bench_setup setup = {
        .control = o->endpoint[0],
        .inputs = o->endpoint[1],
        .outputs = o->endpoint[2],
        .name = "linkage-esmini",
        .selection = selection,
        .n_selection = o->wheel != NULL ? 3 : 2,
        .divisor = (uint32_t)o->divisor,
    };
    size_t wanted = WORLD_SEEN + (o->wheel != NULL);
    struct lk_client_bench *bench;
    struct lk_error error;

    snprintf(names[0], sizeof(names[0]), "%s", o->pose);
    snprintf(names[1], sizeof(names[1]), "%s", o->velocity);
    snprintf(names[2], sizeof(names[2]), "%s", o->wheel != NULL ? o->wheel : "");
    if (lk_client_bench_open(&setup, &bench, &error) != 0) {
        complain("%s", error.text);
        return 1;
    }
    while (!service_ends()) {
        const Linkage__V1__OutputSample *sample;
        struct lk_client_bench_view view;

        if (lk_client_bench_receive(bench, SILENT_MS, NULL, &sample) != 0) {
            lk_client_bench_read_state(bench, &view);
            service_tell(view.text);
        } else if (sample->n_values != wanted) {
            service_tell("expected a body-pose, a body-velocity and one number of --wheel; nothing "
                         "is sent");
        } else {
            service_tell("");
            send_car(o, fd, sample);
        }
    }
    lk_client_bench_close(bench);
    return 0;
}

static const char usage[] =
    "usage: linkage-esmini [options]\n"
    "Sends the pose of a car by UDP to a UDPDriverController of esmini (input mode\n"
    "vehicleStateXYZHPR), or as a TrafficUpdate of OSI 3.\n"
    "  -t, --to ADDRESS       default 127.0.0.1\n"
    "  -p, --port N           default 49950 plus the object\n"
    "  -o, --object N         of the scenario; default 0\n"
    "      --pose NAME        output of type body-pose; default chassis\n"
    "      --velocity NAME    output of type body-velocity; default motion\n"
    "      --wheel NAME       output of one number, an angle of the front wheels\n"
    "      --ratio R          divided by this; default 1\n"
    "      --point X,Y,Z      reference point, from the centre of mass, axes of the body [m]: for\n"
    "                         esmini below the middle of the rear axle, on the ground; for OSI "
    "the\n"
    "                         centre of the box; default 0,0,0\n"
    "  -d, --divisor N        one datagram every N steps; default 10\n"
    "      --osi              TrafficUpdate\n"
    "      --box L,W,H        of the car, for OSI [m]; default 4.5,1.8,1.5\n"
    "      --control E --inputs E --outputs E   endpoints of the daemon\n";

int main(int argc, char *argv[])
{
    struct options o = {
        .endpoint = {LK_CLIENT_CONTROL, LK_CLIENT_INPUTS, LK_CLIENT_OUTPUTS},
        .pose = "chassis",
        .velocity = "motion",
        .to = "127.0.0.1",
        .divisor = 10,
        .ratio = 1,
        .box = {4.5, 1.8, 1.5},
    };
    const struct option_row rows[] = {
        {"to", 't', .text = &o.to},
        {"port", 'p', .integer = &o.port, .low = 1, .high = 65535},
        {"object", 'o', .integer = &o.object, .low = 0, .high = OBJECT_MAX},
        {"pose", .text = &o.pose},
        {"velocity", .text = &o.velocity},
        {"wheel", .text = &o.wheel},
        {"ratio", .number = &o.ratio, .low = -1e6, .high = 1e6},
        {"point", .take = take_three, .data = o.point},
        {"divisor", 'd', .integer = &o.divisor, .low = 1, .high = 100000},
        {"osi", .flag = &o.is_osi},
        {"box", .take = take_three, .data = o.box},
        {"control", .text = &o.endpoint[0]},
        {"inputs", .text = &o.endpoint[1]},
        {"outputs", .text = &o.endpoint[2]},
        {"help", 'h', .print = usage},
        {NULL},
    };
    const struct option_table table = {.rows = rows};
    int code = options_parse(argc, argv, &table), fd;

    if (code != 0)
        return options_status(code);
    if (optind != argc || o.ratio == 0) {
        fputs(usage, stderr);
        return OPTIONS_USAGE;
    }
    if (!service_begin())
        return 1;
    fd = open_socket(&o);
    if (fd < 0)
        return 1;
    code = run(&o, fd);
    close(fd);
    return code;
}
