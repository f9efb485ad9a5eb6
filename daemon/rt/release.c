/* SPDX-License-Identifier: Apache-2.0 */
#include "release.h"
#include "wait.h"
#include <errno.h>
#include <time.h>

void lkd_release_init(struct lkd_release *release)
{
    pthread_condattr_t attributes;

    pthread_mutex_init(&release->lock, NULL);
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(&release->granting, &attributes);
    pthread_cond_init(&release->doing, &attributes);
    pthread_condattr_destroy(&attributes);
    lkd_release_reset(release);
}

void lkd_release_fini(struct lkd_release *release)
{
    pthread_cond_destroy(&release->granting);
    pthread_cond_destroy(&release->doing);
    pthread_mutex_destroy(&release->lock);
}

void lkd_release_reset(struct lkd_release *release)
{
    pthread_mutex_lock(&release->lock);
    release->granted = release->done = 0;
    release->ended = false;
    pthread_mutex_unlock(&release->lock);
}

bool lkd_release_grant(struct lkd_release *release, uint64_t n, int64_t patience_ns)
{
    struct timespec until = lkd_time_in(patience_ns);
    bool done;

    pthread_mutex_lock(&release->lock);
    release->granted += n;
    pthread_cond_signal(&release->granting);
    while (release->done < release->granted && !release->ended &&
           pthread_cond_timedwait(&release->doing, &release->lock, &until) != ETIMEDOUT)
        ;
    done = release->done >= release->granted;
    pthread_mutex_unlock(&release->lock);
    return done;
}

bool lkd_release_await(struct lkd_release *release, int64_t patience_ns)
{
    struct timespec until = lkd_time_in(patience_ns);
    bool granted;

    pthread_mutex_lock(&release->lock);
    while (release->done >= release->granted &&
           pthread_cond_timedwait(&release->granting, &release->lock, &until) != ETIMEDOUT)
        ;
    granted = release->done < release->granted;
    pthread_mutex_unlock(&release->lock);
    return granted;
}

void lkd_nap(int64_t duration_ns)
{
    const struct timespec nap = {duration_ns / 1000000000, duration_ns % 1000000000};

    nanosleep(&nap, NULL);
}

void lkd_release_count(struct lkd_release *release)
{
    pthread_mutex_lock(&release->lock);
    release->done++;
    if (release->done >= release->granted)
        pthread_cond_signal(&release->doing);
    pthread_mutex_unlock(&release->lock);
}

void lkd_release_end(struct lkd_release *release)
{
    pthread_mutex_lock(&release->lock);
    release->ended = true;
    pthread_cond_broadcast(&release->doing);
    pthread_mutex_unlock(&release->lock);
}
