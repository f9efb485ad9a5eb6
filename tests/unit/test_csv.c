/* SPDX-License-Identifier: Apache-2.0 */
/* tools/common/csv.h: names of columns, numbers that read back exactly, errors that are kept. */
#include "../skip.h"
#include "csv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    assert_int_equal(lk_csv_open(path, &csv), 0);
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
        assert_true(strtod(second, &second) == row[i]); /* to the last bit */
        assert_int_equal(*second++, i < 3 ? ',' : '\n');
    }
    assert_int_equal(*second, '\0');
}

static void test_header_without_rows(void **state)
{
    struct lk_csv *csv = NULL;
    char text[64];

    (void)state;
    assert_int_equal(lk_csv_open(path, &csv), 0);
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
    assert_int_equal(lk_csv_open("/nowhere/x.csv", &csv), -ENOENT);
    assert_null(csv);
    assert_int_equal(lk_csv_open(path, &csv), 0);
    lk_csv_add_column(csv, "a", "", "1");
    lk_csv_write_row(csv, row);
    assert_int_equal(lk_csv_add_column(csv, "late", "", "1"), -EINVAL);
    assert_int_equal(lk_csv_write_row(csv, row), -EINVAL);
    assert_int_equal(lk_csv_close(csv), -EINVAL);
}

/* Rows are buffered: a full disk may be detected only at the end, but it is detected. */
static void test_full_disk(void **state)
{
    const double row[1] = {1};
    struct lk_csv *csv = NULL;

    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip_because("there is no /dev/full");
    assert_int_equal(lk_csv_open("/dev/full", &csv), 0);
    lk_csv_add_column(csv, "a", "", "1");
    for (int i = 0; i < 1000000; i++)
        lk_csv_write_row(csv, row);
    assert_int_equal(lk_csv_write_row(csv, row), -ENOSPC);
    assert_int_equal(lk_csv_close(csv), -ENOSPC);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_columns_and_rows),
        cmocka_unit_test(test_header_without_rows),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_full_disk),
    };

    return cmocka_run_group_tests(tests, make_file, remove_file);
}
