/* SPDX-License-Identifier: Apache-2.0 */
#include "service.h"

#include "linkage/stacks.h"
#include "message.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

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

void service_tell(const char *reason)
{
    static char told[512];

    if (strncmp(reason, told, sizeof(told) - 1) == 0)
        return;
    if (reason[0] != '\0')
        complain("%s", reason);
    snprintf(told, sizeof(told), "%s", reason);
}
