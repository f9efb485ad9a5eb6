/* SPDX-License-Identifier: Apache-2.0 */
#include "recordings.h"
#include "draft.h"
#include "viewer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LISTED   100 /* largest number of listed recordings */
#define PREFIX   "/recordings/"
#define TICKET_S 30

struct entry {
    char name[NAME_MAX + 1];
    off_t size;
    struct timespec changed;
};

/* Write the properties of a file to @ret, if it is a recording of the daemon according to its name.
 * Return: true if it is. */
static bool is_recording(int folder, const char *name, struct entry *ret)
{
    const char *suffix = strrchr(name, '.');
    struct stat about;

    if (name[0] == '.' || suffix == NULL || strcmp(suffix, ".mcap") != 0 ||
        fstatat(folder, name, &about, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(about.st_mode))
        return false;
    snprintf(ret->name, sizeof(ret->name), "%s", name);
    ret->size = about.st_size;
    ret->changed = about.st_mtim;
    return true;
}

static int compare_age(const void *a, const void *b)
{
    const struct timespec *x = &((const struct entry *)a)->changed;
    const struct timespec *y = &((const struct entry *)b)->changed;

    if (x->tv_sec != y->tv_sec)
        return x->tv_sec < y->tv_sec ? 1 : -1;
    return (x->tv_nsec < y->tv_nsec) - (x->tv_nsec > y->tv_nsec);
}

/* List all recordings, the newest first.
 * Return: number of recordings; -1: the folder cannot be read, see errno. */
static int read_folder(const char *path, struct entry **ret)
{
    DIR *folder = opendir(path);
    struct entry *list = NULL, found;
    const struct dirent *at;
    int n = 0, room = 0;

    if (folder == NULL)
        return -1;
    while ((at = readdir(folder)) != NULL) {
        if (!is_recording(dirfd(folder), at->d_name, &found))
            continue;
        if (n == room) {
            struct entry *grown = realloc(list, (size_t)(room + LISTED) * sizeof(*list));

            if (grown == NULL)
                break;
            list = grown;
            room += LISTED;
        }
        list[n++] = found;
    }
    closedir(folder);
    if (n > 0)
        qsort(list, (size_t)n, sizeof(*list), compare_age);
    *ret = list;
    return n;
}

struct gate_parcel *recordings_text(const struct gate_options *options)
{
    struct entry *list = NULL;
    struct draft draft;
    int n = 0;

    if (!draft_begin(&draft, "recordings"))
        return NULL;
    if (options->recordings == NULL)
        lk_json_text(&draft.json, "why", "linkage-gateway was started without --recordings FOLDER");
    else if ((n = read_folder(options->recordings, &list)) < 0)
        lk_json_text(&draft.json, "why", strerror(errno));
    lk_json_open(&draft.json, "files", '[');
    for (int i = 0; i < n && i < LISTED; i++) {
        lk_json_open(&draft.json, NULL, '{');
        lk_json_text(&draft.json, "name", list[i].name);
        lk_json_count(&draft.json, "bytes", (uint64_t)list[i].size);
        lk_json_number(&draft.json, "time", (double)list[i].changed.tv_sec);
        lk_json_close(&draft.json, '}');
    }
    lk_json_close(&draft.json, ']');
    lk_json_count(&draft.json, "left_out", n > LISTED ? (uint64_t)(n - LISTED) : 0);
    free(list);
    return gate_parcel_end(GATE_ANSWER, 0, gate_utc_ns(), &draft);
}

/* ---- tickets ---- */

static bool is_listed(const char *folder, const char *name)
{
    struct entry *list = NULL;
    int n = read_folder(folder, &list);
    bool found = false;

    for (int i = 0; i < n && !found; i++)
        found = strcmp(list[i].name, name) == 0;
    free(list);
    return found;
}

struct gate_parcel *recordings_ticket(struct gate_web *web, const char *name)
{
    struct page_ticket *ticket = &web->ticket[web->n_tickets % PAGE_TICKETS];
    struct draft draft;
    char address[sizeof(PREFIX) + PAGE_TOKEN_SIZE];

    if (web->options->recordings == NULL || name == NULL ||
        !is_listed(web->options->recordings, name))
        return page_text_answer("download", false, "there is no such recording");
    if (page_make_token(ticket->token) != 0)
        return page_text_answer("download", false, "no random numbers for a ticket");
    free(ticket->name);
    ticket->name = strdup(name);
    ticket->until_ns = gate_clock_ns() + TICKET_S * UINT64_C(1000000000);
    web->n_tickets++;
    if (!draft_begin(&draft, "download"))
        return NULL;
    snprintf(address, sizeof(address), PREFIX "%s", ticket->token);
    lk_json_text(&draft.json, "address", address);
    lk_json_text(&draft.json, "name", name);
    return gate_parcel_end(GATE_ANSWER, 0, gate_utc_ns(), &draft);
}

static int open_file(const char *folder, const char *name)
{
    int below = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = -1;
    struct stat about;

    if (below < 0)
        return -1;
    file = openat(below, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    close(below);
    if (file >= 0 && (fstat(file, &about) != 0 || !S_ISREG(about.st_mode))) {
        close(file);
        file = -1;
    }
    return file;
}

int recordings_open(struct gate_web *web, const char *path, char *ret_name, size_t size)
{
    size_t n = strlen(PREFIX);
    int file = -1;

    if (strncmp(path, PREFIX, n) != 0)
        return -1;
    for (int i = 0; i < PAGE_TICKETS && file < 0; i++) {
        struct page_ticket *ticket = &web->ticket[i];

        if (ticket->name == NULL || !page_is_token(path + n, ticket->token))
            continue;
        if (gate_clock_ns() < ticket->until_ns) {
            snprintf(ret_name, size, "%s", ticket->name);
            file = open_file(web->options->recordings, ticket->name);
        }
        free(ticket->name);
        *ticket = (struct page_ticket){0};
    }
    return file;
}

void recordings_forget(struct gate_web *web)
{
    for (int i = 0; i < PAGE_TICKETS; i++)
        free(web->ticket[i].name);
}
