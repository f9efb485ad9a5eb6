/* SPDX-License-Identifier: Apache-2.0 */
#include "output.h"
#include "linkage/file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MARK_MAX 64

bool output_force;

/* ---- the files that were read ---- */

struct input {
    dev_t device;
    ino_t inode;
};

static struct input *inputs;
static size_t n_inputs;

/* Remember a file that was opened for reading. Without memory for it the program ends: no output
 * could be checked against it. */
static void remember(int fd)
{
    struct input *more = realloc(inputs, (n_inputs + 1) * sizeof(*inputs));
    struct stat st;

    if (more == NULL || fstat(fd, &st) != 0)
        abort();
    inputs = more;
    inputs[n_inputs++] = (struct input){st.st_dev, st.st_ino};
}

__attribute__((constructor)) static void watch_inputs(void)
{
    lk_file_watch(remember);
}

static bool is_input(const struct stat *st)
{
    for (size_t i = 0; i < n_inputs; i++)
        if (inputs[i].device == st->st_dev && inputs[i].inode == st->st_ino)
            return true;
    return false;
}

/* ---- the file that is there already ---- */

static bool begins_with(const char *path, const char *mark)
{
    char bytes[MARK_MAX];
    size_t size = strlen(mark);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    bool same = fd >= 0 && read(fd, bytes, size) == (ssize_t)size && memcmp(bytes, mark, size) == 0;

    if (fd >= 0)
        close(fd);
    return same;
}

int output_check(const char *path, const char *mark)
{
    struct stat st;

    if (stat(path, &st) != 0)
        return errno == ENOENT ? 0 : -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    if (!S_ISREG(st.st_mode))
        return 0;
    if (is_input(&st))
        return -ETXTBSY;
    if (access(path, W_OK) != 0)
        return -errno;
    return output_force || mark == NULL || st.st_size == 0 || begins_with(path, mark) ? 0 : -EEXIST;
}

/* ---- writing ---- */

/* struct output - an output that is written. @path: the file, links resolved;  @mark: see
 * output_check()
 * @beside: name of the file while it is written; empty: it has none;  @direct: written in place */
struct output {
    FILE *file;
    const char *mark;
    bool direct;
    char path[PATH_MAX];
    char beside[PATH_MAX + 16];
};

/* Find the file behind @path, which may be a link to a file that is not there yet. */
static int find_target(const char *path, char ret[PATH_MAX])
{
    if (realpath(path, ret) != NULL)
        return 0;
    if (errno != ENOENT)
        return -errno;
    if (strlen(path) >= PATH_MAX)
        return -ENAMETOOLONG;
    strcpy(ret, path);
    return 0;
}

static bool is_written_in_place(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && (!S_ISREG(st.st_mode) || st.st_size == 0);
}

/* Return the permissions of a new file, or those of the file that it replaces. */
static mode_t permissions(const char *path)
{
    struct stat st;
    mode_t mask;

    if (stat(path, &st) == 0)
        return st.st_mode & 07777;
    mask = umask(0);
    umask(mask);
    return 0666 & ~mask;
}

/* Open a file without a name in the folder of the output; if there is no such thing, with one. */
static int open_beside(struct output *o)
{
    char folder[PATH_MAX];
    char *slash;
    int fd;

    strcpy(folder, o->path);
    slash = strrchr(folder, '/');
    if (slash == NULL)
        strcpy(folder, ".");
    else
        slash[slash == folder] = '\0';
    fd = open(folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
        return fd < 0 ? -errno : fd;
    snprintf(o->beside, sizeof(o->beside), "%s.%ld", o->path, (long)getpid());
    return lk_file_create(o->beside, 0600);
}

static int open_file(struct output *o, const char *path)
{
    int fd, result = find_target(path, o->path);

    if (result != 0)
        return result;
    o->direct = is_written_in_place(o->path);
    fd = o->direct ? open(o->path, O_WRONLY | O_CLOEXEC | O_NOCTTY) : open_beside(o);
    if (fd < 0)
        return o->direct ? -errno : fd;
    o->file = fdopen(fd, "w");
    if (o->file != NULL)
        return 0;
    close(fd);
    return -ENOMEM;
}

int output_open(const char *path, const char *mark, struct output **ret_output)
{
    bool to_stdout = strcmp(path, "-") == 0;
    int result = to_stdout ? 0 : output_check(path, mark);
    struct output *o = result == 0 ? calloc(1, sizeof(*o)) : NULL;

    if (o == NULL)
        return result != 0 ? result : -ENOMEM;
    o->mark = mark;
    o->direct = to_stdout;
    o->file = stdout;
    if (!to_stdout)
        result = open_file(o, path);
    if (result != 0) {
        free(o);
        return result;
    }
    *ret_output = o;
    return 0;
}

FILE *output_file(struct output *o)
{
    return o->file;
}

/* Give the file the name beside the path. */
static int name_file(struct output *o)
{
    char from[64];

    if (o->beside[0] != '\0')
        return 0;
    snprintf(from, sizeof(from), "/proc/self/fd/%d", fileno(o->file));
    snprintf(o->beside, sizeof(o->beside), "%s.%ld", o->path, (long)getpid());
    if (linkat(AT_FDCWD, from, AT_FDCWD, o->beside, AT_SYMLINK_FOLLOW) == 0)
        return 0;
    o->beside[0] = '\0';
    return -errno;
}

/* Put the complete file in its place. The place is checked again: the command may have read this
 * file, or another program may have written it, since the output began. */
static int place(struct output *o)
{
    int result = output_check(o->path, o->mark);

    if (result == 0 && fchmod(fileno(o->file), permissions(o->path)) != 0)
        result = -errno;
    if (result == 0)
        result = name_file(o);
    if (result == 0 && rename(o->beside, o->path) != 0)
        result = -errno;
    return result;
}

int output_close(struct output *o, bool is_good)
{
    int result = 0;

    if (o == NULL)
        return 0;
    if ((fflush(o->file) != 0 || ferror(o->file)) && is_good)
        result = errno != 0 ? -errno : -EIO;
    if (!o->direct && is_good && result == 0)
        result = place(o);
    else if (o->direct && o->file != stdout && (result != 0 || !is_good))
        (void)!ftruncate(fileno(o->file), 0); /* as it was; fails for pipes and devices */
    if (o->beside[0] != '\0' && (result != 0 || !is_good))
        unlink(o->beside);
    if (o->file != stdout && fclose(o->file) != 0 && o->direct && is_good && result == 0)
        result = -errno;
    free(o);
    return result;
}

int output_write(const char *path, const char *mark, const void *bytes, size_t size)
{
    struct output *o = NULL;
    int result = output_open(path, mark, &o);

    if (result != 0)
        return result;
    return output_close(o, fwrite(bytes, 1, size, o->file) == size || ferror(o->file));
}

const char *output_error(int fault)
{
    if (fault == -ETXTBSY)
        return "this command reads the file; expected another name for its output";
    if (fault == -EEXIST)
        return "the file is there and is no such output; expected another name, or --force";
    return strerror(-fault);
}
