/* SPDX-License-Identifier: Apache-2.0 */
#include "compile.h"
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Stack size of the compiling thread. Assemblies of bodies are traversed recursively, with one
 * level per body in the worst case. So the stack is as large as the default stack of a main
 * thread. */
#define STACK (8u << 20)

#define ABANDON_MS 1000

/** struct lkd_compile - a compilation in progress.
 * @is_file:   @name is a path, and there is no @text
 * @cancelled: polled by the thread
 * @done:      set after the following fields are written
 * @done_fd:   eventfd that becomes readable at the end
 * @left:      set by the thread at its end and by a caller that abandons it; the second one of them
 *             frees the memory */
struct lkd_compile {
    char *name;
    char *text;
    size_t size;
    char *values;
    bool is_file;
    const struct lkd_settings *settings;
    int64_t begun_ns;
    pthread_t thread;
    int done_fd;
    atomic_bool cancelled;
    atomic_bool done;
    atomic_bool left;
    int outcome;
    struct lkd_loaded *loaded;
    struct lk_errors errors;
};

static void release_compile(struct lkd_compile *c)
{
    lkd_loaded_free(c->loaded);
    if (c->done_fd >= 0)
        close(c->done_fd);
    free(c->name);
    free(c->text);
    free(c->values);
    free(c);
}

static void leave(struct lkd_compile *c)
{
    if (atomic_exchange(&c->left, true))
        release_compile(c);
}

static void *run_compile(void *data)
{
    struct lkd_compile *c = data;

    if (c->is_file)
        c->outcome =
            lkd_loaded_new_file(c->name, c->settings, &c->cancelled, &c->loaded, &c->errors);
    else
        c->outcome = lkd_loaded_new(c->name, c->text, c->size, c->values, c->settings,
                                    &c->cancelled, &c->loaded, &c->errors);
    atomic_store_explicit(&c->done, true, memory_order_release);
    eventfd_write(c->done_fd, 1);
    leave(c);
    return NULL;
}

/* Start the compiling thread. It inherits name and signal mask from the thread that begins the
 * compilation. */
static int start_thread(struct lkd_compile *c)
{
    pthread_attr_t attributes;
    int r = pthread_attr_init(&attributes);

    if (r)
        return -r;
    r = pthread_attr_setstacksize(&attributes, STACK);
    if (r == 0)
        r = pthread_create(&c->thread, &attributes, run_compile, c);
    pthread_attr_destroy(&attributes);
    if (r == 0)
        pthread_setname_np(c->thread, "compile");
    return -r;
}

/* Begin a compilation.
 * Return: 0; -ENOMEM, -EMFILE or similar: no compilation was begun. */
static int begin_compile(const char *name, const char *text, size_t size, const char *values,
                         bool is_file, const struct lkd_settings *settings,
                         struct lkd_compile **ret)
{
    struct lkd_compile *c = calloc(1, sizeof(*c));
    int r;

    if (!c)
        return -ENOMEM;
    c->name = strdup(name);
    c->text = malloc(size + 1);
    c->values = strdup(values);
    c->size = size;
    c->is_file = is_file;
    c->settings = settings;
    c->begun_ns = lkd_clock_ns();
    c->done_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    r = c->done_fd < 0 ? -errno : c->name && c->text && c->values ? 0 : -ENOMEM;
    if (r == 0 && size > 0)
        memcpy(c->text, text, size);
    if (r == 0)
        r = start_thread(c);
    if (r)
        release_compile(c);
    else
        *ret = c;
    return r;
}

int lkd_compile_begin(const char *name, const char *text, size_t size, const char *values,
                      const struct lkd_settings *settings, struct lkd_compile **ret_compile)
{
    return begin_compile(name, text, size, values, false, settings, ret_compile);
}

int lkd_compile_begin_file(const char *path, const struct lkd_settings *settings,
                           struct lkd_compile **ret_compile)
{
    return begin_compile(path, NULL, 0, "", true, settings, ret_compile);
}

const char *lkd_compile_name(const struct lkd_compile *c)
{
    return c->name;
}

int64_t lkd_compile_ns(const struct lkd_compile *c)
{
    return lkd_clock_ns() - c->begun_ns;
}

int lkd_compile_fd(const struct lkd_compile *c)
{
    return c->done_fd;
}

bool lkd_compile_is_done(const struct lkd_compile *c)
{
    return atomic_load_explicit(&c->done, memory_order_acquire);
}

void lkd_compile_cancel(struct lkd_compile *c)
{
    atomic_store_explicit(&c->cancelled, true, memory_order_relaxed);
}

int lkd_compile_end(struct lkd_compile *c, struct lkd_loaded **ret_loaded,
                    struct lk_errors *ret_errors)
{
    int r;

    pthread_join(c->thread, NULL);
    r = c->outcome;
    if (r == 0)
        *ret_loaded = c->loaded;
    else
        *ret_errors = c->errors;
    c->loaded = NULL;
    release_compile(c);
    return r;
}

void lkd_compile_abandon(struct lkd_compile *c)
{
    struct pollfd done = {.fd = c->done_fd, .events = POLLIN};

    lkd_compile_cancel(c);
    if (poll(&done, 1, ABANDON_MS) == 1) {
        pthread_join(c->thread, NULL);
        release_compile(c);
    } else {
        pthread_detach(c->thread);
        leave(c);
    }
}
