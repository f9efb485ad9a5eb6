/* SPDX-License-Identifier: Apache-2.0 */
#include "peer.h"
#include <stdio.h>
#include <string.h>

static const struct {
    const char *word;
    Linkage__V1__Role role;
} roles[] = {
    {"read/", LINKAGE__V1__ROLE__ROLE_READ},
    {"bench/", LINKAGE__V1__ROLE__ROLE_BENCH},
    {"control/", LINKAGE__V1__ROLE__ROLE_CONTROL},
};

#define N_ROLES (sizeof(roles) / sizeof(roles[0]))

static bool keys_expected;

void lkd_peer_expect_keys(bool expected)
{
    keys_expected = expected;
}

void lkd_peer_of(zmq_msg_t *message, struct lkd_peer *ret_peer)
{
    const char *id;

    *ret_peer = (struct lkd_peer){.role = LINKAGE__V1__ROLE__ROLE_CONTROL};
    /* without keys the property could only come from the client itself */
    if (!keys_expected)
        return;
    ret_peer->role = LINKAGE__V1__ROLE__ROLE_UNSPECIFIED;
    id = zmq_msg_gets(message, "User-Id");
    for (size_t i = 0; id && i < N_ROLES; i++) {
        size_t n = strlen(roles[i].word);

        if (strncmp(id, roles[i].word, n) != 0)
            continue;
        ret_peer->role = roles[i].role;
        snprintf(ret_peer->name, sizeof(ret_peer->name), "%s", id + n);
    }
}

void lkd_peer_user_id(const struct lkd_peer *peer, char *ret, size_t size)
{
    *ret = '\0';
    for (size_t i = 0; i < N_ROLES; i++)
        if (roles[i].role == peer->role)
            snprintf(ret, size, "%s%s", roles[i].word, peer->name);
}
