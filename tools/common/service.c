/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include "linkage/stacks.h"
#include "message.h"

#include <signal.h>

static volatile sig_atomic_t has_ended;

static void on_signal(int number)
{
    (void)number;
    has_ended = 1;
}

bool service_begin(void)
{
    struct lk_error error;

    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    if (lk_stacks_prepare(&error) == 0)
        return true;
    complain("%s", error.text);
    return false;
}

bool service_ends(void)
{
    return has_ended != 0;
}
