/* SPDX-License-Identifier: Apache-2.0 */
#include "linkage/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int check_kind(int fd)
{
    struct stat st;

    if (fstat(fd, &st) != 0)
        return -errno;
    if (S_ISDIR(st.st_mode))
        return -EISDIR;
    if (!S_ISREG(st.st_mode))
        return -EMEDIUMTYPE;
    /* clears O_NONBLOCK: only open() needs it, and it interferes with a lease on the file */
    return fcntl(fd, F_SETFL, 0) != 0 ? -errno : 0;
}

int lk_file_open(const char *path)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), result;

    if (fd < 0)
        return errno == ENXIO ? -EMEDIUMTYPE : -errno; /* a socket, or a device without a driver */
    result = check_kind(fd);
    if (result < 0)
        close(fd);
    return result < 0 ? result : fd;
}

static int read_all(int fd, char *text, size_t max, size_t *ret_size)
{
    size_t size = 0;

    while (size < max) {
        ssize_t n = read(fd, text + size, max - size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return -errno;
        if (n == 0)
            break;
        size += (size_t)n;
    }
    *ret_size = size;
    return 0;
}

int lk_file_read(const char *path, size_t max, char **ret_text, size_t *ret_size)
{
    int fd = lk_file_open(path), result;
    size_t size = 0;
    char *text;

    if (fd < 0)
        return fd;
    text = malloc(max + 1);
    result = text != NULL ? read_all(fd, text, max, &size) : -ENOMEM;
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

const char *lk_file_error(int error)
{
    if (error == -EMEDIUMTYPE)
        return "it is no file but a pipe, a socket or a device";
    return strerror(-error);
}
