/* SPDX-License-Identifier: Apache-2.0 */
/* The reader of DBC files and the bits of signals: each position in a frame against an independent
 * bit-by-bit oracle, published values and checksums, and one line for each mistake. */
#include "bits.h"
#include "cmocka_all.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- bits ---- */

/* Return a random number; the seed is always the same. */
static uint64_t random_next(void)
{
    return (uint64_t)random() << 62 ^ (uint64_t)random() << 31 ^ (uint64_t)random();
}

/* Compute the DBC numbers of the bits of a signal, highest bit first.
 * Return: false if a bit is beyond @bytes */
static bool number_bits(const struct dbc_signal *s, int bytes, int ret[64])
{
    int at = s->start;

    for (int i = 0; i < s->bits; i++) {
        ret[i] = s->is_motorola ? at : s->start + s->bits - 1 - i;
        if (ret[i] < 0 || ret[i] >= 8 * bytes)
            return false;
        at = at % 8 == 0 ? at + 15 : at - 1; /* next: highest bit of the next byte */
    }
    return true;
}

static void check_place(const struct dbc_signal *s, const int *number, uint64_t raw)
{
    uint8_t data[DBC_BYTES_MAX], expected[DBC_BYTES_MAX];

    for (int i = 0; i < DBC_BYTES_MAX; i++)
        data[i] = expected[i] = (uint8_t)random_next();
    for (int i = 0; i < s->bits; i++) {
        uint8_t bit = (uint8_t)(1 << number[i] % 8);

        if (raw >> (s->bits - 1 - i) & 1)
            expected[number[i] / 8] |= bit;
        else
            expected[number[i] / 8] &= (uint8_t)~bit;
    }
    can_bits_write(data, s, raw);
    assert_memory_equal(data, expected, sizeof(data));
    assert_true(can_bits_read(data, s) ==
                (s->bits == 64 ? raw : raw & ((UINT64_C(1) << s->bits) - 1)));
}

static void every_place(void **state)
{
    int number[64], n = 0;

    (void)state;
    for (int order = 0; order < 2; order++)
        for (int start = 0; start < 8 * DBC_BYTES_MAX; start++)
            for (int bits = 1; bits <= 64; bits++) {
                struct dbc_signal s = {.start = start, .bits = bits, .is_motorola = order == 1};

                if (dbc_first_bit(&s) + bits <= 8 * DBC_BYTES_MAX) {
                    assert_true(number_bits(&s, DBC_BYTES_MAX, number));
                    check_place(&s, number, UINT64_MAX);
                    check_place(&s, number, random_next());
                    n++;
                } else {
                    assert_false(number_bits(&s, DBC_BYTES_MAX, number));
                }
            }
    assert_int_equal(n, 2 * (64 * 449 + 63 * 64 / 2)); /* 449 starts with all 64, then ever fewer */
}

static double value_of(struct dbc_signal s, uint64_t raw)
{
    return can_value_of(&s, raw);
}

static uint64_t raw_of(struct dbc_signal s, double value, bool within)
{
    uint64_t raw;

    assert_int_equal(can_raw_of(&s, value, &raw), within);
    return raw;
}

static void whole_numbers(void **state)
{
    const struct dbc_signal byte = {.bits = 8, .factor = 1},
                            tenths = {.bits = 12, .factor = 0.1, .offset = -40};
    struct dbc_signal s = {.bits = 8, .factor = 1, .is_signed = true};

    (void)state;
    assert_true(value_of(byte, 255) == 255 && value_of(s, 255) == -1 && value_of(s, 128) == -128);
    assert_int_equal(raw_of(byte, 255.4, true), 255);
    assert_int_equal(raw_of(byte, 255.5, false), 255);
    assert_int_equal(raw_of(byte, -0.4, true), 0);
    assert_int_equal(raw_of(byte, -1, false), 0);
    assert_int_equal(raw_of(byte, NAN, false), 0);
    assert_int_equal(raw_of(byte, INFINITY, false), 255);
    assert_int_equal(raw_of(s, -128.4, true), 128);
    assert_int_equal(raw_of(s, -129, false), 128);
    assert_int_equal(raw_of(s, 128, false), 127);
    assert_int_equal(raw_of(tenths, 0, true), 400);
    assert_int_equal(raw_of(tenths, 1000, false), 4095);
    s.factor = -2;
    assert_int_equal(raw_of(s, 6, true), 0xfd);
    s = (struct dbc_signal){.bits = 64, .factor = 1};
    assert_true(raw_of(s, 0x1p63, true) == UINT64_C(1) << 63);
    assert_true(raw_of(s, 0x1p64, false) == UINT64_MAX);
    assert_true(value_of(s, UINT64_MAX) == 0x1p64);
    s.is_signed = true;
    assert_true(raw_of(s, -0x1p63, true) == UINT64_C(1) << 63);
    assert_true(raw_of(s, 0x1p63, false) == INT64_MAX);
    assert_true(raw_of(s, -1, true) == UINT64_MAX);
    assert_true(value_of(s, UINT64_C(1) << 63) == -0x1p63);
    s = (struct dbc_signal){.bits = 1, .factor = 1, .is_signed = true};
    assert_true(value_of(s, 1) == -1 && value_of(s, 0) == 0);
}

static void ranges(void **state)
{
    const struct dbc_signal s = {
        .bits = 8, .factor = 0.5, .low = -1, .high = 10, .is_signed = true};

    (void)state;
    assert_int_equal(raw_of(s, 10, true), 20);
    assert_int_equal(raw_of(s, 10.2, true), 20); /* 10.2 is rounded to the resolution */
    assert_int_equal(raw_of(s, 10.3, false), 20);
    assert_int_equal(raw_of(s, -7, false), 0xfe);
}

static void floats(void **state)
{
    const struct dbc_signal f = {.bits = 32, .factor = 2, .offset = 1, .kind = DBC_FLOAT},
                            d = {.bits = 64, .factor = 1, .kind = DBC_DOUBLE};

    (void)state;
    assert_int_equal(raw_of(f, 4, true), 0x3fc00000); /* 1.5 */
    assert_true(value_of(f, 0x3fc00000) == 4);
    assert_int_equal(raw_of(f, 1e300, false), 0x7f7fffff);
    assert_int_equal(raw_of(f, -INFINITY, false), 0xff7fffff);
    assert_true(raw_of(d, 0.1, true) == UINT64_C(0x3fb999999999999a));
    assert_true(raw_of(d, INFINITY, false) == UINT64_C(0x7fefffffffffffff));
    assert_true(value_of(d, UINT64_C(0x3fb999999999999a)) == 0.1);
}

/* Frames from the README of cantools (motohawk.dbc), and EEC1 of J1939 as in tutorials. */
static void published_frames(void **state)
{
    const struct dbc_signal temperature = {.start = 0,
                                           .bits = 12,
                                           .is_motorola = true,
                                           .is_signed = true,
                                           .factor = 0.01,
                                           .offset = 250},
                            radius = {.start = 6, .bits = 6, .is_motorola = true, .factor = 0.1},
                            speed = {.start = 24, .bits = 16, .factor = 0.125};
    const uint8_t one[8] = {0x80, 0x4a, 0x0f}, other[8] = {0xc0, 0x06, 0xe0},
                  eec1[8] = {0xff, 0xff, 0xff, 0x68, 0x13, 0xff, 0xff, 0xff};

    (void)state;
    assert_float_equal(value_of(temperature, can_bits_read(one, &temperature)), 255.92, 1e-9);
    assert_float_equal(value_of(radius, can_bits_read(one, &radius)), 0, 1e-9);
    assert_float_equal(value_of(temperature, can_bits_read(other, &temperature)), 250.55, 1e-9);
    assert_float_equal(value_of(radius, can_bits_read(other, &radius)), 3.2, 1e-9);
    assert_float_equal(value_of(speed, can_bits_read(eec1, &speed)), 621, 1e-9);
}

/* AUTOSAR, Specification of CRC Routines: tables for CRC8 (SAE J1850) and CRC8H2F. */
static void published_sums(void **state)
{
    static const struct {
        uint8_t data[4];
        int n;
        uint8_t j1850, h2f;
    } rows[] = {{{0, 0, 0, 0}, 4, 0x59, 0x12},
                {{0xf2, 0x01, 0x83}, 3, 0x37, 0xc2},
                {{0x0f, 0xaa, 0x00, 0x55}, 4, 0x79, 0xc6},
                {{0x00, 0xff, 0x55, 0x11}, 4, 0xb8, 0x77},
                {{0x92, 0x6b, 0x55}, 3, 0x8c, 0x33}};
    const uint8_t digits[] = "123456789", frame[] = {1, 2, 99, 4};

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_int_equal(can_checksum_of(CAN_CRC8_J1850, NULL, 0, rows[i].data, rows[i].n, -1),
                         rows[i].j1850);
        assert_int_equal(can_checksum_of(CAN_CRC8_H2F, NULL, 0, rows[i].data, rows[i].n, -1),
                         rows[i].h2f);
    }
    assert_int_equal(can_checksum_of(CAN_CRC8_J1850, NULL, 0, digits, 9, -1), 0x4b);
    assert_int_equal(can_checksum_of(CAN_CRC8_H2F, digits, 4, digits + 4, 5, -1), 0xdf);
    assert_int_equal(can_checksum_of(CAN_XOR, NULL, 0, frame, 4, 2), 1 ^ 2 ^ 4);
}

/* ---- files ---- */

static const char whole[] =
    "\xef\xbb\xbf"
    "VERSION \"1 \\\"x\\\"\"\r\n"
    "NS_ :\r\n\tCM_\r\n\tBA_\r\n\tBA_DEF_\r\n"
    "BS_: 500 : 1,2\r\n"
    "BU_: linkaged ECU\r\n"
    "VAL_TABLE_ onoff 0 \"off\" 1 \"on\" ;\r\n"
    "BO_ 256 Status: 8 linkaged\r\n"
    " SG_ angle : 7|16@0- (0.01,-2) [-300|300] \"\xb0\" ECU,Vector__XXX\r\n"
    " SG_ rate : 16|32@1+ (1.0E+0,0) [0|0] \"rad/s\" ECU Other\r\n"
    "BO_ 2566844926 Long: 8 ECU\r\n"
    " SG_ which M : 0|8@1+ (1,0) [0|0] \"\" linkaged\r\n"
    " SG_ a m0 : 8|8@1+(1,0)[0|0]\"\" linkaged\r\n"
    " SG_ b m17 : 8|8@1+ (1,0) [0|0] \"\"\r\n"
    "BO_ 3 Fast: 64 ECU\r\n"
    " SG_ last : 504|8@1+ (1,0) [0|0] \"\" linkaged\r\n"
    "BO_ 4 Extended: 8 ECU\r\n"
    " SG_ which M : 0|8@1+ (1,0) [0|0] \"\" linkaged\r\n"
    " SG_ further m1M : 8|8@1+ (1,0) [0|0] \"\" linkaged\r\n"
    "BO_ 2364540158 Transported: 39 ECU\r\n"
    "BO_ 5 Huge: 1785 ECU\r\n"
    "BO_ 6 Formatted: 8 ECU\r\n"
    "BO_ 3221225472 VECTOR__INDEPENDENT_SIG_MSG: 0 Vector__XXX\r\n"
    " SG_ orphan : 0|8@1+ (1,0) [0|0] \"\" Vector__XXX\r\n"
    "BO_TX_BU_ 3 : ECU,linkaged;\r\n"
    "CM_ SG_ 256 angle \"BO_ 7 in; a \\\"comment\\\"\nover lines\";\r\n"
    "BA_DEF_ BO_ \"GenMsgCycleTime\" INT 0 10000;\r\n"
    "BA_DEF_ BO_ \"VFrameFormat\" ENUM \"StandardCAN\",\"StandardCAN_FD\";\r\n"
    "BA_DEF_ SG_ \"GenSigStartValue\" FLOAT 0 0;\r\n"
    "BA_DEF_DEF_ \"GenMsgCycleTime\" 100;\r\n"
    "BA_ \"GenMsgCycleTime\" BO_ 256 20;\r\n"
    "BA_ \"GenMsgCycleTime\" BO_ 999 20;\r\n"
    "BA_ \"VFrameFormat\" BO_ 6 1;\r\n"
    "BA_ \"GenSigStartValue\" SG_ 256 rate 7;\r\n"
    "BA_ \"SystemSignalLongSymbol\" SG_ 256 rate "
    "\"rate_of_the_crank_about_its_own_axis_in_rad\";\r\n"
    "BA_ \"DBName\" \"x\";\r\n"
    "VAL_ 256 rate 0 \"a\" 1 \"b\" ;\r\n"
    "SIG_VALTYPE_ 256 rate : 1;\r\n"
    "SG_MUL_VAL_ 2566844926 b which 17-17;\r\n";

static struct dbc *read_good(const char *text, size_t size)
{
    struct dbc *dbc = NULL;
    struct lk_error error = {""};

    if (dbc_read_text("x.dbc", text, size, &dbc, &error) != 0)
        fail_msg("%s", error.text);
    return dbc;
}

static void all_of_a_file(void **state)
{
    struct dbc *dbc = read_good(whole, sizeof(whole) - 1);
    const struct dbc_message *m = dbc->message;
    const struct dbc_signal *s = dbc->signal;

    (void)state;
    assert_int_equal(dbc->n_messages, 8);
    assert_int_equal(dbc->n_signals, 9);
    assert_true(dbc->n_nodes == 2 && dbc_has_node(dbc, "ECU") && !dbc_has_node(dbc, "Other"));
    assert_true(m[0].id == 256 && !m[0].is_extended && m[0].bytes == 8 && m[0].n_signals == 2);
    assert_true(m[0].cycle_s == 0.02 && m[1].cycle_s == 0.1 && m[0].line == 9 && m[0].column == 9);
    assert_true(s[0].start == 7 && s[0].bits == 16 && s[0].is_motorola && s[0].is_signed);
    assert_true(s[0].factor == 0.01 && s[0].offset == -2 && s[0].low == -300 && s[0].high == 300);
    assert_string_equal(s[0].unit, "\xc2\xb0"); /* converted from Latin-1 */
    assert_true(!s[1].is_motorola && !s[1].is_signed && s[1].kind == DBC_FLOAT);
    assert_true(isnan(s[0].initial) && s[1].initial == 7);
    assert_string_equal(dbc_signal_name(&s[1]), "rate_of_the_crank_about_its_own_axis_in_rad");
    assert_true(dbc_find_signal(dbc, 0, "rate") == 1 && dbc_find_signal(dbc, 0, "a") == -1);
    assert_true(m[1].id == 0x18fef1fe && m[1].is_extended && m[1].passed_over == NULL);
    assert_true(m[1].selector == 2 && s[2].role == DBC_SELECTOR && s[3].role == DBC_SELECTED);
    assert_true(s[3].selection == 0 && s[4].selection == 17);
    assert_true(m[2].is_fd && dbc_is_sent_by(dbc, 2, "linkaged") && dbc_is_sent_by(dbc, 2, "ECU"));
    assert_false(dbc_is_sent_by(dbc, 1, "linkaged"));
    assert_string_equal(m[3].passed_over, "it has extended multiplexing");
    assert_true(m[4].is_fd && m[4].passed_over == NULL);
    assert_string_equal(m[5].passed_over, "it is longer than a frame");
    assert_true(m[6].is_fd && !m[0].is_fd);
    assert_string_equal(m[7].passed_over, "its signals are in no message");
    dbc_free(dbc);
}

#define HEAD           "BU_: A\nBO_ 1 M: 8 A\n"
#define SIGNAL(layout) HEAD " SG_ s : " layout " \"\" A\n"

static const struct mistake {
    const char *text, *error;
} of_the_file[] =
    {
        {" SG_ s : 0|8@1+ (1,0) [0|0] \"\" A", "1:6: a signal before any message, expected BO_"},
        {HEAD "CM_ \"never ends\n\n", "3:5: no '\"' ends this text"},
        {HEAD "BOO_ 2 N: 8 A",
         "3:1: 'BOO_' begins nothing of a DBC file, expected BO_, SG_, CM_ .."},
        {HEAD "17", "3:1: no keyword, expected BO_, SG_, CM_ .."},
},
  of_a_message[] = {
      {"BO_ 1 M: 8 A\nBO_ 1 N: 8 A", "2:5: the identifier 1 once more, expected one a message"},
      {"BO_ 1 M: 8 A\nBO_ 2 M: 8 A", "2:7: message 'M' once more, expected another name"},
      {"BO_ 2048 M: 8 A", "1:5: the identifier 2048, expected at most 2047, or 2147483648 and more "
                          "for one of 29 bits"},
      {"BO_ 1.5 M: 8 A", "1:5: 1.5, expected an identifier from 0 to 4294967295"},
      {"BO_ 1 : 8 A", "1:7: ':', expected a name of the message"},
      {"BO_ 1 M 8 A", "1:9: '8', expected ':'"},
      {"BO_ 1 M: 8", "2:1: 'BO_', expected the sender, or Vector__XXX"},
      {SIGNAL("0|8@2+ (1,0) [0|0]"), "3:14: 2, expected 0 (Motorola) or 1 (Intel) from 0 to 1"},
      {SIGNAL("0|65@1+ (1,0) [0|0]"), "3:12: 65, expected a number of bits from 1 to 64"},
      {SIGNAL("0|8@1 (1,0) [0|0]"), "3:16: '(', expected '+'"},
      {SIGNAL("0|8@1+ (0,0) [0|0]"), "3:6: the factor of 's' is 0, expected another"},
      {SIGNAL("0|8@1+ (1,0) [2|1]"), "3:6: 's' is from 2 to 1, expected the lower one first"},
      {SIGNAL("57|8@1+ (1,0) [0|0]"),
       "3:6: 's' ends at bit 65 of 'M', expected at most 64 for 8 bytes"},
      {SIGNAL("56|9@0+ (1,0) [0|0]"),
       "3:6: 's' ends at bit 72 of 'M', expected at most 64 for 8 bytes"},
      {SIGNAL("0|8@1+ (1,0) [0|x]"), "3:26: 'x', expected a highest value"},
      {SIGNAL("0|8@1+ (1e999,0) [0|0]"),
       "3:18: '1e999' is no number of a double, expected a shorter one"},
      {SIGNAL("0|8@1+ (1,0) [0|0]") " SG_ s : 8|8@1+ (1,0) [0|0] \"\" A",
       "4:6: signal 's' of 'M' once more, expected another name"},
      {HEAD " SG_ s m : 0|8@1+ (1,0) [0|0] \"\" A",
       "3:8: 'm', expected ':', or M or m0, m1 .. of a multiplexed one"},
      {HEAD " SG_ s m0 : 0|8@1+ (1,0) [0|0] \"\" A",
       "3:6: 's' is multiplexed, expected a selector 'M' in 'M'"},
      {SIGNAL("0|8@1+ (1,0) [0|0]") "SIG_VALTYPE_ 1 s : 1;",
       "4:20: 's' has 8 bits, expected 32 of a float"},
      {SIGNAL("0|8@1+ (1,0) [0|0]") "SIG_VALTYPE_ 1 t : 1;",
       "4:14: there is no signal 't' in such a message, expected one"},
      {HEAD "BA_ \"GenMsgCycleTime\" BO_ 1 -3;",
       "3:29: -3, expected a time in ms from 0 to 1000000"},
      {HEAD " SG_ s : 0|8@1+ (1,0) [0|0] \"\" A\n SG_ 4x : 8|8@1+ (1,0) [0|0] \"\" A",
       "4:6: '4', expected a name of the signal"},
      {"BO_ 1 4M: 8 A\n SG_ s : 0|8@1+ (1,0) [0|0] \"\" A",
       "1:7: '4', expected a name of the message"},
      {"BO_ 419361278 M: 8 A",
       "1:5: the identifier 419361278, expected at most 2047, or 2147483648 and "
       "more for one of 29 bits"},
      {HEAD "BA_ \"GenMsgCycleTime\" BO_ 1 30\nCM_ \"\";", "3:1: no ';' ends what begins here"},
};

static void mistakes_of_the_file(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(of_the_file) / sizeof(of_the_file[0]); i++) {
        struct dbc *dbc = NULL;
        struct lk_error error = {""};
        char expected[LK_ERROR_SIZE];

        snprintf(expected, sizeof(expected), "x.dbc:%s", of_the_file[i].error);
        assert_int_equal(
            dbc_read_text("x.dbc", of_the_file[i].text, strlen(of_the_file[i].text), &dbc, &error),
            LK_E_TEXT);
        assert_string_equal(error.text, expected);
        assert_null(dbc);
    }
}

/* A message with a mistake keeps its error line, and the text after it is read: another message,
 * and the statements about it. */
static void mistakes_of_a_message(void **state)
{
    static const char behind[] = "\nBO_ 77 Good: 8 A\n SG_ good : 0|32@1+ (1,0) [0|0] \"\" A\n"
                                 "SIG_VALTYPE_ 77 good : 1;\n";

    (void)state;
    for (size_t i = 0; i < sizeof(of_a_message) / sizeof(of_a_message[0]); i++) {
        char text[1000], expected[LK_ERROR_SIZE];
        struct dbc *dbc;
        int good;

        snprintf(text, sizeof(text), "%s%s", of_a_message[i].text, behind);
        snprintf(expected, sizeof(expected), "x.dbc:%s", of_a_message[i].error);
        dbc = read_good(text, strlen(text));
        assert_non_null(dbc->message[0].mistake != NULL ? dbc->message[0].mistake
                                                        : dbc->message[1].mistake);
        for (int m = 0; m < 2; m++)
            if (dbc->message[m].mistake != NULL)
                assert_string_equal(dbc->message[m].mistake, expected);
        good = dbc_find_message(dbc, "Good");
        assert_true(good > 0 && dbc->message[good].passed_over == NULL);
        assert_int_equal(dbc->message[good].n_signals, 1);
        assert_int_equal(dbc->signal[dbc_find_signal(dbc, good, "good")].kind, DBC_FLOAT);
        dbc_free(dbc);
    }
}

/* Comments, statements without a semicolon that have no meaning here, and two selectors are
 * accepted. */
static void what_others_read(void **state)
{
    static const char text[] =
        "// our bus\nBU_: A 4WD B // and D\nCM_ \"no // semicolon\"\nBO_ 1 M: 8 A\n// SG_ no : "
        "0|8@1+\n"
        " SG_ s M : 0|8@1+ (1,0) [0|0] \"//\" A\n SG_ t M : 8|8@1+ (1,0) [0|0] \"\" A\n"
        "SG_MUL_VAL_ 1 t s 1-1;\nBO_ 2 N: 8 A\n SG_ s : 0|8@1+ (1,0) [0|0] \"\" 4WD,A\nVAL_ 2 s 0 "
        "\"a\"\nSIG_VALTYPE_ 99 u : 1;\n";
    struct dbc *dbc = read_good(text, sizeof(text) - 1);

    (void)state;
    assert_true(dbc->n_nodes == 2 && dbc->n_messages == 2 && dbc->n_signals == 3);
    assert_true(dbc_has_node(dbc, "A") && dbc_has_node(dbc, "B"));
    assert_string_equal(dbc->signal[0].unit, "//");
    assert_string_equal(dbc->message[0].passed_over, "it has extended multiplexing");
    assert_true(dbc->message[0].mistake == NULL && dbc->message[1].passed_over == NULL);
    assert_int_equal(dbc->n_notes, 4);
    assert_string_equal(dbc->note[0], "x.dbc:2:8: '4WD', expected a name of a node");
    assert_string_equal(dbc->note[1], "x.dbc:3:1: no ';' ends what begins here");
    assert_string_equal(dbc->note[2], "x.dbc:11:1: no ';' ends what begins here");
    assert_string_equal(dbc->note[3],
                        "x.dbc:12:14: there is no signal 'u' in such a message, expected one");
    dbc_free(dbc);
}

static void files_that_cannot_be_read(void **state)
{
    struct dbc *dbc;
    struct lk_error error;

    (void)state;
    assert_int_equal(dbc_read("/no/such.dbc", &dbc, &error), LK_E_TEXT);
    assert_string_equal(error.text, "/no/such.dbc: No such file or directory");
    assert_int_equal(dbc_read("/", &dbc, &error), LK_E_TEXT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_place),
        cmocka_unit_test(whole_numbers),
        cmocka_unit_test(ranges),
        cmocka_unit_test(floats),
        cmocka_unit_test(published_frames),
        cmocka_unit_test(published_sums),
        cmocka_unit_test(all_of_a_file),
        cmocka_unit_test(mistakes_of_the_file),
        cmocka_unit_test(mistakes_of_a_message),
        cmocka_unit_test(what_others_read),
        cmocka_unit_test(files_that_cannot_be_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
