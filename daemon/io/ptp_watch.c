/* SPDX-License-Identifier: Apache-2.0 */
#include "ptp_watch.h"
#include "log.h"
#include <errno.h>
#include <string.h>

#define ASK_NS INT64_C(1000000000)
/* Age from which on the last answer is invalid. */
#define SILENT_NS (3 * ASK_NS)

void lkd_ptp_watch_init(struct lkd_ptp_watch *watch, const struct lkd_ptp_config *config)
{
    *watch = (struct lkd_ptp_watch){.config = config, .client = {.fd = -1}};
}

void lkd_ptp_watch_fini(struct lkd_ptp_watch *watch)
{
    lk_ptp_close(&watch->client);
}

/* Send a query to the PTP daemon; open the socket first if necessary.
 * Return: 0, negative errno. */
static int ask(struct lkd_ptp_watch *watch)
{
    int r = 0;

    if (watch->client.fd < 0)
        r = lk_ptp_open(&watch->client, watch->config->socket, watch->config->domain);
    if (r)
        return r;
    watch->hearing = (struct lk_ptp){.timed = false};
    r = lk_ptp_ask(&watch->client);
    if (r && r != -EAGAIN)
        lk_ptp_close(&watch->client);
    return r;
}

static bool is_silent(const struct lkd_ptp_watch *watch, int64_t now_ns)
{
    return watch->heard_ns == 0 || now_ns - watch->heard_ns > SILENT_NS;
}

static const char *reason(const struct lkd_ptp_watch *watch)
{
    return watch->error ? strerror(-watch->error) : "no answer";
}

/* Log the first state, a missing answer, and each change of state. */
static void tell(struct lkd_ptp_watch *watch, int64_t now_ns)
{
    bool silent = is_silent(watch, now_ns);
    enum lk_ptp_state state = silent ? LK_PTP_UNKNOWN : watch->last.state;

    if (watch->is_told ? state == watch->told : silent && !watch->error)
        return;
    if (silent)
        lkd_log(LKD_C_PTP_STATE, "PTP: %s does not say how the clock is: %s", watch->config->socket,
                reason(watch));
    else if (watch->last.following)
        lkd_log(LKD_C_PTP_STATE, "PTP: %s, %lld ns from its master", lk_ptp_state_name(state),
                (long long)watch->last.offset_ns);
    else
        lkd_log(LKD_C_PTP_STATE, "PTP: %s", lk_ptp_state_name(state));
    watch->told = state;
    watch->is_told = true;
}

void lkd_ptp_watch_follow(struct lkd_ptp_watch *watch, int64_t now_ns)
{
    if (*watch->config->socket == '\0')
        return;
    if (watch->client.fd >= 0 && lk_ptp_hear(&watch->client, &watch->hearing) > 0) {
        watch->last = watch->hearing;
        watch->heard_ns = now_ns;
    }
    if (now_ns < watch->ask_ns)
        return;
    tell(watch, now_ns);
    watch->ask_ns = now_ns + ASK_NS;
    watch->error = ask(watch);
}

int lkd_ptp_watch_fill(const struct lkd_ptp_watch *watch, int64_t now_ns,
                       struct lk_wire_arena *arena, Linkage__V1__Ptp **ret_ptp)
{
    Linkage__V1__Ptp *ptp;
    char *name;

    *ret_ptp = NULL;
    if (*watch->config->socket == '\0')
        return 0;
    ptp = lk_wire_arena_take(arena, sizeof(*ptp));
    name = lk_wire_arena_take(arena, LK_PTP_CLOCK_SIZE);
    if (!ptp || !name)
        return -ENOMEM;
    linkage__v1__ptp__init(ptp);
    if (is_silent(watch, now_ns)) {
        ptp->state = (char *)lk_ptp_state_name(LK_PTP_UNKNOWN);
        ptp->trouble = (char *)reason(watch);
    } else {
        ptp->state = (char *)lk_ptp_state_name(watch->last.state);
        ptp->following = watch->last.following;
        ptp->offset_ns = watch->last.offset_ns;
        ptp->age_ns = (uint64_t)(now_ns - watch->heard_ns);
        if (watch->last.timed) {
            lk_ptp_clock_name(watch->last.grandmaster, name);
            ptp->grandmaster = name;
        }
    }
    *ret_ptp = ptp;
    return 0;
}
