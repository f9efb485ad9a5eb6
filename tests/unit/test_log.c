/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions and the lines that report them, with a simulated clock and journal. */
#include "conditions.h"
#include "fake_clock.h"
#include "log.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cmocka.h>

/* ---- output ---- */

static char written[1u << 16];
static FILE *capture;
static int own_stderr = -1;

static void begin_capture(void)
{
    capture = tmpfile();
    assert_non_null(capture);
    own_stderr = dup(STDERR_FILENO);
    dup2(fileno(capture), STDERR_FILENO);
}

static const char *end_capture(void)
{
    fflush(stderr);
    dup2(own_stderr, STDERR_FILENO);
    close(own_stderr);
    rewind(capture);
    written[fread(written, 1, sizeof(written) - 1, capture)] = '\0';
    fclose(capture);
    return written;
}

static int count(const char *text, const char *words)
{
    int n = 0;

    for (text = strstr(text, words); text; text = strstr(text + 1, words))
        n++;
    return n;
}

/* ---- the simulated journal ---- */

static char fields[8][1100];
static int n_fields, journal_result;

int __wrap_sd_journal_sendv(const struct iovec *iov, int n);

int __wrap_sd_journal_sendv(const struct iovec *iov, int n)
{
    for (int i = 0; i < n && i < 8; i++) {
        memcpy(fields[i], iov[i].iov_base, iov[i].iov_len);
        fields[i][iov[i].iov_len] = '\0';
    }
    n_fields = n;
    return journal_result;
}

/* The journal's socket does not exist where tests run, and the daemon checks for it before it uses
 * the journal. */
int __wrap_access(const char *path, int mode);
int __real_access(const char *path, int mode);

int __wrap_access(const char *path, int mode)
{
    return strcmp(path, "/run/systemd/journal/socket") == 0 ? 0 : __real_access(path, mode);
}

static bool has_field(const char *text)
{
    for (int i = 0; i < n_fields; i++)
        if (strcmp(fields[i], text) == 0)
            return true;
    return false;
}

/* Set the environment as systemd does if standard error is connected to the journal. */
static void pretend_journal(void)
{
    char name[64];
    struct stat st;

    assert_int_equal(fstat(STDERR_FILENO, &st), 0);
    snprintf(name, sizeof(name), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
    setenv("JOURNAL_STREAM", name, 1);
    lkd_log_init();
}

static int end_journal(void **state)
{
    (void)state;
    unsetenv("JOURNAL_STREAM");
    lkd_log_init();
    return 0;
}

/* ---- the table ---- */

static void test_table(void **state)
{
    (void)state;
    for (int i = 0; i < LKD_N_CONDITIONS; i++) {
        const struct lkd_condition_info *info = lkd_condition_info((enum lkd_condition_id)i);
        char id[16];

        snprintf(id, sizeof(id), "LK-%04d", info->number);
        assert_string_equal(info->id, id);
        assert_int_equal(strlen(info->message_id), 32);
        assert_string_equal(info->message_id + 28, id + 3);
        assert_in_range(info->number, 1001, 9999);
        assert_in_range(info->level, LKD_LOG_ERROR, LKD_LOG_INFO);
        /* complete sentences, without characters that would break the table of the page */
        assert_true(info->meaning[strlen(info->meaning) - 1] == '.');
        assert_true(info->remedy[strlen(info->remedy) - 1] == '.' ||
                    info->remedy[strlen(info->remedy) - 1] == '?');
        assert_null(strchr(info->meaning, '|'));
        assert_null(strchr(info->remedy, '|'));
        /* in ascending order, so no number occurs twice */
        if (i > 0)
            assert_true(info->number > lkd_condition_info((enum lkd_condition_id)(i - 1))->number);
    }
}

static void test_every_result_has_an_identifier(void **state)
{
    const ProtobufCEnumDescriptor *results = &linkage__v1__result__descriptor;

    (void)state;
    for (unsigned int i = 0; i < results->n_values; i++) {
        Linkage__V1__Result result = (Linkage__V1__Result)results->values[i].value;
        const char *id = lkd_condition_of_result(result);

        if (result == LINKAGE__V1__RESULT__RESULT_OK)
            assert_string_equal(id, "");
        else
            assert_int_equal(strncmp(id, "LK-8", 4), 0);
        /* only RESULT_INTERNAL has no identifier of its own */
        for (unsigned int k = 0; k < i; k++)
            if (result != LINKAGE__V1__RESULT__RESULT_INTERNAL)
                assert_string_not_equal(
                    id, lkd_condition_of_result((Linkage__V1__Result)results->values[k].value));
    }
    assert_string_equal(lkd_condition_of_result((Linkage__V1__Result)4711), "LK-8009");
    assert_string_equal(lkd_condition_of_result(LINKAGE__V1__RESULT__RESULT_FORBIDDEN), "LK-8013");
}

/* The page in the repository is equal to the output of the program. */
static void test_page_is_up_to_date(void **state)
{
    const char *path = *state;
    char *page = calloc(1, 1u << 16);
    FILE *in = path ? fopen(path, "r") : NULL, *out = tmpfile();

    assert_non_null(page);
    assert_non_null(in);
    assert_non_null(out);
    fread(page, 1, (1u << 16) - 1, in);
    fclose(in);
    lkd_conditions_print(out);
    rewind(out);
    written[fread(written, 1, sizeof(written) - 1, out)] = '\0';
    fclose(out);
    if (strcmp(written, page) != 0)
        fail_msg("%s is not what linkaged --conditions prints", path);
    free(page);
}

/* ---- lines ---- */

static void test_plain_line(void **state)
{
    (void)state;
    begin_capture();
    lkd_log(LKD_C_MODEL_LOADED, "model %s\n\x1b[31m", "m");
    assert_string_equal(end_capture(), "linkaged: [LK-2001] model m??[31m\n");
    assert_int_equal(n_fields, 0);
}

static void test_long_line_is_cut(void **state)
{
    (void)state;
    fake_clock_spend(60000000000);
    begin_capture();
    lkd_log(LKD_C_MODEL_LOADED, "%0*d", 3000, 0);
    assert_in_range(strlen(end_capture()), 1000, 1100);
    assert_int_equal(written[strlen(written) - 1], '\n');
}

/* Programs read the log: each line is valid UTF-8, whatever a client's name contains and wherever a
 * line is truncated. */
static void test_lines_are_utf8(void **state)
{
    char big[4000];

    (void)state;
    fake_clock_spend(60000000000);
    begin_capture();
    lkd_log(LKD_C_MODEL_LOADED, "%s", "\xc3\xa4 \xff \xc0\xaf \xc2\x9b \xe2\x82");
    assert_string_equal(end_capture(), "linkaged: [LK-2001] \xc3\xa4 ? ?? ?? ??\n");
    for (size_t i = 0; i + 2 < sizeof(big); i += 2)
        memcpy(big + i, "\xc3\xa4", 3);
    begin_capture();
    lkd_log(LKD_C_MODEL_LOADED, "%s", big);
    lkd_log(LKD_C_MODEL_LOADED, "a%s", big);
    end_capture();
    for (const char *c = written; *c; c++)
        if ((unsigned char)*c == 0xc3)
            assert_int_equal((unsigned char)c[1], 0xa4);
}

static void test_journal_fields(void **state)
{
    (void)state;
    begin_capture();
    pretend_journal();
    journal_result = 0;
    lkd_log(LKD_C_MODEL_REFUSED, "a\nb %d", 7);
    assert_string_equal(end_capture(), "");
    assert_int_equal(n_fields, 5);
    assert_true(has_field("MESSAGE=a?b 7"));
    assert_true(has_field("PRIORITY=4"));
    assert_true(has_field("LINKAGE_ID=LK-2002"));
    assert_true(has_field("MESSAGE_ID=18af08befd094f46b21745b1f41d2002"));
    assert_true(has_field("SYSLOG_IDENTIFIER=linkaged"));
}

/* If the journal refuses the fields of a message, it is written as a line with its priority, so
 * that nothing is lost. */
static void test_journal_refuses_fields(void **state)
{
    (void)state;
    begin_capture();
    pretend_journal();
    journal_result = -ECONNREFUSED;
    lkd_log(LKD_C_CONFIG_REFUSED, "no");
    assert_string_equal(end_capture(), "<3>[LK-1001] no\n");
    journal_result = 0;
}

/* ---- rate limit ---- */

static void test_rate(void **state)
{
    (void)state;
    fake_clock_spend(60000000000);
    begin_capture();
    for (int i = 0; i < 1000; i++)
        lkd_log(LKD_C_INPUT_REFUSED, "refused %d", i);
    lkd_log(LKD_C_FORBIDDEN, "another one"); /* another condition has its own tokens */
    fake_clock_spend(1000000000);
    lkd_log(LKD_C_INPUT_REFUSED, "refused later");
    lkd_log(LKD_C_INPUT_REFUSED, "refused at once");
    lkd_log_fini();
    lkd_log_fini();
    end_capture();
    assert_int_equal(count(written, "[LK-3001]"), 11);
    assert_int_equal(count(written, "another one"), 1);
    assert_int_equal(count(written, "[LK-1010] 990 lines with LK-3001 were left out\n"), 1);
    assert_int_equal(count(written, "[LK-1010] 1 lines with LK-3001 were left out\n"), 1);
    assert_int_equal(count(written, "refused at once"), 0);
}

static void test_rate_grows_back(void **state)
{
    (void)state;
    fake_clock_spend(60000000000);
    begin_capture();
    for (int i = 0; i < 50; i++) {
        fake_clock_spend(500000000); /* two lines per second: after ten, half of them */
        lkd_log(LKD_C_INPUT_REFUSED, "x");
    }
    fake_clock_spend(3600000000000);
    for (int i = 0; i < 20; i++)
        lkd_log(LKD_C_INPUT_REFUSED, "y"); /* an hour of silence gives ten tokens at most */
    end_capture();
    /* the tokens of 25 s and the initial ten */
    assert_in_range(count(written, "] x\n"), 33, 36);
    assert_int_equal(count(written, "] y\n"), 10);
}

/* Standard error is a pipe whose reader has stopped: logging does not block, and lost lines are
 * reported. */
static void test_nobody_reads(void **state)
{
    char filling[4096] = {0}, text[8192];
    int fd[2], own = dup(STDERR_FILENO);
    ssize_t n;

    (void)state;
    assert_int_equal(pipe2(fd, O_NONBLOCK), 0);
    while (write(fd[1], filling, sizeof(filling)) > 0)
        ;
    assert_int_equal(fcntl(fd[1], F_SETFL, 0), 0); /* as in the daemon: a write would block */
    fake_clock_spend(60000000000);
    dup2(fd[1], STDERR_FILENO);
    lkd_log(LKD_C_FORBIDDEN, "lost");
    lkd_log_fini();
    while (read(fd[0], filling, sizeof(filling)) > 0)
        ;
    lkd_log(LKD_C_FORBIDDEN, "seen");
    dup2(own, STDERR_FILENO);
    n = read(fd[0], text, sizeof(text) - 1);
    assert_true(n > 0);
    text[n] = '\0';
    assert_int_equal(count(text, "lost"), 0);
    assert_int_equal(count(text, " 1 lines with "), 1);
    assert_int_equal(count(text, "seen"), 1);
    close(own);
    close(fd[0]);
    close(fd[1]);
}

#define THREADS 4
#define EACH    500

static void *write_many(void *data)
{
    (void)data;
    for (int i = 0; i < EACH; i++)
        lkd_log(LKD_C_TURNED_AWAY, "line %d of a thread", i);
    return NULL;
}

static void test_threads(void **state)
{
    pthread_t thread[THREADS];
    char words[64];

    (void)state;
    fake_clock_spend(60000000000);
    begin_capture();
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, write_many, NULL), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(thread[i], NULL);
    lkd_log_fini();
    end_capture();
    assert_int_equal(count(written, "[LK-6004]"), 10);
    snprintf(words, sizeof(words), " %d lines with LK-6004 ", THREADS * EACH - 10);
    assert_int_equal(count(written, words), 1);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_every_result_has_an_identifier),
        cmocka_unit_test_prestate(test_page_is_up_to_date, argc > 1 ? argv[1] : NULL),
        cmocka_unit_test(test_plain_line),
        cmocka_unit_test(test_long_line_is_cut),
        cmocka_unit_test(test_lines_are_utf8),
        cmocka_unit_test_teardown(test_journal_fields, end_journal),
        cmocka_unit_test_teardown(test_journal_refuses_fields, end_journal),
        cmocka_unit_test(test_rate),
        cmocka_unit_test(test_rate_grows_back),
        cmocka_unit_test(test_nobody_reads),
        cmocka_unit_test(test_threads),
    };

    fake_clock_begin();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
