/* SPDX-License-Identifier: Apache-2.0 */
/* Mapping of a DBC file and a map file to the channels of a model, without a bus or a daemon: which
 * channel each signal gets, what is refused, when messages are due, counters, checksums,
 * multiplexing, and the handling of received frames. */
#include "can_explain.h"
#include "can_frames.h"
#include "cmocka_all.h"
#include "dbc_write.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- a model, files, a plan ---- */

static struct can_channels channels;
static struct can_map map;
static struct can_plan plan;
static struct can_frames frames;
static struct dbc *dbc;

static void add(struct can_side *side, const char *name, double limit)
{
    static const char *const none[] = {""}, *const unit[] = {"rad"};

    can_channels_add(side, name, 1, none, unit, -limit, limit, 0);
}

static int set_up(void **state)
{
    static const char *const xyz[] = {"x", "y", "z"}, *const unit[] = {"N", "N", "N"};

    (void)state;
    channels.step_s = 0.001;
    add(&channels.output, "angle", INFINITY);
    can_channels_add(&channels.output, "tip-force", 3, xyz, unit, -INFINITY, INFINITY, 0);
    add(&channels.output, "a_b", INFINITY);
    add(&channels.output, "a-b", INFINITY);
    add(&channels.input, "motor", 10);
    can_channels_add(&channels.input, "push", 3, xyz, unit, -5, 5, 0.5);
    add(&channels.input, "brake", INFINITY);
    can_channels_add(&channels.input, "pull", 3, xyz, unit, -5, 5, 0);
    return 0;
}

static void forget(void)
{
    can_frames_fini(&frames);
    can_plan_fini(&plan);
    can_map_fini(&map);
    dbc_free(dbc);
    dbc = NULL;
}

static int tear_down(void **state)
{
    (void)state;
    forget();
    can_channels_fini(&channels);
    return 0;
}

/* Make a plan.
 * Return: result of can_plan_make() */
static int make(const char *text, const char *map_text, const char *node, struct lk_error *error)
{
    static struct lk_errors errors;

    forget();
    if (dbc_read_text("x.dbc", text, strlen(text), &dbc, error) != 0)
        fail_msg("%s", error->text);
    if (map_text != NULL &&
        can_map_read_text("m.yaml", map_text, strlen(map_text), &map, &errors) != 0)
        fail_msg("%s", errors.line[0].text);
    return can_plan_make(dbc, &map, node, &channels, &plan, error);
}

static void make_good(const char *text, const char *map_text)
{
    struct lk_error error = {""};

    if (make(text, map_text, "us", &error) != 0)
        fail_msg("%s", error.text);
    assert_int_equal(can_frames_make(&plan, &frames), 0);
}

/* Return the channel of a signal, "" if it has none. */
static const char *channel_of(const char *signal)
{
    static char text[2 * CAN_CHANNEL_SIZE + 2];

    text[0] = '\0';
    for (int i = 0; i < plan.n_messages; i++)
        for (int k = 0; k < plan.message[i].n_items; k++) {
            const struct can_item *item = &plan.item[plan.message[i].item + k];
            const struct can_side *side =
                plan.message[i].is_sent ? &channels.output : &channels.input;

            if (strcmp(dbc->signal[item->signal].name, signal) == 0)
                can_scalar_name(&side->scalar[item->scalar], text, sizeof(text));
        }
    return text;
}

#define BU      "BU_: us them\n"
#define SENT    BU "BA_DEF_DEF_ \"GenMsgCycleTime\" 10;\nBO_ 1 S: 8 us\n"
#define HEARD   BU "BO_ 2 R: 8 them\n"
#define BYTE(n) " : " #n "|8@1+ (1,0) [0|0] \"\" x\n"
#define WORD(n) " : " #n "|16@1- (0.01,0) [-200|200] \"\" x\n"

/* ---- plans ---- */

static void signals_are_channels_by_name(void **state)
{
    (void)state;
    make_good(
        BU
        "BA_DEF_DEF_ \"GenMsgCycleTime\" 10;\n"
        "BO_ 1 tip: 8 us\n SG_ angle" BYTE(0) " SG_ force_y" BYTE(8) " SG_ motor" BYTE(
            16) "BO_ 2 R: 8 them\n SG_ motor" BYTE(0) " SG_ angle" BYTE(8) "BO_ 3 other: 8 them\n "
                                                                           "SG_ unknown" BYTE(0),
        NULL);
    assert_int_equal(plan.n_messages, 2);
    assert_true(plan.message[0].is_sent && plan.message[0].n_items == 2);
    assert_string_equal(channel_of("force_y"), "tip-force.y");
    assert_true(!plan.message[1].is_sent && plan.message[1].n_items == 1);
    assert_string_equal(channel_of("motor"), "motor");
    assert_int_equal(plan.n_claims, 1);
    assert_int_equal(can_plan_find(&plan, 2, false), 1);
    assert_int_equal(can_plan_find(&plan, 2, true), -1);
    assert_int_equal(can_plan_find(&plan, 1, false), -1);
}

static void the_map_goes_before_names(void **state)
{
    (void)state;
    make_good(
        SENT " SG_ angle" WORD(0) " SG_ t" WORD(16) " SG_ m" WORD(
            32) "BO_ 2 R: 8 them\n SG_ motor" WORD(0) " SG_ b" WORD(16),
        "can: 1\nsignals:\n  angle: none\n  S.t: {channel: tip-force.z, factor: 2, offset: 1}\n"
        "  m: {channel: a-b, outside: refuse}\n  b: motor\n  R.motor: brake\n"
        "messages: {S: {cycle: 0.005}}\n");
    assert_string_equal(channel_of("angle"), "");
    assert_string_equal(channel_of("t"), "tip-force.z");
    assert_string_equal(channel_of("m"), "a-b");
    assert_string_equal(channel_of("b"), "motor");
    assert_string_equal(channel_of("motor"), "brake");
    assert_true(plan.item[0].factor == 2 && plan.item[0].offset == 1);
    assert_true(plan.item[0].outside == CAN_SATURATE && plan.item[1].outside == CAN_REFUSE);
    assert_true(plan.item[2].outside == CAN_REFUSE); /* the default for received signals */
    assert_true(plan.message[0].cycle_s == 0.005);
}

/* A mistake in a message whose signals have no channel is ignored. */
static void mistakes_of_others_do_not_matter(void **state)
{
    static const char *const others[] = {
        "BO_ 3 T: 8 them\n SG_ x : 0|16@1- (0.01,0) [200|-50] \"\" x\n",
        "BO_ 3 T: 8 them\n SG_ x : 60|8@1+ (1,0) [0|0] \"\" x\n",
        "BO_ 99999 T: 8 them\n SG_ x" BYTE(0),
        "BO_ 3 4T: 8 them\n SG_ x" BYTE(0),
        "BO_ 3 T: 8 them\n SG_ 4x" BYTE(0),
        "BO_ 3 T: 8 them\n SG_ x m" BYTE(0),
        "BO_ 3 T: 8 them\n SG_ angle : 0|8@1+ (0,0) [0|0] \"\" x\n", /* an output as a signal of
                                                                        `them` */
    };

    (void)state;
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        char text[1000];

        snprintf(text, sizeof(text), BU "%sBO_ 2 R: 8 them\n SG_ motor" BYTE(0) "BO_ 4 U: 8 them\n",
                 others[i]);
        make_good(text, NULL);
        assert_int_equal(plan.n_messages, 1);
        assert_string_equal(channel_of("motor"), "motor");
    }
}

static void directions(void **state)
{
    (void)state;
    make_good(SENT " SG_ angle" WORD(0) "BO_ 2 R: 8 them\n SG_ motor" WORD(
                  0) "BO_ 3 T: 8 them\n SG_ angle" WORD(0) "BO_ 4 U: 8 us\n SG_ brake" WORD(0),
              "can: 1\nmessages: {S: {direction: none}, T: {direction: transmit}, U: {direction: "
              "receive}}\n");
    assert_int_equal(plan.n_messages, 3);
    assert_true(!plan.message[0].is_sent && plan.message[1].is_sent && !plan.message[2].is_sent);
}

static void refused_plans(void **state)
{
    static const struct {
        const char *text, *map, *node, *error;
    } rows[] = {
        {SENT, NULL, "nobody", "x.dbc has no node 'nobody', expected one of BU_"},
        {SENT, "can: 1\nnode: nobody\n", NULL,
         "m.yaml:2:7: x.dbc has no node 'nobody', expected one of BU_"},
        {SENT " SG_ a_b" BYTE(0), NULL, "us",
         "x.dbc:4:6: 'a_b' fits several channels, expected the map to say which one"},
        {SENT " SG_ angle" BYTE(0) " SG_ x" BYTE(7), NULL, "us",
         "x.dbc:5:6: 'x' and 'angle' share bits, expected none of a message that is sent"},
        {HEARD " SG_ motor" BYTE(0) "BO_ 3 T: 8 them\n SG_ motor" BYTE(0), NULL, "us",
         "x.dbc:5:6: 'motor' and 'motor' are both the input 'motor', expected one"},
        {HEARD " SG_ t" BYTE(0), "can: 1\nsignals: {u: motor}\n", "us",
         "m.yaml:2:11: x.dbc has no signal 'u', expected SIGNAL or MESSAGE.SIGNAL"},
        {HEARD " SG_ t" BYTE(0), "can: 1\nsignals: {S.t: motor}\n", "us",
         "m.yaml:2:11: x.dbc has no signal 'S.t', expected SIGNAL or MESSAGE.SIGNAL"},
        {HEARD " SG_ t" BYTE(0), "can: 1\nsignals: {t: push}\n", "us",
         "m.yaml:2:14: the model has no input 'push' of one number, expected CHANNEL or "
         "CHANNEL.COMPONENT"},
        {HEARD " SG_ t" BYTE(0), "can: 1\nmessages: {Q: {}}\n", "us",
         "m.yaml:2:12: x.dbc has no message 'Q', expected one of it"},
        {BU "BO_ 1 S: 8 us\n SG_ angle" BYTE(0), "can: 1\nmessages: {S: {}}\n", "us",
         "m.yaml:2:12: 'S' has no cycle, expected GenMsgCycleTime, or cycle here"},
        {SENT " SG_ angle" BYTE(0), "can: 1\nmessages: {S: {counter: n}}\n", "us",
         "m.yaml:2:12: 'S' has no signal 'n', expected one of x.dbc"},
        {SENT " SG_ n : 0|4@1- (1,0) [0|0] \"\" x\n", "can: 1\nmessages: {S: {counter: n}}\n", "us",
         "m.yaml:2:12: 'n' cannot count, expected an unsigned whole number of at most 32 bits, not "
         "multiplexed"},
        {SENT " SG_ n : 0|4@1+ (1,0) [0|0] \"\" x\n",
         "can: 1\nmessages: {S: {counter: {signal: n, top: 16}}}\n", "us",
         "m.yaml:2:12: top is 16, expected at most 15 of 'n'"},
        {SENT " SG_ c" BYTE(4), "can: 1\nmessages: {S: {checksum: {signal: c, kind: xor}}}\n", "us",
         "m.yaml:2:12: 'c' cannot be a checksum, expected the 8 bits of a byte, not multiplexed"},
        {HEARD " SG_ motor : 0|16@1- (0.01,0) [200|-50] \"\" x\n", NULL, "us",
         "x.dbc:3:6: 'motor' is from 200 to -50, expected the lower one first"},
        {HEARD " SG_ motor" BYTE(0) " SG_ 4x" BYTE(8), NULL, "us",
         "x.dbc:4:6: '4', expected a name of the signal"},
        {HEARD " SG_ motor" BYTE(0) "BO_ 2 T: 8 them\n SG_ x" BYTE(0), NULL, "us",
         "x.dbc:4:5: the identifier 2 once more, expected one a message"},
        {HEARD " SG_ t : 60|8@1+ (1,0) [0|0] \"\" x\n", "can: 1\nsignals: {t: motor}\n", "us",
         "x.dbc:3:6: 't' ends at bit 68 of 'R', expected at most 64 for 8 bytes"},
        {SENT " SG_ x : 60|8@1+ (1,0) [0|0] \"\" x\n", "can: 1\nmessages: {S: {}}\n", "us",
         "x.dbc:4:6: 'x' ends at bit 68 of 'S', expected at most 64 for 8 bytes"},
        {BU "BO_ 1 S: 99 us\n", "can: 1\nmessages: {S: {}}\n", "us",
         "m.yaml:2:12: it is longer than a frame, expected another message"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        struct lk_error error = {""};

        assert_int_equal(make(rows[i].text, rows[i].map, rows[i].node, &error), LK_E_TEXT);
        assert_string_equal(error.text, rows[i].error);
    }
}

static void refused_maps(void **state)
{
    static const struct {
        const char *text, *error;
    } rows[] = {
        {"", "m.yaml:1:1: the text is empty, expected a map of signals"},
        {"can: 1\nsignals: {a: [1]}\n",
         "m.yaml:2:14: expected a channel, CHANNEL or CHANNEL.COMPONENT, or none"},
        {"can: 1\nsignals: {a: {channel: x, factor: 0}}\n",
         "m.yaml:2:35: the factor is 0, expected signal = channel factor + offset"},
        {"can: 1\nmessages: {a: {cycle: 0}}\n",
         "m.yaml:2:23: the cycle is 0, expected 0.0001 to 1000 s"},
        {"can: 1\nmessages: {a: {counter: [n]}}\n",
         "m.yaml:2:25: expected a signal of the message"},
        {"can: 1\nmessages: {a: {checksum: c}}\n",
         "m.yaml:2:26: expected {signal: SIGNAL, kind: crc8-j1850}"},
        {"can: 1\nmessages: {a: {checksum: {signal: c, kind: xor, before: [256]}}}\n",
         "m.yaml:2:58: expected a byte, from 0 to 255"},
        {"can: 1\nsignals: [a]\n", "m.yaml:2:10: signals: expected a map of at most 32768 names"},
    };
    struct lk_errors errors;

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(
            can_map_read_text("m.yaml", rows[i].text, strlen(rows[i].text), &map, &errors),
            LK_E_TEXT);
        assert_int_equal(errors.n, 1);
        assert_string_equal(errors.line[0].text, rows[i].error);
        can_map_fini(&map);
    }
}

/* Two messages with components of one channel are one claim; a third message has a claim of its
 * own. */
static void claims(void **state)
{
    (void)state;
    make_good(HEARD " SG_ push_z" WORD(0) "BO_ 3 T: 8 them\n SG_ brake" WORD(
                  0) "BO_ 4 U: 8 them\n SG_ motor" WORD(0) " SG_ push_x" WORD(16),
              NULL);
    assert_int_equal(plan.n_claims, 2);
    assert_int_equal(plan.claim[0].n_messages, 2);
    assert_int_equal(plan.claim[0].n_channels, 2);
    assert_int_equal(plan.claim[0].n_values, 4); /* motor, push.x, push.y, push.z */
    assert_true(plan.message[0].claim == 0 && plan.message[1].claim == 1 &&
                plan.message[2].claim == 0);
    assert_true(plan.item[0].slot == 3 && plan.item[2].slot == 0 && plan.item[3].slot == 1);
    assert_true(frames.values[0][0] == 0 && frames.values[0][2] == 0.5);
    assert_int_equal(can_frame_take(&frames, 0, (const uint8_t[8]){100}, 8), CAN_TAKEN);
    assert_false(can_frames_complete(&frames, 0));
    assert_int_equal(can_frame_take(&frames, 2, (const uint8_t[8]){200, 0, 44, 1}, 8), CAN_TAKEN);
    assert_true(can_frames_complete(&frames, 0));
    assert_false(can_frames_complete(&frames, 0));
    assert_true(frames.values[0][0] == 2 && frames.values[0][1] == 3 && frames.values[0][3] == 1);
}

/* The third message has channels of both others, so that all three are one claim. */
static void claims_join(void **state)
{
    (void)state;
    make_good(HEARD " SG_ push_x" WORD(0) "BO_ 3 T: 8 them\n SG_ pull_x" WORD(
                  0) "BO_ 4 U: 8 them\n SG_ push_y" WORD(0) " SG_ pull_y" WORD(16),
              NULL);
    assert_int_equal(plan.n_claims, 1);
    assert_int_equal(plan.claim[0].n_messages, 3);
    assert_int_equal(plan.claim[0].n_values, 6);
    assert_true(plan.message[1].claim == 0 && plan.message[2].claim == 0);
    assert_true(plan.item[1].slot == 3 && plan.item[3].slot == 4);
}

/* ---- sent frames ---- */

static void frames_have_outputs(void **state)
{
    const double outputs[6] = {1.25, 0, 0, -3, 0, 1e9};
    const uint8_t expected[8] = {125, 0, 0xd4, 0xfe, 0x20, 0x4e, 7, 0};
    uint8_t data[DBC_BYTES_MAX];

    (void)state;
    make_good(SENT " SG_ angle" WORD(0) " SG_ tip_force_z" WORD(16) " SG_ big" WORD(
                  32) " SG_ d" BYTE(48) "BA_ \"GenSigStartValue\" SG_ 1 d 7;\n",
              "can: 1\nsignals: {big: a-b}\n");
    assert_int_equal(can_frame_fill(&frames, 0, outputs, data), 8);
    assert_memory_equal(data, expected, sizeof(expected));
    make_good(SENT " SG_ big" WORD(32),
              "can: 1\nsignals: {big: {channel: a-b, outside: refuse}}\n");
    assert_int_equal(can_frame_fill(&frames, 0, outputs, data), -1);
}

static void frames_count_and_protect(void **state)
{
    const double outputs[6] = {1};
    uint8_t data[DBC_BYTES_MAX], sum;

    (void)state;
    make_good(SENT " SG_ angle" WORD(0) " SG_ n : 16|4@1+ (1,0) [0|0] \"\" x\n SG_ c" BYTE(24),
              "can: 1\nmessages:\n  S: {counter: {signal: n, top: 2}, checksum: {signal: c, kind: "
              "crc8-j1850, before: [1, 2]}}\n");
    for (int i = 0; i < 7; i++) {
        assert_int_equal(can_frame_fill(&frames, 0, outputs, data), 8);
        assert_int_equal(data[2], i % 3);
        sum = data[3];
        assert_int_equal(sum,
                         can_checksum_of(CAN_CRC8_J1850, (const uint8_t[]){1, 2}, 2, data, 8, 3));
    }
}

static void selections_take_turns(void **state)
{
    const double outputs[6] = {1, 2, 3, 4};
    const uint8_t expected[4][2] = {{0, 1}, {3, 2}, {9, 3}, {0, 1}};
    uint8_t data[DBC_BYTES_MAX];

    (void)state;
    make_good(SENT " SG_ M M" BYTE(0) " SG_ tip_force_y m9" BYTE(8) " SG_ angle m0" BYTE(
                  8) " SG_ tip_force_x m3" BYTE(8) " SG_ other m4" BYTE(8),
              NULL);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(can_frame_fill(&frames, 0, outputs, data), 8);
        assert_memory_equal(data, expected[i], 2);
    }
    make_good(SENT " SG_ M M" BYTE(0) " SG_ tip_force_y m9" BYTE(8) " SG_ tip_force_x m3" BYTE(8),
              "can: 1\nsignals: {M: tip-force.y}\n");
    assert_int_equal(can_frame_fill(&frames, 0, outputs, data), 8);
    assert_true(data[0] == 3 && data[1] == 2); /* set by the output, not in turn */
}

/* Return true if message @i is due at step @step. Message 0 must be due at every tenth step
 * although its times are rounded: 0.29 / 0.01 is less than 29. */
static bool is_due(int i, int step)
{
    bool due = can_frame_is_due(&frames, i, step * channels.step_s, step == 1);

    if (i == 0)
        assert_int_equal(due, step == 1 || step % 10 == 0);
    return due;
}

/* Count how often each message is due in @n steps. */
static void count_due(int n, int *ret)
{
    for (int step = 1; step <= n; step++)
        for (int i = 0; i < plan.n_messages; i++)
            ret[i] += is_due(i, step);
}

static void cycles(void **state)
{
    int due[3] = {0};

    (void)state;
    make_good(BU "BO_ 1 S: 8 us\n SG_ angle" WORD(0) "BO_ 2 T: 8 us\n SG_ tip_force_x" WORD(
                  0) "BO_ 3 U: 8 us\n SG_ tip_force_y" WORD(0),
              "can: 1\nmessages: {S: {cycle: 0.01}, T: {cycle: 0.01}, U: {cycle: 0.0025}}\n");
    assert_true(plan.message[0].phase_s == 0 && plan.message[1].phase_s == channels.step_s);
    count_due(1000, due);
    assert_int_equal(due[0], 101); /* the first step, and each 10th */
    assert_int_equal(due[1], 100); /* the first step, then each 10th from step 2 */
    assert_int_equal(due[2], 401);
    can_frame_is_due(&frames, 0, 5, false);
    can_frame_is_due(&frames, 1, 5, false);
    for (int step = 5001; step < 5010; step++) { /* the two messages are a step apart */
        assert_false(can_frame_is_due(&frames, 0, step * channels.step_s, false));
        assert_int_equal(can_frame_is_due(&frames, 1, step * channels.step_s, false), step == 5001);
    }
    assert_true(frames.missed == 2 * 399);                   /* both, from 1 s to 5 s */
    assert_true(can_frame_is_due(&frames, 0, 5.035, false)); /* some samples were lost */
    assert_true(frames.missed == 2 * 399 + 2);
    assert_false(can_frame_is_due(&frames, 0, 5.039, false));
}

/* A time that cannot be counted in cycles begins no new cycle and does not disturb later cycles. */
static void odd_times(void **state)
{
    static const double odd[] = {1e300, -1e300, NAN, INFINITY, -INFINITY, 1e17};

    (void)state;
    make_good(BU "BO_ 1 S: 8 us\n SG_ angle" WORD(0), "can: 1\nmessages: {S: {cycle: 0.01}}\n");
    assert_true(can_frame_is_due(&frames, 0, 1, true));
    for (size_t i = 0; i < sizeof(odd) / sizeof(odd[0]); i++)
        assert_false(can_frame_is_due(&frames, 0, odd[i], false));
    assert_false(can_frame_is_due(&frames, 0, 1.005, false));
    assert_true(can_frame_is_due(&frames, 0, 1.01, false));
    assert_true(frames.missed == 0);
}

static void lengths(void **state)
{
    static const int rows[][2] = {{0, 0},   {1, 1},   {8, 8},   {9, 12},  {12, 12}, {13, 16},
                                  {17, 20}, {24, 24}, {25, 32}, {33, 48}, {49, 64}, {64, 64}};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        assert_int_equal(can_frame_length(&(const struct dbc_message){.bytes = rows[i][0]}),
                         rows[i][1]);
}

/* ---- received frames ---- */

#define TAKE(...) can_frame_take(&frames, 0, (const uint8_t[8]){__VA_ARGS__}, 8)

static void values_and_refusals(void **state)
{
    (void)state;
    make_good(HEARD " SG_ motor" WORD(0) " SG_ t" WORD(16) " SG_ b" WORD(32),
              "can: 1\nsignals: {t: {channel: push.y, factor: 2, offset: 1, outside: saturate}, b: "
              "brake}\n");
    assert_int_equal(TAKE(100, 0, 44, 1, 0, 0), CAN_TAKEN); /* t = 3 = 2 push.y + 1 */
    assert_true(frames.values[0][0] == 1 && frames.values[0][2] == 1 && frames.values[0][1] == 0.5);
    assert_int_equal(TAKE(0xe9, 0x03, 0, 0, 0, 0), CAN_OUT_OF_RANGE); /* 10.01 > 10 */
    assert_int_equal(TAKE(0xe8, 0x03, 0, 0x20, 0, 0), CAN_TAKEN);     /* no value was changed */
    assert_true(frames.values[0][0] == 10 && frames.values[0][2] == 5);
    assert_int_equal(TAKE(0, 0, 0, 0, 0x21, 0x4e), CAN_OUT_OF_RANGE);   /* 200.01 > 200 */
    assert_true(frames.values[0][0] == 10 && frames.values[0][2] == 5); /* all or nothing */
    assert_int_equal(can_frame_take(&frames, 0, (const uint8_t[8]){0}, 7), CAN_SHORT);
}

/* If a limit is no exact float, the float nearest to it is accepted. */
static void round_off_is_within(void **state)
{
    const float beyond = 0.1f;
    uint8_t data[8] = {0};

    (void)state;
    channels.input.scalar[0].high = 0.1;
    make_good(HEARD " SG_ motor : 0|32@1+ (1,0) [0|0] \"\" x\nSIG_VALTYPE_ 2 motor : 1;\n", NULL);
    memcpy(data, &beyond, sizeof(beyond));
    assert_true((double)beyond > 0.1);
    assert_int_equal(can_frame_take(&frames, 0, data, 8), CAN_TAKEN);
    assert_true(frames.values[0][0] == 0.1);
    memcpy(data, (const float[]){NAN}, sizeof(float));
    assert_int_equal(can_frame_take(&frames, 0, data, 8), CAN_OUT_OF_RANGE);
}

static void counters_and_checksums(void **state)
{
    (void)state;
    make_good(HEARD " SG_ motor" WORD(0) " SG_ n : 16|4@1+ (1,0) [0|0] \"\" x\n SG_ c" BYTE(24),
              "can: 1\nmessages: {R: {counter: n, checksum: {signal: c, kind: xor}}}\n");
    assert_int_equal(TAKE(100, 0, 0, 100), CAN_TAKEN);
    assert_int_equal(TAKE(100, 0, 1, 100), CAN_SPOILT);
    assert_int_equal(TAKE(50, 0, 0, 50), CAN_REPEATED);
    assert_true(frames.values[0][0] == 1);
    assert_int_equal(TAKE(50, 0, 3, 49), CAN_TAKEN); /* two lost frames are no error */
    assert_true(frames.values[0][0] == 0.5);
}

static void selected_values(void **state)
{
    (void)state;
    make_good(HEARD " SG_ M M" BYTE(0) " SG_ motor m1" WORD(8) " SG_ brake m2" WORD(
                  8) " SG_ other m3" BYTE(8),
              NULL);
    assert_int_equal(TAKE(1, 100, 0), CAN_TAKEN);
    assert_int_equal(TAKE(2, 200, 0), CAN_TAKEN);
    assert_int_equal(TAKE(3, 7, 0), CAN_NOTHING);
    assert_true(frames.values[0][0] == 1 && frames.values[0][1] == 2);
    make_good(HEARD " SG_ M M" BYTE(0) " SG_ p m1" WORD(8) " SG_ q m2" WORD(24),
              "can: 1\nsignals: {p: motor, q: motor}\n"); /* never in the same frame */
    assert_int_equal(TAKE(2, 0, 0, 200, 0), CAN_TAKEN);
    assert_true(frames.values[0][0] == 2);
}

/* ---- text ---- */

static void explained(void **state)
{
    char text[4096] = "";
    FILE *to = fmemopen(text, sizeof(text), "w");

    (void)state;
    make_good(
        SENT " SG_ angle : 0|16@1- (0.01,0) [-300|300] \"deg\" x\n SG_ spare" BYTE(
            16) "BO_ 2 R: 8 them\n SG_ motor : 0|8@1- (1,0) [-12|12] \" rad\" x\n SG_ no" BYTE(8),
        NULL);
    assert_int_equal(can_explain(&plan, to), 2);
    fclose(to);
    assert_non_null(strstr(text, "sent S: identifier 0x1, 8 bytes, every 10 ms\n"));
    assert_non_null(strstr(text, "x.dbc:4:6: 'angle' is in [deg], its channel in [rad]"));
    assert_non_null(strstr(text, "x.dbc:7:6: 'motor' reaches from -12 to 12, the limits of 'motor' "
                                 "are -10 to 10: what is beyond is refused"));
    assert_non_null(strstr(text, "as GenSigStartValue or 0 (1): S.spare\n"));
    assert_non_null(strstr(text, "without a channel (1): R.no\n"));
    assert_non_null(strstr(
        text, "inputs without a signal: push.x, push.y, push.z, brake, pull.x, pull.y, pull.z\n"));
}

/* The DBC file that is generated from a model has a signal for each channel, and reading it returns
 * what was written. */
static void file_of_a_model(void **state)
{
    static const char *const xyz[] = {"x", "y", "z"}, *const unit[] = {"N", "N", "N"};
    char *text = NULL;
    size_t size;

    (void)state;
    channels.output.n = 4; /* omit outputs whose names would be equal */
    can_channels_add(&channels.input, "a_name_that_is_longer_than_the_format_allows", 3, xyz, unit,
                     -1, 1, 0);
    for (int is_fd = 0; is_fd < 2; is_fd++) {
        struct lk_error error = {""};
        FILE *to = open_memstream(&text, &size);

        assert_int_equal(dbc_write(&channels, "m", is_fd, to), 0);
        fclose(to);
        if (make(text, NULL, DBC_WRITE_NODE, &error) != 0)
            fail_msg("%s", error.text);
        free(text);
        assert_int_equal(plan.n_messages, is_fd ? 2 : 2 + 6);
        assert_int_equal(plan.n_items, channels.output.n + channels.input.n);
        for (int i = 0; i < dbc->n_signals; i++)
            assert_true(dbc->signal[i].kind == DBC_FLOAT && strlen(dbc->signal[i].name) <= 32);
        assert_string_equal(channel_of("a_name_that_is_longer_than_00008"),
                            "a_name_that_is_longer_than_the_format_allows.x");
        assert_true(dbc->message[0].is_fd == is_fd && plan.message[0].cycle_s == 0.01);
        assert_true(dbc->signal[4].low == -10 && dbc->signal[4].high == 10);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(signals_are_channels_by_name),
        TEST(the_map_goes_before_names),
        TEST(directions),
        TEST(mistakes_of_others_do_not_matter),
        TEST(refused_plans),
        TEST(refused_maps),
        TEST(claims),
        TEST(claims_join),
        TEST(frames_have_outputs),
        TEST(frames_count_and_protect),
        TEST(selections_take_turns),
        TEST(cycles),
        TEST(odd_times),
        TEST(lengths),
        TEST(values_and_refusals),
        TEST(round_off_is_within),
        TEST(counters_and_checksums),
        TEST(selected_values),
        TEST(explained),
        TEST(file_of_a_model),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
