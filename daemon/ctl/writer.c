/* SPDX-License-Identifier: Apache-2.0 */
#include "writer.h"
#include "linkage/file.h"
#include "log.h"
#include "wait.h"
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define NS_PER_S INT64_C(1000000000)
/* Number of names to try if the first one exists. */
#define TRIES 100
/* Limits of the queue: number of texts, and their total size. They cover several runs with all
 * their traces. */
#define WAITING_MAX 64
#define BYTES_MAX   ((size_t)64 << 20)
#define LAST_NS     (10 * NS_PER_S)

/** struct text - a text to be written to a file.
 * @stem: path without number and suffix */
struct text {
    char stem[LKD_STEM_SIZE];
    char suffix[32];
    char *bytes;
    size_t size;
};

/** struct lkd_writer - queue of texts and its thread.
 * @lock:  guards all fields.
 * @text:  a ring of @n texts from index @first on; the first one is being written
 * @bytes: total size of the texts
 * @vain:  a wait for the queue has timed out; the next one returns at once
 * @quit:  request to end when the queue is empty
 * @gone:  the thread has ended */
struct lkd_writer {
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;
    pthread_cond_t done;
    struct text text[WAITING_MAX];
    int first;
    int n;
    size_t bytes;
    bool vain;
    bool quit;
    bool gone;
};

/* ---- one file ---- */

/* Write the path of a text.
 * @try: number of the attempt, from 0
 * @ret: PATH_MAX bytes.
 * Return: true if the path fits. */
static bool make_path(const struct text *text, int try, char *ret)
{
    char number[16] = "";
    int n;

    if (try > 0)
        snprintf(number, sizeof(number), "-%d", try + 1);
    n = snprintf(ret, PATH_MAX, "%s%s%s", text->stem, number, text->suffix);
    return n > 0 && n < PATH_MAX;
}

static void write_file(const struct text *text)
{
    char path[PATH_MAX];
    int fd = -EEXIST, r;

    for (int i = 0; i < TRIES && fd == -EEXIST; i++)
        fd = make_path(text, i, path) ? lk_file_create(path, 0666) : -ENAMETOOLONG;
    if (fd < 0) {
        lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not kept: %s: %s", path, strerror(-fd));
        return;
    }
    r = lk_file_write(fd, text->bytes, text->size);
    if (close(fd) && r == 0)
        r = -errno;
    if (r)
        lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not complete: %s: %s", path, strerror(-r));
    else
        lkd_log(LKD_C_EVIDENCE_KEPT, "evidence: %s", path);
}

/* ---- the thread ---- */

static void *run_writer(void *data)
{
    struct lkd_writer *writer = data;

    pthread_mutex_lock(&writer->lock);
    while (writer->n > 0 || !writer->quit) {
        struct text *text = &writer->text[writer->first];

        if (writer->n == 0) {
            pthread_cond_wait(&writer->wake, &writer->lock);
            continue;
        }
        pthread_mutex_unlock(&writer->lock);
        write_file(text);
        free(text->bytes);
        pthread_mutex_lock(&writer->lock);
        writer->bytes -= text->size;
        writer->first = (writer->first + 1) % WAITING_MAX;
        writer->n--;
        writer->vain = false;
        pthread_cond_broadcast(&writer->done);
    }
    writer->gone = true;
    pthread_cond_broadcast(&writer->done);
    pthread_mutex_unlock(&writer->lock);
    return NULL;
}

int lkd_writer_new(struct lkd_writer **ret_writer)
{
    struct lkd_writer *writer = calloc(1, sizeof(*writer));
    pthread_condattr_t clock;
    int r;

    if (!writer)
        return -ENOMEM;
    pthread_mutex_init(&writer->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&writer->wake, &clock);
    pthread_cond_init(&writer->done, &clock);
    pthread_condattr_destroy(&clock);
    r = pthread_create(&writer->thread, NULL, run_writer, writer);
    if (r) {
        free(writer);
        return -r;
    }
    pthread_setname_np(writer->thread, "lkd-writer");
    *ret_writer = writer;
    return 0;
}

/* ---- calls ---- */

static bool has_room(const struct lkd_writer *writer, size_t size)
{
    return writer->n < WAITING_MAX && size <= BYTES_MAX - writer->bytes;
}

void lkd_writer_give(struct lkd_writer *writer, const char *stem, const char *suffix, char *bytes,
                     size_t size)
{
    bool room;

    pthread_mutex_lock(&writer->lock);
    room = has_room(writer, size);
    if (room) {
        struct text *text = &writer->text[(writer->first + writer->n) % WAITING_MAX];

        snprintf(text->stem, sizeof(text->stem), "%s", stem);
        snprintf(text->suffix, sizeof(text->suffix), "%s", suffix);
        text->bytes = bytes;
        text->size = size;
        writer->bytes += size;
        writer->n++;
        pthread_cond_signal(&writer->wake);
    }
    pthread_mutex_unlock(&writer->lock);
    if (room)
        return;
    free(bytes);
    lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not kept: %s%s: the disk does not respond", stem,
            suffix);
}

bool lkd_writer_await(struct lkd_writer *writer, int64_t ns)
{
    const struct timespec until = lkd_time_in(ns);
    bool done;

    pthread_mutex_lock(&writer->lock);
    while (writer->n > 0 && !writer->vain)
        writer->vain = pthread_cond_timedwait(&writer->done, &writer->lock, &until) == ETIMEDOUT;
    done = writer->n == 0;
    pthread_mutex_unlock(&writer->lock);
    return done;
}

void lkd_writer_free(struct lkd_writer *writer)
{
    const struct timespec until = lkd_time_in(LAST_NS);
    int r = 0;

    if (!writer)
        return;
    pthread_mutex_lock(&writer->lock);
    writer->quit = true;
    pthread_cond_signal(&writer->wake);
    while (!writer->gone && r != ETIMEDOUT)
        r = pthread_cond_timedwait(&writer->done, &writer->lock, &until);
    for (int i = 0; i < writer->n && !writer->gone; i++) {
        const struct text *text = &writer->text[(writer->first + i) % WAITING_MAX];

        lkd_log(LKD_C_EVIDENCE_NOT_KEPT, "evidence is not kept: %s%s: the disk does not respond",
                text->stem, text->suffix);
    }
    r = writer->gone;
    pthread_mutex_unlock(&writer->lock);
    if (!r) { /* leak the memory: the thread may still wake up and use it */
        pthread_detach(writer->thread);
        return;
    }
    pthread_join(writer->thread, NULL);
    pthread_cond_destroy(&writer->wake);
    pthread_cond_destroy(&writer->done);
    pthread_mutex_destroy(&writer->lock);
    free(writer);
}
