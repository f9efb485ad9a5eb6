/* SPDX-License-Identifier: Apache-2.0 */
/* Datagrams for motion platforms, byte by byte, decoded with separate code according to the table
 * in doc/reference/sending.md. */
#include "motion_cycle.h"
#include <arpa/inet.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- reading ---- */

static uint64_t number(const unsigned char *at, int size)
{
    uint64_t value = 0;

    for (int i = size - 1; i >= 0; i--)
        value = value << 8 | at[i];
    return value;
}

static double f64(const unsigned char *at)
{
    uint64_t bits = number(at, 8);
    double value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

static double f32(const unsigned char *at)
{
    uint32_t bits = (uint32_t)number(at, 4);
    float value;

    memcpy(&value, &bits, sizeof(value));
    return value;
}

#define SLOT_F32(i) (40 + 4 * (i))
#define SLOT_F64(i) (40 + 8 * (i))

/* ---- encoding ---- */

/* outputs of the model: a pose, a rate, and a scalar without component name */
static const struct lk_channel channels[] = {
    {.name = "platform",
     .size = 7,
     .offset = 0,
     .component = {"x", "y", "z", "qw", "qx", "qy", "qz"}},
    {.name = "spin", .size = 3, .offset = 7, .component = {"x", "y", "z"}},
    {.name = "angle", .size = 1, .offset = 10, .component = {""}},
};

#define N_CHANNELS 3
#define N_VALUES   11

static struct lkd_motion_config config;
static struct lkd_motion motion;

static void set_slot(int i, const char *channel, const char *component, double scale, double offset)
{
    struct lkd_motion_slot *slot = &config.slot[i];

    strcpy(slot->channel, channel);
    strcpy(slot->component, component);
    slot->scale = scale;
    slot->offset = offset;
    if (!lkd_motion_resolve(slot, channels, N_CHANNELS, &motion.source[i]))
        motion.missing = true;
}

static int clear(void **state)
{
    (void)state;
    memset(&config, 0, sizeof(config));
    memset(&motion, 0, sizeof(motion));
    config.divisor = 1;
    motion.config = &config;
    motion.fd = -1;
    return 0;
}

static const double outputs[N_VALUES] = {1.5, -2.5, 0.25, 1, 0, 0, 0, 0.1, 0.2, 0.3, 7};

static size_t encode(const double *values, unsigned char *packet)
{
    return lkd_motion_encode(&motion,
                             &(struct lkd_motion_view){
                                 .status = 0x0a0b0c03,
                                 .step = UINT64_C(0x1122334455667788),
                                 .time_s = 2.5,
                                 .utc_ns = UINT64_C(0x99aabbccddeeff01),
                                 .values = values,
                             },
                             packet);
}

/* ---- tests ---- */

static void test_header(void **state)
{
    static const unsigned char expected[40] = {
        'L',  'K',  'M',  '1',                          /* magic */
        1,    0,                                        /* version */
        0,    0,                                        /* format: 32 bits */
        1,    0,    0,    0,                            /* counter */
        0x03, 0x0c, 0x0b, 0x0a,                         /* status */
        0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, /* step */
        0,    0,    0,    0,    0,    0,    0x04, 0x40, /* time: 2.5 */
        0x01, 0xff, 0xee, 0xdd, 0xcc, 0xbb, 0xaa, 0x99, /* utc */
    };
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    (void)state;
    assert_int_equal(encode(NULL, packet), 136);
    assert_memory_equal(packet, expected, sizeof(expected));
    for (int i = 40; i < 136; i++)
        assert_int_equal(packet[i], 0);
    encode(NULL, packet);
    assert_int_equal(number(packet + 8, 4), 2); /* incremented by one */
}

static void test_values_of_32_bits(void **state)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    (void)state;
    set_slot(0, "platform", "x", 1000, 0);
    set_slot(1, "platform", "y", -1, 0.5);
    set_slot(6, "angle", "", 1, 0);
    set_slot(23, "spin", "z", 2, 0);
    assert_int_equal(encode(outputs, packet), 136);
    assert_true(f32(packet + SLOT_F32(0)) == 1500);
    assert_true(f32(packet + SLOT_F32(1)) == 3);
    assert_true(f32(packet + SLOT_F32(2)) == 0); /* an unused slot */
    assert_true(f32(packet + SLOT_F32(6)) == 7);
    assert_true(fabs(f32(packet + SLOT_F32(23)) - 0.6) < 1e-6);
    assert_int_equal(number(packet + 12, 4), 0x0a0b0c03);
}

static void test_values_of_64_bits(void **state)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    (void)state;
    config.wide = true;
    set_slot(5, "platform", "z", 1, 0);
    set_slot(18, "spin", "x", 1, 0);
    assert_int_equal(encode(outputs, packet), 232);
    assert_int_equal(number(packet + 6, 2), 1);
    assert_true(f64(packet + SLOT_F64(5)) == 0.25);
    assert_true(f64(packet + SLOT_F64(18)) == 0.1);
    assert_true(f64(packet + SLOT_F64(17)) == 0);
}

/* A number too large for 32 bits becomes the largest float with the same sign. */
static void test_values_saturate(void **state)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    (void)state;
    set_slot(0, "angle", "", 1e300, 0);
    set_slot(1, "angle", "", -1e300, 0);
    encode(outputs, packet);
    assert_true(f32(packet + SLOT_F32(0)) == (double)3.4028234663852886e38f);
    assert_true(f32(packet + SLOT_F32(1)) == -(double)3.4028234663852886e38f);
}

static void test_missing_names(void **state)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    (void)state;
    set_slot(0, "platform", "x", 1, 0);
    assert_false(motion.missing);
    set_slot(1, "nobody", "x", 1, 5);
    assert_true(motion.missing);
    encode(outputs, packet);
    assert_true(f32(packet + SLOT_F32(1)) == 0); /* the offset is not added */
    assert_int_equal(number(packet + 12, 4), 0x0b0b0c03);
}

static bool resolves(const char *channel, const char *component)
{
    struct lkd_motion_slot slot = {.scale = 1};
    struct lkd_motion_source source;

    strcpy(slot.channel, channel);
    strcpy(slot.component, component);
    return lkd_motion_resolve(&slot, channels, N_CHANNELS, &source);
}

static void test_which_names_there_are(void **state)
{
    (void)state;
    assert_true(resolves("", ""));
    assert_true(resolves("angle", ""));
    assert_true(resolves("platform", "qz"));
    assert_true(resolves("platform", "yaw"));
    assert_false(resolves("platform", ""));
    assert_false(resolves("platform", "w"));
    assert_false(resolves("spin", "yaw")); /* `spin` has no orientation */
    assert_false(resolves("angle", "x"));
}

/* Make quaternions from yaw, pitch and roll; the datagram must contain the same angles. */
static void test_angles(void **state)
{
    static const double angles[][3] = {
        {0.3, 0, 0}, {0, -0.4, 0}, {0, 0, 2.5}, {-3, 1.2, 0.7}, {1, -1.5, -2},
    };
    unsigned char packet[LKD_MOTION_SIZE_MAX];

    (void)state;
    config.wide = true;
    set_slot(3, "platform", "roll", 1, 0);
    set_slot(4, "platform", "pitch", 1, 0);
    set_slot(5, "platform", "yaw", 1, 0);
    for (size_t k = 0; k < sizeof(angles) / sizeof(angles[0]); k++) {
        double cr = cos(angles[k][0] / 2), sr = sin(angles[k][0] / 2);
        double cp = cos(angles[k][1] / 2), sp = sin(angles[k][1] / 2);
        double cy = cos(angles[k][2] / 2), sy = sin(angles[k][2] / 2);
        /* q = yaw * pitch * roll */
        const double values[N_VALUES] = {[3] = cr * cp * cy + sr * sp * sy,
                                         [4] = sr * cp * cy - cr * sp * sy,
                                         [5] = cr * sp * cy + sr * cp * sy,
                                         [6] = cr * cp * sy - sr * sp * cy};

        encode(values, packet);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(f64(packet + SLOT_F64(3 + i)) - angles[k][i]) < 1e-12);
    }
}

static void test_status_word(void **state)
{
    (void)state;
    assert_int_equal(lkd_motion_status(LINKAGE__V1__STATE__STATE_RUNNING, 0, false), 3);
    assert_int_equal(lkd_motion_status(LINKAGE__V1__STATE__STATE_FAULT, 2 | 16, true), 0x1305);
}

/* ---- over a socket ---- */

static int listen_on_any(struct sockaddr_in *ret_address)
{
    socklen_t size = sizeof(*ret_address);
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    *ret_address = (struct sockaddr_in){.sin_family = AF_INET};
    ret_address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(fd, (struct sockaddr *)ret_address, sizeof(*ret_address)), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)ret_address, &size), 0);
    return fd;
}

static int n_received(int fd, unsigned char *last)
{
    int n = 0;

    while (recv(fd, last, LKD_MOTION_SIZE_MAX, 0) > 0)
        n++;
    return n;
}

/* The cycle's thread sends at each due step, and sends nothing between steps. */
static void test_after_the_cycle(void **state)
{
    static struct lkd_cycle cycle;
    unsigned char packet[LKD_MOTION_SIZE_MAX];
    struct lkd_motions motions;
    double values[N_VALUES];
    int fd = listen_on_any(&config.address);

    (void)state;
    memcpy(values, outputs, sizeof(values));
    config.from_cycle = true;
    config.divisor = 2;
    assert_int_equal(lkd_motions_init(&motions, &config, 1, NULL), 0);
    lkd_motions_begin(&motions, true);
    set_slot(0, "angle", "", 1, 0);
    motions.motion[0].source[0] = motion.source[0];
    cycle.rt.values = values;
    cycle.rt.figures.flags = LINKAGE__V1__FLAG__FLAG_STALE;
    for (cycle.rt.figures.step = 1; cycle.rt.figures.step <= 10; cycle.rt.figures.step++)
        lkd_motion_after_cycle(&cycle, &motions);
    assert_int_equal(n_received(fd, packet), 5);
    assert_int_equal(number(packet + 8, 4), 5);
    assert_int_equal(number(packet + 12, 4), 0x0303); /* degraded, stale, running */
    assert_int_equal(number(packet + 16, 8), 10);
    assert_true(f32(packet + SLOT_F32(0)) == 7);
    cycle.rt.figures.state = LKD_CYCLE_FAULT;
    cycle.rt.figures.step = 20;
    lkd_motion_after_cycle(&cycle, &motions);
    assert_int_equal(n_received(fd, packet), 0);
    lkd_motions_fini(&motions);
    close(fd);
}

/* If nobody receives a datagram, it is counted; nothing else happens. */
static void test_nobody_listens(void **state)
{
    static struct lkd_cycle cycle;
    struct lkd_motions motions;
    double values[N_VALUES] = {0};

    (void)state;
    close(listen_on_any(&config.address));
    config.from_cycle = true;
    assert_int_equal(lkd_motions_init(&motions, &config, 1, NULL), 0);
    cycle.rt.values = values;
    for (cycle.rt.figures.step = 1; cycle.rt.figures.step <= 10; cycle.rt.figures.step++)
        lkd_motion_after_cycle(&cycle, &motions);
    assert_true(atomic_load(&motions.motion[0].failed) > 0);
    lkd_motions_fini(&motions);
}

/* Without a run, the exchange thread sends twenty datagrams per second, at first with zeros. */
static void test_without_a_run(void **state)
{
    unsigned char packet[LKD_MOTION_SIZE_MAX];
    struct lkd_motions motions;
    int fd = listen_on_any(&config.address);

    (void)state;
    assert_int_equal(lkd_motions_init(&motions, &config, 1, NULL), 0);
    for (int64_t now_ns = 1; now_ns < 1000000000; now_ns += 10000000)
        lkd_motions_tick(&motions, LINKAGE__V1__STATE__STATE_EMPTY, now_ns);
    assert_int_equal(n_received(fd, packet), 20);
    assert_int_equal(number(packet + 12, 4), 1 | LKD_MOTION_HELD | LKD_MOTION_EMPTY);
    lkd_motions_fini(&motions);
    close(fd);
}

#define FRESH(test) cmocka_unit_test_setup(test, clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        FRESH(test_header),
        FRESH(test_values_of_32_bits),
        FRESH(test_values_of_64_bits),
        FRESH(test_values_saturate),
        FRESH(test_missing_names),
        FRESH(test_which_names_there_are),
        FRESH(test_angles),
        FRESH(test_status_word),
        FRESH(test_after_the_cycle),
        FRESH(test_nobody_listens),
        FRESH(test_without_a_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
