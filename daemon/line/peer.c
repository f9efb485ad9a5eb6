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

void lkd_peer_of(bool keyed, const char *user_id, struct lkd_peer *ret_peer)
{
    *ret_peer = (struct lkd_peer){.role = LINKAGE__V1__ROLE__ROLE_CONTROL};
    /* Without keys the client itself could set the property, so it is ignored. */
    if (!keyed)
        return;
    ret_peer->role = LINKAGE__V1__ROLE__ROLE_UNSPECIFIED;
    for (size_t i = 0; user_id && i < N_ROLES; i++) {
        size_t n = strlen(roles[i].word);

        if (strncmp(user_id, roles[i].word, n) != 0)
            continue;
        ret_peer->role = roles[i].role;
        snprintf(ret_peer->name, sizeof(ret_peer->name), "%s", user_id + n);
    }
}

void lkd_peer_user_id(const struct lkd_peer *peer, char *ret, size_t size)
{
    *ret = '\0';
    for (size_t i = 0; i < N_ROLES; i++)
        if (roles[i].role == peer->role)
            snprintf(ret, size, "%s%s", roles[i].word, peer->name);
}
