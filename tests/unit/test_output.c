/* SPDX-License-Identifier: Apache-2.0 */
/* Outputs of the tools: no input and no file of others is destroyed, and a file is complete or not
 * there. */
#include "cmocka_all.h"
#include "linkage/file.h"
#include "output.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test_output.XXXXXX";

static int enter(void **state)
{
    (void)state;
    return mkdtemp(folder) != NULL && chdir(folder) == 0 ? 0 : -1;
}

static int leave(void **state)
{
    char command[64];

    (void)state;
    snprintf(command, sizeof(command), "rm -r %s", folder);
    return chdir("/") == 0 && system(command) == 0 ? 0 : -1;
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    fputs(text, f);
    assert_int_equal(fclose(f), 0);
}

static void assert_text(const char *path, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");

    assert_non_null(f);
    found[fread(found, 1, sizeof(found) - 1, f)] = '\0';
    fclose(f);
    assert_string_equal(found, text);
}

static int count_files(void)
{
    DIR *d = opendir(".");
    int n = 0;

    assert_non_null(d);
    for (const struct dirent *e; (e = readdir(d)) != NULL;)
        n += e->d_name[0] != '.';
    closedir(d);
    return n;
}

static void new_file_appears_when_it_is_complete(void **state)
{
    struct output *o = NULL;
    int before = count_files();
    struct stat st;
    mode_t mask = umask(022);

    (void)state;
    umask(mask);
    assert_int_equal(output_open("new.csv", "time", &o), 0);
    fputs("time [s]\n", output_file(o));
    assert_int_equal(count_files(), before);
    assert_int_equal(output_close(o, true), 0);
    assert_text("new.csv", "time [s]\n");
    assert_int_equal(count_files(), before + 1);
    assert_int_equal(stat("new.csv", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0666 & ~mask);
    assert_int_equal(output_write("new.csv", "time", "time again", 10), 0);
    assert_text("new.csv", "time again");
}

static void failed_output_leaves_the_older_file(void **state)
{
    struct output *o = NULL;
    int before;

    (void)state;
    put("older.csv", "time [s]\n0\n");
    before = count_files();
    assert_int_equal(output_open("older.csv", "time", &o), 0);
    fputs("time [s]\nhalf", output_file(o));
    assert_int_equal(output_close(o, false), 0);
    assert_text("older.csv", "time [s]\n0\n");
    assert_int_equal(count_files(), before);
}

static void file_of_others_is_kept(void **state)
{
    struct output *o = NULL;

    (void)state;
    put("notes.txt", "my notes");
    put("short.txt", "ti");
    put("empty.txt", "");
    assert_int_equal(output_open("notes.txt", "time", &o), -EEXIST);
    assert_int_equal(output_write("short.txt", "time", "time", 4), -EEXIST);
    assert_text("notes.txt", "my notes");
    assert_text("short.txt", "ti");
    assert_non_null(strstr(output_error(-EEXIST), "--force"));
    assert_int_equal(output_write("empty.txt", "time", "time", 4), 0);
    output_force = true;
    assert_int_equal(output_write("notes.txt", "time", "time", 4), 0);
    output_force = false;
    assert_text("notes.txt", "time");
}

/* By any name, and even with --force. */
static void input_is_kept(void **state)
{
    struct output *o = NULL;
    size_t size;
    char *text;

    (void)state;
    put("in.csv", "time [s]\n1\n");
    assert_int_equal(symlink("in.csv", "link.csv"), 0);
    assert_int_equal(link("in.csv", "twin.csv"), 0);
    assert_int_equal(lk_file_read("in.csv", 100, &text, &size), 0);
    free(text);
    output_force = true;
    for (int i = 0; i < 4; i++) {
        const char *names[] = {"in.csv", "./in.csv", "link.csv", "twin.csv"};

        assert_int_equal(output_open(names[i], "time", &o), -ETXTBSY);
    }
    /* read after the output was opened */
    put("late.csv", "time [s]\n2\n");
    assert_int_equal(output_open("late.csv", "time", &o), 0);
    fputs("time", output_file(o));
    assert_int_equal(lk_file_read("late.csv", 100, &text, &size), 0);
    free(text);
    assert_int_equal(output_close(o, true), -ETXTBSY);
    output_force = false;
    assert_text("late.csv", "time [s]\n2\n");
    assert_text("in.csv", "time [s]\n1\n");
}

/* A program may have made it and hold it open. */
static void empty_file_stays_the_same_file(void **state)
{
    struct output *o = NULL;
    char text[16] = "";
    FILE *held;

    (void)state;
    put("held.csv", "");
    held = fopen("held.csv", "r");
    assert_non_null(held);
    assert_int_equal(output_open("held.csv", "time", &o), 0);
    fputs("time", output_file(o));
    assert_int_equal(output_close(o, false), 0);
    assert_int_equal(fread(text, 1, sizeof(text) - 1, held), 0);
    assert_int_equal(output_write("held.csv", "time", "time 3", 6), 0);
    rewind(held);
    assert_int_equal(fread(text, 1, sizeof(text) - 1, held), 6);
    assert_string_equal(text, "time 3");
    fclose(held);
}

static void links_pipes_and_folders(void **state)
{
    struct output *o = NULL;
    struct stat st;
    int before;

    (void)state;
    put("target.csv", "time [s]\n");
    assert_int_equal(chmod("target.csv", 0640), 0);
    assert_int_equal(symlink("target.csv", "to-target.csv"), 0);
    before = count_files();
    assert_int_equal(output_write("to-target.csv", "time", "time 2", 6), 0);
    assert_int_equal(lstat("to-target.csv", &st), 0);
    assert_true(S_ISLNK(st.st_mode));
    assert_text("target.csv", "time 2");
    assert_int_equal(stat("target.csv", &st), 0);
    assert_int_equal(st.st_mode & 0777, 0640);
    assert_int_equal(output_write("/dev/null", "time", "time", 4), 0);
    assert_int_equal(output_write("/dev/full", "time", "time", 4), -ENOSPC);
    assert_int_equal(output_open(".", "time", &o), -EISDIR);
    assert_int_equal(output_open("nowhere/x.csv", "time", &o), -ENOENT);
    assert_int_equal(count_files(), before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(new_file_appears_when_it_is_complete),
        cmocka_unit_test(failed_output_leaves_the_older_file),
        cmocka_unit_test(file_of_others_is_kept),
        cmocka_unit_test(input_is_kept),
        cmocka_unit_test(empty_file_stays_the_same_file),
        cmocka_unit_test(links_pipes_and_folders),
    };

    return cmocka_run_group_tests(tests, enter, leave);
}
