/* SPDX-License-Identifier: Apache-2.0 */
/* Names in MAT-files. Their content: integration/check-mat.py. */
#include "../cmocka_all.h"
#include "mat_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Return the bytes of a file as text, each zero byte replaced by a space. */
static char *read_text(const char *path, size_t *ret_size)
{
    static char text[20000];
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    *ret_size = fread(text, 1, sizeof(text) - 1, f);
    fclose(f);
    for (size_t i = 0; i < *ret_size; i++)
        text[i] = text[i] == '\0' ? ' ' : text[i];
    text[*ret_size] = '\0';
    return text;
}

/* A variable begins with a letter, is no keyword, has 63 characters at most, and there is none of
 * its name before. */
static void test_names(void **state)
{
    static const char *const names[][2] = {
        {"time", " time "}, {"tip.x", " tip_x "}, {"tip_x", " tip_x_2 "}, {"tip-x", " tip_x_3 "},
        {"2nd", " x_2nd "}, {"end", " end_2 "},   {"units", " units_2 "}, {"\xc3\xa4", " x___ "}};
    char path[] = "/tmp/mat-XXXXXX", longer[200];
    struct mat *mat = mat_new(9);
    double row[9] = {0};
    const char *text;
    size_t size;
    int fd = mkstemp(path);

    (void)state;
    close(fd);
    memset(longer, 'n', sizeof(longer));
    longer[199] = '\0';
    for (size_t i = 0; i < 8; i++)
        mat_name(mat, i, names[i][0], "m");
    mat_name(mat, 8, longer, "rad/s");
    assert_true(mat_add_row(mat, row));
    assert_int_equal(mat_write(mat, path), 0);
    text = read_text(path, &size);
    assert_int_equal(size % 8, 0);
    for (size_t i = 0; i < 8; i++)
        assert_non_null(strstr(text, names[i][1]));
    assert_non_null(strstr(text, longer + sizeof(longer) - 64));
    assert_null(strstr(text, longer + sizeof(longer) - 65));
    mat_free(mat);
    unlink(path);
}

/* Columns of no row are empty. */
static void test_no_row(void **state)
{
    char path[] = "/tmp/mat-XXXXXX";
    struct mat *mat = mat_new(1);
    size_t size;
    int fd = mkstemp(path);

    (void)state;
    close(fd);
    mat_name(mat, 0, "time", "");
    assert_int_equal(mat_write(mat, path), 0);
    read_text(path, &size);
    assert_int_equal(size % 8, 0);
    mat_free(mat);
    mat_free(NULL);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names), cmocka_unit_test(test_no_row)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
