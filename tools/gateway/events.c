/* SPDX-License-Identifier: Apache-2.0 */
/* Reports changes between successive status replies of the daemon as text. */
#include "gateway.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define OVERRUNS_NS UINT64_C(10000000000)

void gate_events_lost(struct gate_hub *hub, struct gate_seen *seen, const char *why)
{
    if (!seen->lost)
        gate_hub_say(hub, GATE_ERROR, "line", NULL, "%s", why);
    seen->lost = true;
}

static void find_line(struct gate_hub *hub, struct gate_seen *seen,
                      const Linkage__V1__Status *status)
{
    if (seen->known && seen->daemon_id != status->daemon_id)
        gate_hub_say(hub, GATE_WARNING, "line", NULL, "another start of the daemon answers");
    else if (seen->lost || !seen->known)
        gate_hub_say(hub, GATE_INFO, "line", NULL, "the daemon answers, version %s, role %s",
                     status->version, lk_names_role(status->role));
    if (seen->model_id != status->model_id && status->model_id != 0)
        gate_hub_say(hub, GATE_INFO, "model", "LK-2001", "model '%s' is loaded", status->model);
}

static void find_state(struct gate_hub *hub, const struct gate_seen *seen,
                       const Linkage__V1__Status *status)
{
    if (!seen->known || seen->state == status->state)
        return;
    if (status->state == LINKAGE__V1__STATE__STATE_FAULT)
        gate_hub_say(hub, GATE_ERROR, "fault", "LK-2004", "FAULT at step %" PRIu64 ": %s",
                     status->step, status->fault);
    else
        gate_hub_say(hub, GATE_INFO, "state", "LK-2003", "%s at step %" PRIu64,
                     lk_client_state_name(status->state), status->step);
    if (status->state == LINKAGE__V1__STATE__STATE_RUNNING)
        for (size_t i = 0; i < status->n_degraded; i++)
            gate_hub_say(hub, GATE_WARNING, "degraded", "LK-5005", "%s", status->degraded[i]);
    if (seen->state == LINKAGE__V1__STATE__STATE_ARMING && status->proof != NULL)
        gate_hub_say(hub, status->proof->valid ? GATE_INFO : GATE_WARNING, "proof",
                     status->proof->valid ? "LK-5006" : "LK-5007", "%s", status->proof->text);
}

/* Report missed deadlines: the first ones at once, further ones every ten seconds. */
static void find_overruns(struct gate_hub *hub, struct gate_seen *seen,
                          const Linkage__V1__Status *status)
{
    uint64_t now_ns = gate_clock_ns();

    if (status->overruns < seen->overruns)
        seen->overruns = 0; /* another run has begun */
    if (status->overruns == seen->overruns ||
        (seen->overruns_ns > 0 && now_ns < seen->overruns_ns + OVERRUNS_NS))
        return;
    gate_hub_say(hub, GATE_WARNING, "deadline", NULL,
                 "%" PRIu64 " missed deadline%s, %" PRIu64 " since the start",
                 status->overruns - seen->overruns,
                 status->overruns - seen->overruns == 1 ? "" : "s", status->overruns);
    seen->overruns = status->overruns;
    seen->overruns_ns = now_ns;
}

/* Report flags of inputs that were not set in the previous status. */
static void find_flags(struct gate_hub *hub, const struct gate_seen *seen,
                       const Linkage__V1__Status *status)
{
    static const struct {
        uint32_t flag;
        const char *id;
        const char *text;
    } said[] = {
        {LINKAGE__V1__FLAG__FLAG_STALE, NULL, "an input is stale"},
        {LINKAGE__V1__FLAG__FLAG_TRIPPED, "LK-3008", "the policy holds, zeroes or ramps an input"},
        {LINKAGE__V1__FLAG__FLAG_INJECTED, "LK-3010", "faults are injected"},
        {LINKAGE__V1__FLAG__FLAG_LOST, "LK-3006", "a bench that owns inputs is silent"},
    };

    for (size_t i = 0; i < sizeof(said) / sizeof(*said); i++)
        if (status->flags & ~seen->flags & said[i].flag)
            gate_hub_say(hub, GATE_WARNING, "inputs", said[i].id, "%s", said[i].text);
}

static void find_counts(struct gate_hub *hub, struct gate_seen *seen,
                        const Linkage__V1__Status *status)
{
    find_flags(hub, seen, status);
    if (status->trips > seen->trips)
        gate_hub_say(hub, GATE_WARNING, "trip", "LK-3008",
                     "trips of inputs by the policy: %" PRIu64 ", %" PRIu64 " since the start",
                     status->trips - seen->trips, status->trips);
    find_overruns(hub, seen, status);
}

static void find_recording(struct gate_hub *hub, struct gate_seen *seen,
                           const Linkage__V1__Recording *recording)
{
    bool active = recording != NULL && recording->active;

    if (active && !seen->recording)
        gate_hub_say(hub, GATE_INFO, "recording", "LK-7001", "recording into %s", recording->file);
    else if (!active && seen->recording && recording != NULL)
        gate_hub_say(hub, *recording->trouble != '\0' ? GATE_WARNING : GATE_INFO, "recording",
                     *recording->trouble != '\0' ? "LK-7003" : "LK-7002",
                     "recorded %" PRIu64 " cycles into %s%s%s", recording->cycles, recording->file,
                     *recording->trouble != '\0' ? ": " : "", recording->trouble);
    seen->recording = active;
}

void gate_events_find(struct gate_hub *hub, struct gate_seen *seen,
                      const Linkage__V1__Status *status)
{
    find_line(hub, seen, status);
    if (seen->daemon_id == status->daemon_id)
        find_state(hub, seen, status);
    find_counts(hub, seen, status);
    find_recording(hub, seen, status->recording);
    seen->known = true;
    seen->lost = false;
    seen->daemon_id = status->daemon_id;
    seen->model_id = status->model_id;
    seen->state = status->state;
    seen->flags = status->flags;
    seen->trips = status->trips;
}
