/* SPDX-License-Identifier: Apache-2.0 */
/* What is new in a status, in words. */
#include "gateway.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* what is no normal run; the rest of the flags is said by the status */
#define SAID_FLAGS                                                                                 \
    (LINKAGE__V1__FLAG__FLAG_STALE | LINKAGE__V1__FLAG__FLAG_TRIPPED |                             \
     LINKAGE__V1__FLAG__FLAG_INJECTED | LINKAGE__V1__FLAG__FLAG_LOST)

#define OVERRUNS_NS UINT64_C(10000000000)

void gate_events_lost(struct gate_hub *hub, struct gate_seen *seen, const char *why)
{
    if (!seen->lost)
        gate_hub_say(hub, GATE_ERROR, "line", "%s", why);
    seen->lost = true;
}

static void find_line(struct gate_hub *hub, struct gate_seen *seen,
                      const Linkage__V1__Status *status)
{
    if (seen->known && seen->daemon_id != status->daemon_id)
        gate_hub_say(hub, GATE_WARNING, "line", "another start of the daemon answers");
    else if (seen->lost || !seen->known)
        gate_hub_say(hub, GATE_INFO, "line", "the daemon answers, version %s, role %s",
                     status->version, lk_names_role(status->role));
    if (seen->model_id != status->model_id && status->model_id != 0)
        gate_hub_say(hub, GATE_INFO, "model", "model '%s' is loaded", status->model);
}

static void find_state(struct gate_hub *hub, const struct gate_seen *seen,
                       const Linkage__V1__Status *status)
{
    if (!seen->known || seen->state == status->state)
        return;
    if (status->state == LINKAGE__V1__STATE__STATE_FAULT)
        gate_hub_say(hub, GATE_ERROR, "fault", "FAULT at step %" PRIu64 ": %s", status->step,
                     status->fault);
    else
        gate_hub_say(hub, GATE_INFO, "state", "%s at step %" PRIu64,
                     lk_client_state_name(status->state), status->step);
    if (status->state == LINKAGE__V1__STATE__STATE_RUNNING)
        for (size_t i = 0; i < status->n_degraded; i++)
            gate_hub_say(hub, GATE_WARNING, "degraded", "%s", status->degraded[i]);
    if (seen->state == LINKAGE__V1__STATE__STATE_ARMING && status->proof != NULL)
        gate_hub_say(hub, status->proof->valid ? GATE_INFO : GATE_WARNING, "proof", "%s",
                     status->proof->text);
}

/* at once, then every ten seconds */
static void find_overruns(struct gate_hub *hub, struct gate_seen *seen,
                          const Linkage__V1__Status *status)
{
    uint64_t now_ns = gate_now_ns();

    if (status->overruns < seen->overruns)
        seen->overruns = 0; /* another run */
    if (status->overruns == seen->overruns || now_ns < seen->overruns_ns + OVERRUNS_NS)
        return;
    gate_hub_say(hub, GATE_WARNING, "deadline",
                 "%" PRIu64 " missed deadlines, %" PRIu64 " since the start",
                 status->overruns - seen->overruns, status->overruns);
    seen->overruns = status->overruns;
    seen->overruns_ns = now_ns;
}

static void find_counts(struct gate_hub *hub, struct gate_seen *seen,
                        const Linkage__V1__Status *status)
{
    uint32_t raised = status->flags & ~seen->flags & SAID_FLAGS;
    char words[LK_NAMES_FLAGS_SIZE];

    if (raised != 0)
        gate_hub_say(hub, GATE_WARNING, "flags", "inputs: %s", lk_names_flags(raised, words));
    if (status->trips > seen->trips)
        gate_hub_say(hub, GATE_WARNING, "trip",
                     "trips of inputs by the policy: %" PRIu64 ", %" PRIu64 " since the start",
                     status->trips - seen->trips, status->trips);
    find_overruns(hub, seen, status);
}

static void find_recording(struct gate_hub *hub, struct gate_seen *seen,
                           const Linkage__V1__Recording *recording)
{
    bool active = recording != NULL && recording->active;

    if (active && !seen->recording)
        gate_hub_say(hub, GATE_INFO, "recording", "recording into %s", recording->file);
    else if (!active && seen->recording && recording != NULL)
        gate_hub_say(hub, *recording->trouble != '\0' ? GATE_WARNING : GATE_INFO, "recording",
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
