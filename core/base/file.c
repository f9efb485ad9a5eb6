/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ROOM_FIRST 16384 /* most files are smaller */

static int check_kind(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    if (!S_ISREG(st.st_mode))
        return -EMEDIUMTYPE;
    /* clear O_NONBLOCK: only open() needs it, and it interferes with a lease on the file */
    return fcntl(fd, F_SETFL, 0) != 0 ? -errno : 0;
}

static void (*opened)(int fd);

void lk_file_watch(void (*watch)(int fd))
{
    opened = watch;
}

int lk_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

    if (fd < 0)
        return errno == ENXIO ? -EMEDIUMTYPE : -errno; /* a socket, or a device without a driver */
    result = check_kind(fd);
    if (result < 0)
        close(fd);
    else if (opened)
        opened(fd);
    return result < 0 ? result : fd;
}

/* Allocate memory for @room bytes of @text and a terminating zero. */
static int make_room(char **text, size_t room)
{
    char *larger = realloc(*text, room + 1);

    if (larger == NULL)
        return -ENOMEM;
    *text = larger;
    return 0;
}

static int read_all(int fd, size_t max, char **text, size_t *ret_size)
{
    size_t size = 0, room = max < ROOM_FIRST ? max : ROOM_FIRST;
    int result = make_room(text, room);
    ssize_t n = 1;

    while (result == 0 && n != 0 && size < max) {
        if (size == room) {
            room = room < max / 2 ? 2 * room : max;
            result = make_room(text, room);
            continue;
        }
        n = read(fd, *text + size, room - size);
        if (n > 0)
            size += (size_t)n;
        else if (n < 0 && errno != EINTR)
            result = -errno;
    }
    *ret_size = size;
    return result;
}

int lk_file_read(const char *path, size_t max, char **ret_text, size_t *ret_size)
{
    int fd = lk_file_open(path), result;
    char *text = NULL;
    size_t size;

    if (fd < 0)
        return fd;
    result = read_all(fd, max, &text, &size);
    close(fd);
    if (result < 0) {
        free(text);
        return result;
    }
    text[size] = '\0';
    *ret_text = realloc(text, size + 1);
    if (*ret_text == NULL)
        *ret_text = text;
    *ret_size = size;
    return 0;
}

int lk_file_create(const char *path, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, mode);

    return fd < 0 ? -errno : fd;
}

int lk_file_write(int fd, const void *bytes, size_t size)
{
    const char *left = bytes;

    while (size > 0) {
        ssize_t n = write(fd, left, size);

        if (n < 0 && errno != EINTR)
            return -errno;
        left += n > 0 ? n : 0;
        size -= n > 0 ? (size_t)n : 0;
    }
    return 0;
}

void lk_file_discard(const char *path)
{
    int error = errno;
    struct stat status;

    if (lstat(path, &status) == 0 && S_ISREG(status.st_mode))
        unlink(path);
    errno = error;
}

const char *lk_file_error(int error)
{
    if (error == -EMEDIUMTYPE)
        return "it is no file but a pipe, a socket or a device";
    return strerror(-error);
}
