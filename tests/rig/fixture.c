/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void fixture_open(struct fixture *fixture)
{
    assert_int_equal(rig_folder_make("linkage-root", fixture->root), 0);
}

static void full_path(const struct fixture *fixture, const char *path, char full[PATH_MAX])
{
    snprintf(full, PATH_MAX, "%s/%s", fixture->root, path);
}

static void make_folders(char *path)
{
    for (char *at = strchr(path + 1, '/'); at != NULL; at = strchr(at + 1, '/')) {
        *at = '\0';
        assert_true(mkdir(path, 0755) == 0 || errno == EEXIST);
        *at = '/';
    }
}

void fixture_write(const struct fixture *fixture, const char *path, const char *text)
{
    char full[PATH_MAX];
    FILE *file;

    full_path(fixture, path, full);
    make_folders(full);
    file = fopen(full, "we");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void fixture_delete(const struct fixture *fixture, const char *path)
{
    char full[PATH_MAX];

    full_path(fixture, path, full);
    assert_int_equal(unlink(full), 0);
}

void fixture_close(struct fixture *fixture)
{
    assert_int_equal(rig_folder_remove(fixture->root), 0);
}

int fixture_setup(void **state)
{
    static struct fixture fixture;

    fixture_open(&fixture);
    *state = &fixture;
    return 0;
}

int fixture_teardown(void **state)
{
    fixture_close(*state);
    return 0;
}
