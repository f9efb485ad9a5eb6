/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

void fixture_open(struct fixture *fixture)
{
    const char *folder = getenv("TMPDIR");

    snprintf(fixture->root, sizeof(fixture->root), "%.30s/linkage-root-XXXXXX",
             folder != NULL && strlen(folder) <= 30 ? folder : "/tmp");
    assert_non_null(mkdtemp(fixture->root));
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

static int delete_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

void fixture_close(struct fixture *fixture)
{
    assert_int_equal(nftw(fixture->root, delete_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
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
