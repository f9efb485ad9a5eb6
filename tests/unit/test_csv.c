/* SPDX-License-Identifier: Apache-2.0 */
/* tools/common/csv.h, writing: names of columns, numbers that are exact when read back, errors that
 * are kept until the end; reading. Refused files: tests/integration/test-compare.sh,
 * test-cli.sh. */
#include "../skip.h"
#include "csv.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static char path[] = "/tmp/test_csv_XXXXXX";

static int make_file(void **state)
{
    int file = mkstemp(path);

    (void)state;
    return file < 0 ? -1 : close(file);
}

static int remove_file(void **state)
{
    (void)state;
    return unlink(path);
}

static void read_back(char *text, size_t size)
{
    FILE *file = fopen(path, "r");

    assert_non_null(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

static void test_columns_and_rows(void **state)
{
    const double row[4] = {0.1, -1.0 / 3, 1e300, 0};
    struct lk_csv *csv = NULL;
    char text[512];
    char *second;

    (void)state;
    assert_int_equal(lk_csv_open(path, NULL, &csv), 0);
    assert_int_equal(lk_csv_add_column(csv, "time", "", "s"), 0);
    assert_int_equal(lk_csv_add_column(csv, "pose", "x", "m"), 0);
    assert_int_equal(lk_csv_add_column(csv, "odd, \"name\"", NULL, NULL), 0);
    assert_int_equal(lk_csv_add_column(csv, "count", NULL, ""), 0);
    assert_int_equal(lk_csv_write_row(csv, row), 0);
    assert_int_equal(lk_csv_close(csv), 0);
    read_back(text, sizeof(text));
    second = strchr(text, '\n');
    assert_non_null(second);
    *second++ = '\0';
    assert_string_equal(text, "time [s],pose.x [m],\"odd, \"\"name\"\"\",count");
    for (int i = 0; i < 4; i++) {
        assert_true(strtod(second, &second) == row[i]); /* equal to the last bit */
        assert_int_equal(*second++, i < 3 ? ',' : '\n');
    }
    assert_int_equal(*second, '\0');
}

static void test_header_without_rows(void **state)
{
    struct lk_csv *csv = NULL;
    char text[64];

    (void)state;
    assert_int_equal(lk_csv_open(path, NULL, &csv), 0);
    lk_csv_add_column(csv, "a", "", "1");
    assert_int_equal(lk_csv_close(csv), 0);
    read_back(text, sizeof(text));
    assert_string_equal(text, "a [1]\n");
    assert_int_equal(lk_csv_close(NULL), 0);
}

static void test_faults(void **state)
{
    const double row[1] = {1};
    struct lk_csv *csv = NULL;

    (void)state;
    assert_int_equal(lk_csv_open("/nowhere/x.csv", NULL, &csv), -ENOENT);
    assert_null(csv);
    assert_int_equal(lk_csv_open(path, NULL, &csv), 0);
    lk_csv_add_column(csv, "a", "", "1");
    lk_csv_write_row(csv, row);
    assert_int_equal(lk_csv_add_column(csv, "late", "", "1"), -EINVAL);
    assert_int_equal(lk_csv_write_row(csv, row), -EINVAL);
    assert_int_equal(lk_csv_close(csv), -EINVAL);
}

static void write_text(const char *text)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* A file that was written has the same names, units and bits when read. */
static void test_reads_what_it_wrote(void **state)
{
    const double rows[2][3] = {{0, 0.1, -1.0 / 3}, {1e-3, 1e300, 4e-320}};
    struct lk_csv *csv = NULL;
    struct lk_csv_table table;
    struct lk_error error;

    (void)state;
    assert_int_equal(lk_csv_open(path, NULL, &csv), 0);
    lk_csv_add_column(csv, "time", "", "s");
    lk_csv_add_column(csv, "pose", "x", "m");
    lk_csv_add_column(csv, "count", NULL, NULL);
    lk_csv_write_row(csv, rows[0]);
    lk_csv_write_row(csv, rows[1]);
    assert_int_equal(lk_csv_close(csv), 0);
    assert_int_equal(lk_csv_read(path, 1e300, &table, &error), 0);
    assert_int_equal(table.n, 2);
    assert_int_equal(table.n_rows, 2);
    assert_string_equal(table.name[0], "pose.x");
    assert_string_equal(table.unit[0], "m");
    assert_string_equal(table.name[1], "count");
    assert_string_equal(table.unit[1], "");
    for (int i = 0; i < 2; i++) {
        assert_true(table.time[i] == rows[i][0] && table.line[i] == i + 2);
        assert_memory_equal(table.value + 2 * i, rows[i] + 1, 2 * sizeof(double));
    }
    lk_csv_table_release(&table);
}

/* Rows after the end time are not read, whatever they contain; empty lines are not counted as
 * rows. */
static void test_reads_to_the_end(void **state)
{
    struct lk_csv_table table;
    struct lk_error error;

    (void)state;
    write_text("t,a\r\n0,1\r\n\r\n1,2\r\n2,3\nrubbish\n");
    assert_int_equal(lk_csv_read(path, 1, &table, &error), 0);
    assert_int_equal(table.n_rows, 2);
    assert_true(table.value[1] == 2 && table.line[1] == 4);
    lk_csv_table_release(&table);
    assert_int_equal(lk_csv_read("/nowhere/x.csv", 1, &table, &error), LK_E_TEXT);
    assert_string_equal(error.text, "/nowhere/x.csv: No such file or directory");
    lk_csv_table_release(&table);
}

/* Separators, quotes, capital letters and blanks of other programs are accepted. */
static void test_reads_other_dialects(void **state)
{
    static const char *const texts[] = {
        "time [s],a [N],\"b, c\"\n0,1,2\n0.5,3,4\n",
        "Time;a [N];b, c\r\n0;1;2\r\n0.5;3;4\r\n",
        "T [s]\ta [N]\tb, c\n0\t1\t2\n0.5\t3\t4\n",
        "\"TIME[s]\" , \"a [N]\" , \"b, c\" \n \"0\" , \"1\" ,2 \n0.5 ,\t3,4\t\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        struct lk_csv_table table;
        struct lk_error error;

        write_text(texts[i]);
        if (lk_csv_read(path, 1, &table, &error) != 0)
            fail_msg("%s", error.text);
        assert_true(table.n == 2 && table.n_rows == 2);
        assert_string_equal(table.name[0], "a");
        assert_string_equal(table.unit[0], "N");
        assert_string_equal(table.name[1], "b, c");
        assert_memory_equal(table.time, ((const double[]){0, 0.5}), 2 * sizeof(double));
        assert_memory_equal(table.value, ((const double[]){1, 2, 3, 4}), 4 * sizeof(double));
        lk_csv_table_release(&table);
    }
}

/* Unusual names in a header are written and read with quotes as in RFC 4180. */
static void test_reads_odd_names(void **state)
{
    struct lk_csv_table table;
    struct lk_error error;
    struct lk_csv *csv = NULL;

    (void)state;
    unlink(path); /* which was read before */
    assert_int_equal(lk_csv_open(path, NULL, &csv), 0);
    lk_csv_add_column(csv, "time", "", "s");
    lk_csv_add_column(csv, "odd, \"name\"", "", "m");
    lk_csv_write_row(csv, (const double[]){0, 1});
    assert_int_equal(lk_csv_close(csv), 0);
    assert_int_equal(lk_csv_read(path, 1, &table, &error), 0);
    assert_string_equal(table.name[0], "odd, \"name\"");
    assert_string_equal(table.unit[0], "m");
    lk_csv_table_release(&table);
}

static void test_refuses_by_line(void **state)
{
    static const char *const cases[][2] = {
        {"Zeit;a\n", ":1: expected a header that begins with the time (t or time), and commas, "
                     "semicolons or tabs between columns; it begins with 'Zeit'"},
        {"time a\n0 1\n", "it begins with 'time a'"},
        {"0,1\n1,2\n", "it begins with '0'"},
        {"t;a\n0,5;1\n",
         ":2: field 1 is no finite number, expected 2 numbers with a decimal point, "
         "and a semicolon between them"},
        {"t,a\n0;1\n", ":2: field 1 is no finite number, expected 2 numbers with a comma between"},
        {"t,\"a\n0,1\n", ":1: a quote that does not end"},
        {"t,\"a\"b\n0,1\n", ":1: a quote that does not end"},
        {"t,a,\n0,1,\n", ":1: column 3 has no name"},
        {"t,a\n0,1,\n", ":2: more than 2 fields"},
        {"t,a\n0\n", ":2: the row ends after field 1, expected 2 fields"},
        {"time [ms],a\n0,1\n", ":1: the time is in [ms], expected [s]"},
        {"t,a\n0,1\r2\n", ":2: field 2 is no finite number"},
        {"\xff\xfe", ":1: a zero byte or UTF-16, expected text in UTF-8"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct lk_csv_table table;
        struct lk_error error;

        write_text(cases[i][0]);
        assert_int_equal(lk_csv_read(path, 1, &table, &error), LK_E_TEXT);
        if (strstr(error.text, cases[i][1]) == NULL)
            fail_msg("%s, expected %s", error.text, cases[i][1]);
        lk_csv_table_release(&table);
    }
}

/* A file that could not be written completely does not replace an older one. Rows are buffered, so
 * a full disk may be detected only when the file is closed. */
static void test_leaves_no_part(void **state)
{
    const struct rlimit none = {0, RLIM_INFINITY}, any = {RLIM_INFINITY, RLIM_INFINITY};
    char part[] = "/dev/shm/test_csv_part_XXXXXX"; /* where no file was read */
    const double value = 1;
    struct lk_csv *csv;
    struct stat st;

    (void)state;
    assert_int_equal(close(mkstemp(part)), 0);
    assert_int_equal(lk_csv_open(part, NULL, &csv), 0);
    lk_csv_add_column(csv, "x", "", "m");
    lk_csv_write_row(csv, &value);
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    assert_int_equal(lk_csv_close(csv), -EFBIG);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &any), 0);
    assert_int_equal(stat(part, &st), 0);
    assert_int_equal(st.st_size, 0); /* as it was */
    unlink(part);
}

static void test_full_disk(void **state)
{
    const double row[1] = {1};
    struct lk_csv *csv = NULL;

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip_because("there is no /dev/full", "make it: mknod /dev/full c 1 7");
    assert_int_equal(lk_csv_open("/dev/full", NULL, &csv), 0);
    lk_csv_add_column(csv, "a", "", "1");
    for (int i = 0; i < 1000000; i++)
        lk_csv_write_row(csv, row);
    assert_int_equal(lk_csv_write_row(csv, row), -ENOSPC);
    assert_int_equal(lk_csv_close(csv), -ENOSPC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_and_rows), cmocka_unit_test(test_header_without_rows),
        cmocka_unit_test(test_faults),           cmocka_unit_test(test_reads_what_it_wrote),
        cmocka_unit_test(test_reads_to_the_end), cmocka_unit_test(test_reads_other_dialects),
        cmocka_unit_test(test_reads_odd_names),  cmocka_unit_test(test_refuses_by_line),
        cmocka_unit_test(test_leaves_no_part),   cmocka_unit_test(test_full_disk),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
