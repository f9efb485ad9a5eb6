/* SPDX-License-Identifier: Apache-2.0 */
/* Key files and the list of clients: which texts are accepted, and the message for each refused
 * text. */
#include "../skip.h"
#include "clients.h"
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zmq.h>

#include <cmocka.h>

/* Keys with # in all positions where they may contain it, which is anywhere except at the beginning
 * of a group of five. */
#define KEY_A "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID"
#define KEY_B "rq:rM>}U?@Lns47E1%kR.o@n%FcmmsL/@{H8]yf7"
#define KEY_C "0####w-#o<fVvi]a<NY6T1ed:M$fCG*[IaLV{hI#"

static char path[64];

static int make_file(void **state)
{
    int fd;

    (void)state;
    snprintf(path, sizeof(path), "/tmp/linkaged-test-keys-XXXXXX");
    fd = mkstemp(path);
    return fd < 0 ? -1 : close(fd);
}

static int remove_file(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

static void write_file(const char *text, mode_t mode)
{
    FILE *out = fopen(path, "w");

    assert_non_null(out);
    fputs(text, out);
    fclose(out);
    assert_int_equal(chmod(path, mode), 0);
}

/* ---- one key ---- */

static void test_valid_keys(void **state)
{
    (void)state;
    assert_true(lk_key_is_valid(KEY_A, 40));
    assert_true(lk_key_is_valid(KEY_C, 40));
    assert_false(lk_key_is_valid(KEY_A, 39));
    assert_false(lk_key_is_valid(KEY_A "0", 41));
    assert_false(lk_key_is_valid("", 0));
    /* a blank, a quote and a byte beyond ASCII are no digits of Z85 */
    assert_false(lk_key_is_valid(" ne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", 40));
    assert_false(lk_key_is_valid("'ne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID", 40));
    assert_false(lk_key_is_valid("\xc3\xa4"
                                 "e@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hID",
                                 40));
    assert_false(lk_key_is_valid("0123456789\0"
                                 "0123456789012345678901234567890",
                                 40));
    /* 85^5 exceeds 2^32: %nSc0 is the last group that encodes four bytes, %nSc1 does not */
    assert_true(lk_key_is_valid("%nSc000000000000000000000000000000000000", 40));
    assert_false(lk_key_is_valid("%nSc100000000000000000000000000000000000", 40));
    assert_false(lk_key_is_valid("00000000000000000000000000000000000#####", 40));
    assert_false(lk_key_is_valid("#000000000000000000000000000000000000000", 40));
}

/* ZeroMQ and this program agree on valid keys. */
static void test_agrees_with_zeromq(void **state)
{
    uint8_t bytes[32];
    char text[41];

    (void)state;
    for (int i = 0; i < 256; i++) {
        for (int k = 0; k < 32; k++)
            bytes[k] = (uint8_t)(i * 37 + k * 91 + (i * k) % 13);
        assert_non_null(zmq_z85_encode(text, bytes, sizeof(bytes)));
        assert_true(lk_key_is_valid(text, 40));
        text[i % 40] = '~';
        assert_false(lk_key_is_valid(text, 40));
    }
}

static void expect_key(const char *text, const char *key)
{
    char got[LK_KEY_SIZE];
    struct lk_error error = {0};

    if (lk_key_parse("k", text, strlen(text), got, &error))
        fail_msg("%s", error.text);
    assert_string_equal(got, key);
}

static void expect_no_key(const char *text, const char *words)
{
    char got[LK_KEY_SIZE] = "untouched";
    struct lk_error error = {0};

    assert_int_equal(lk_key_parse("k", text, strlen(text), got, &error), LK_E_TEXT);
    if (strncmp(error.text, words, strlen(words)) != 0)
        fail_msg("'%s', expected '%s'", error.text, words);
    assert_string_equal(got, "untouched");
}

static void test_one_key(void **state)
{
    (void)state;
    expect_key(KEY_A, KEY_A);
    expect_key("\n# a comment\n  " KEY_B " # mine\r\n\n", KEY_B);
    expect_key(KEY_C "\n", KEY_C);
    expect_key(KEY_C " #" KEY_A "\n#x\n", KEY_C);
    expect_no_key("", "k: no key");
    expect_no_key("# nothing\n#\n", "k: no key");
    expect_no_key("\n\nhello\n", "k:3: not a key");
    expect_no_key("#comment\n", "k: no key");
    expect_no_key(KEY_A " " KEY_B, "k:1: not a key");
    expect_no_key(KEY_A "\n\n" KEY_B "\n", "k:3: more than one key");
}

/* The message about a key with a typing error does not quote the key, because secrets must not
 * appear in a log. */
static void test_a_key_is_never_quoted(void **state)
{
    static const char text[] = "Yne@$w-vo<fVvi]a<NY6T1ed:M$fCG*[IaLV{hI\n";
    struct lk_error error = {0};
    char got[LK_KEY_SIZE];

    (void)state;
    assert_int_equal(lk_key_parse("k", text, strlen(text), got, &error), LK_E_TEXT);
    assert_null(strstr(error.text, "Yne"));
}

/* ---- files ---- */

static void expect_refused(enum lk_key_kind kind, const char *words)
{
    struct lk_error error = {0};
    char got[LK_KEY_SIZE];

    assert_int_equal(lk_key_read(path, kind, geteuid(), got, &error), LK_E_TEXT);
    if (!strstr(error.text, words) || strncmp(error.text, path, strlen(path)) != 0)
        fail_msg("'%s', expected '%s'", error.text, words);
}

static void test_permissions(void **state)
{
    static const mode_t too_open[] = {0640, 0604, 0660, 0620, 0610, 0601};
    struct lk_error error = {0};
    char got[LK_KEY_SIZE];

    (void)state;
    write_file(KEY_A "\n", 0600);
    assert_int_equal(lk_key_read(path, LK_KEY_SECRET, geteuid(), got, &error), 0);
    assert_string_equal(got, KEY_A);
    chmod(path, 0400);
    assert_int_equal(lk_key_read(path, LK_KEY_SECRET, geteuid(), got, &error), 0);
    for (size_t i = 0; i < sizeof(too_open) / sizeof(too_open[0]); i++) {
        chmod(path, too_open[i]);
        expect_refused(LK_KEY_SECRET, "chmod 600");
    }
    chmod(path, 0644);
    assert_int_equal(lk_key_read(path, LK_KEY_PUBLIC, geteuid(), got, &error), 0);
    chmod(path, 0664);
    expect_refused(LK_KEY_PUBLIC, "chmod 644");
    chmod(path, 0646);
    expect_refused(LK_KEY_PUBLIC, "chmod 644");
}

static void test_owner(void **state)
{
    struct lk_error error = {0};
    char got[LK_KEY_SIZE];

    (void)state;
    if (geteuid() != 0)
        skip_because("it takes root", "run it as root");
    write_file(KEY_A "\n", 0600);
    assert_int_equal(chown(path, 4242, 4242), 0);
    expect_refused(LK_KEY_SECRET, "belongs to user 4242, expected 0 or root");
    assert_int_equal(lk_key_read(path, LK_KEY_SECRET, 4242, got, &error), 0);
    assert_int_equal(chown(path, 0, 0), 0);
    assert_int_equal(lk_key_read(path, LK_KEY_SECRET, 4242, got, &error), 0);
}

static void test_things_that_are_no_key_files(void **state)
{
    struct lk_error error = {0};
    char got[LK_KEY_SIZE];
    char *large;

    (void)state;
    assert_int_equal(lk_key_read("/nowhere/key", LK_KEY_SECRET, 0, got, &error), LK_E_TEXT);
    assert_string_equal(error.text, "/nowhere/key: No such file or directory");
    assert_int_equal(lk_key_read("/tmp", LK_KEY_SECRET, 0, got, &error), LK_E_TEXT);
    assert_non_null(strstr(error.text, "Is a directory"));
    large = calloc(1, LK_KEY_FILE_MAX + 2);
    assert_non_null(large);
    memset(large, '\n', LK_KEY_FILE_MAX + 1);
    write_file(large, 0600);
    free(large);
    expect_refused(LK_KEY_SECRET, "too large");
    /* a pipe is refused immediately, although nothing ever writes to it */
    unlink(path);
    assert_int_equal(mkfifo(path, 0600), 0);
    expect_refused(LK_KEY_SECRET, "it is no file but a pipe");
}

/* ---- clients ---- */

static struct lkd_clients clients;

static void expect_list(const char *text, int n)
{
    struct lk_error error = {0};

    if (lkd_clients_parse("c", text, strlen(text), &clients, &error))
        fail_msg("%s", error.text);
    assert_int_equal(clients.n, n);
}

static void expect_no_list(const char *text, const char *words)
{
    struct lk_error error = {0};

    assert_int_equal(lkd_clients_parse("c", text, strlen(text), &clients, &error), LK_E_TEXT);
    if (strncmp(error.text, words, strlen(words)) != 0)
        fail_msg("'%s', expected '%s'", error.text, words);
}

static void test_list(void **state)
{
    const struct lkd_peer *peer;

    (void)state;
    expect_list("", 0);
    expect_list("# nobody\n", 0);
    expect_list("read eye " KEY_A "\n\n#\nbench\trig-a_1.2 " KEY_B "  # in hall 3\r\n"
                "control desk " KEY_C,
                3);
    peer = lkd_clients_find(&clients, KEY_A);
    assert_int_equal(peer->role, LINKAGE__V1__ROLE__ROLE_READ);
    assert_string_equal(peer->name, "eye");
    peer = lkd_clients_find(&clients, KEY_B);
    assert_int_equal(peer->role, LINKAGE__V1__ROLE__ROLE_BENCH);
    assert_string_equal(peer->name, "rig-a_1.2");
    peer = lkd_clients_find(&clients, KEY_C);
    assert_int_equal(peer->role, LINKAGE__V1__ROLE__ROLE_CONTROL);
    assert_null(lkd_clients_find(&clients, ""));
    assert_null(lkd_clients_find(&clients, "0" KEY_A));
}

static void test_list_refused(void **state)
{
    (void)state;
    expect_no_list("read eye\n", "c:1: expected three words");
    expect_no_list("read eye " KEY_A " more\n", "c:1: expected three words");
    expect_no_list("# x\nroot eye " KEY_A "\n", "c:2: unknown role");
    expect_no_list("Read eye " KEY_A "\n", "c:1: unknown role");
    expect_no_list("read a/b " KEY_A "\n", "c:1: not a name");
    expect_no_list("read \x1b[31m " KEY_A "\n", "c:1: not a name");
    expect_no_list("read "
                   "a234567890123456789012345678901234567890123456789012345678901234 " KEY_A "\n",
                   "c:1: not a name");
    expect_no_list("read eye " KEY_A "x\n", "c:1: not a public key");
    expect_no_list("read eye " KEY_A "\nbench rig " KEY_A "\n", "c:2: this key");
    expect_no_list("read eye " KEY_A "\nbench eye " KEY_B "\n", "c:2: this name");
}

static void test_list_of_many(void **state)
{
    char *text = calloc(1, 1u << 20);
    char key[41];
    size_t n = 0;

    (void)state;
    assert_non_null(text);
    for (int i = 0; i <= LKD_CLIENTS_MAX; i++) {
        uint8_t bytes[32] = {(uint8_t)i, (uint8_t)(i >> 8)};

        zmq_z85_encode(key, bytes, sizeof(bytes));
        if (i == LKD_CLIENTS_MAX)
            expect_list(text, LKD_CLIENTS_MAX);
        n += (size_t)sprintf(text + n, "read c%d %s\n", i, key);
    }
    expect_no_list(text, "c:513: too many clients");
    free(text);
}

static void test_user_id_of_every_role(void **state)
{
    static const char *const ids[] = {"", "read/x", "bench/x", "control/x"};

    (void)state;
    for (int role = 0; role <= 3; role++) {
        struct lkd_peer peer = {.role = (Linkage__V1__Role)role, .name = "x"};
        char id[LKD_PEER_USER_ID_SIZE];

        lkd_peer_user_id(&peer, id, sizeof(id));
        assert_string_equal(id, ids[role]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_keys),
        cmocka_unit_test(test_agrees_with_zeromq),
        cmocka_unit_test(test_one_key),
        cmocka_unit_test(test_a_key_is_never_quoted),
        cmocka_unit_test_setup_teardown(test_permissions, make_file, remove_file),
        cmocka_unit_test_setup_teardown(test_owner, make_file, remove_file),
        cmocka_unit_test_setup_teardown(test_things_that_are_no_key_files, make_file, remove_file),
        cmocka_unit_test(test_list),
        cmocka_unit_test(test_list_refused),
        cmocka_unit_test(test_list_of_many),
        cmocka_unit_test(test_user_id_of_every_role),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
