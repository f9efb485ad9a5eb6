/* SPDX-License-Identifier: Apache-2.0 */
/* Packed models: a packed model gives the same model as its text, bit for bit, and the same
 * messages; damaged files are refused; the checksum agrees with zlib's. Argument: the folder of
 * models. */
#include "../cmocka_all.h"
#include "linkage/crc.h"
#include "linkage/errors.h"
#include "linkage/linkage.h"
#include "model/model.h"
#include "model/packed.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const char *folder;

static void test_crc(void **state)
{
    unsigned char bytes[1000];

    (void)state;
    for (size_t i = 0; i < sizeof(bytes); i++)
        bytes[i] = (unsigned char)(i * i * 31 + i);
    for (size_t n = 0; n < 70; n++)
        assert_int_equal(lk_crc32(0, bytes, n), crc32_z(0, bytes, n));
    assert_int_equal(lk_crc32(lk_crc32(0, bytes, 333), bytes + 333, 667), crc32_z(0, bytes, 1000));
    for (size_t n = 0; n < 1000; n += 37) {
        uint32_t first = lk_crc32(0, bytes, n), second = lk_crc32(0, bytes + n, 1000 - n);

        assert_int_equal(lk_crc32_join(first, second, 1000 - n), crc32_z(0, bytes, 1000));
        assert_int_equal(lk_crc32_join(first, second, 100000 * n),
                         crc32_combine(first, second, (z_off_t)(100000 * n)));
    }
}

static void compare(const char *path)
{
    struct lk_model *model = NULL, *packed = NULL;
    struct lk_numbers *numbers = NULL;
    struct lk_errors errors;
    char *bytes = NULL, *again = NULL;
    size_t size = 0, size_again = 0;
    int n;

    assert_int_equal(lk_model_pack(path, &bytes, &size, &errors), 0);
    assert_int_equal(lk_model_pack(path, &again, &size_again, &errors), 0);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
    assert_int_equal(lk_model_read_file_all(path, &model, &errors), 0);
    assert_int_equal(lk_model_read_packed(bytes, size, NULL, 0, &packed, &errors), 0);
    assert_true(model->hash == packed->hash);
    assert_string_equal(lk_model_name(model), lk_model_name(packed));
    assert_int_equal(lk_numbers_new_packed(bytes, size, NULL, 0, &numbers, &errors), 0);
    lk_numbers_list(numbers, &n);
    assert_true(n > 0);
    lk_numbers_free(numbers);
    lk_model_free(model);
    lk_model_free(packed);
    free(bytes);
    free(again);
}

static void test_models(void **state)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    int n = 0;

    (void)state;
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        char path[4096];

        if (strstr(entry->d_name, ".yaml") == NULL)
            continue;
        snprintf(path, sizeof(path), "%s/%s", folder, entry->d_name);
        compare(path);
        n++;
    }
    closedir(dir);
    assert_true(n > 20);
}

/* Read a packed model that consists of @tree and its checksum. */
static int read_tree(const char *tree, struct lk_errors *errors)
{
    struct lk_model *model = NULL;
    char text[1024];
    int size = snprintf(text, sizeof(text), "linkage packed 1\nname 1\nm\ntree %zu\n%s\n",
                        strlen(tree), tree);
    int result;

    size += snprintf(text + size, sizeof(text) - (size_t)size, "crc %08x\n",
                     (unsigned)lk_crc32(0, text, (size_t)size));
    result = lk_model_read_packed(text, (size_t)size, NULL, 0, &model, errors);
    assert_null(model);
    return result;
}

static void test_trees(void **state)
{
    static const char *const bad[] = {
        "x 1 1 0\n",                                             /* no such node */
        "s 1 1 5 ab\n",                                          /* longer than all */
        "m 1 1 1\n",                                             /* no entry in it */
        "m 1 1 1\ns 1 1 1 a\n",                                  /* a key without a value */
        "m 1 1 0\nm 1 1 0\n",                                    /* two roots */
        "m 1 1 99999999999\n",                                   /* too many */
        "m 1 1 1\nl 1 1 0\nl 1 1 0\n",                           /* a list as a key */
        "m 1 1 2\ns 1 1 1 a\ns 1 2 1 b\ns 2 1 1 a\ns 2 2 1 b\n", /* a duplicate key */
        "m 1 1 -1\n",
        "m 1\n",
        "m",
    };
    struct lk_errors errors;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(read_tree(bad[i], &errors), LK_E_TEXT);
        assert_int_equal(errors.n, 1);
    }
    /* messages of the model reader have the line and column of the text */
    assert_int_equal(read_tree("m 3 4 1\ns 5 6 4 name\ns 7 8 1 a\n", &errors), LK_E_TEXT);
    assert_non_null(strstr(errors.line[0].text, "m:3:4: the key 'linkage' is missing"));
    assert_int_equal(read_tree("", &errors), LK_E_TEXT);
}

static void test_damage(void **state)
{
    struct lk_model *model = NULL;
    struct lk_errors errors;
    char path[4096], *bytes = NULL;
    size_t size = 0;

    (void)state;
    snprintf(path, sizeof(path), "%s/pendulum.yaml", folder);
    assert_int_equal(lk_model_pack(path, &bytes, &size, &errors), 0);
    for (size_t i = 0; i < size; i++) {
        char *copy = malloc(i > 0 ? i : 1); /* a sanitizer detects a read beyond its end */

        memcpy(copy, bytes, i);
        assert_int_equal(lk_model_read_packed(copy, i, NULL, 0, &model, &errors), LK_E_TEXT);
        free(copy);
        bytes[i] ^= 0x10;
        assert_int_equal(lk_model_read_packed(bytes, size, NULL, 0, &model, &errors), LK_E_TEXT);
        bytes[i] ^= 0x10;
    }
    free(bytes);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_crc), cmocka_unit_test(test_models),
                                       cmocka_unit_test(test_trees), cmocka_unit_test(test_damage)};

    if (argc != 2)
        return 2;
    folder = argv[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
