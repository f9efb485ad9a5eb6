/* SPDX-License-Identifier: Apache-2.0 */
/* A progress bar for long runs. It is not drawn for short runs, or if the output is no terminal. */
#include "commands.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define FIRST_S 1.0
#define AGAIN_S 0.1
#define WIDTH   40

static bool is_drawn; /* on the last line of the terminal */

double now_s(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

void progress_start(struct progress *progress)
{
    *progress = (struct progress){.terminal = isatty(STDERR_FILENO) == 1, .start_s = now_s()};
}

void progress_show(struct progress *progress, double now, double fraction)
{
    static const char bar[] = "########################################";
    int done = (int)(fraction * WIDTH);
    double left;

    if (!progress->terminal || now - progress->start_s < FIRST_S ||
        now - progress->shown_s < AGAIN_S)
        return;
    left = fraction > 0 ? (now - progress->start_s) * (1 - fraction) / fraction : 0;
    fprintf(stderr, "\r[%-*.*s] %3.0f %%  %.0f s left \033[K", WIDTH, done, bar, 100 * fraction,
            left);
    progress->shown_s = now;
    is_drawn = true;
}

void progress_hide(void)
{
    if (is_drawn)
        fputs("\r\033[K", stderr);
    is_drawn = false;
}
