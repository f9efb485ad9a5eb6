/* SPDX-License-Identifier: Apache-2.0 */
/* Names of the protocol's states and results, and the default endpoints. */
#include "client.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *lk_client_state_name(Linkage__V1__State state)
{
    return lk_wire_state_name(state);
}

const char *lk_client_result_name(Linkage__V1__Result result)
{
    return lk_names_result(result);
}

static int endpoint_behind(const char *control, int n, char ret_endpoint[LK_CLIENT_ENDPOINT_SIZE])
{
    const char *endpoint = control != NULL ? control : LK_CLIENT_CONTROL;
    const char *colon = strrchr(endpoint, ':');
    char *end;
    long port;

    if (strncmp(endpoint, "tcp://", 6) != 0 || colon < endpoint + 6)
        return LK_CLIENT_E_ENDPOINT;
    port = strtol(colon + 1, &end, 10);
    if (end == colon + 1 || *end != '\0' || port < 1 || port > 65533 ||
        strlen(endpoint) + 2 > LK_CLIENT_ENDPOINT_SIZE)
        return LK_CLIENT_E_ENDPOINT;
    snprintf(ret_endpoint, LK_CLIENT_ENDPOINT_SIZE, "%.*s:%ld", (int)(colon - endpoint), endpoint,
             port + n);
    return 0;
}

int lk_client_inputs_endpoint(const char *control, char ret_inputs[LK_CLIENT_ENDPOINT_SIZE])
{
    return endpoint_behind(control, 1, ret_inputs);
}

int lk_client_outputs_endpoint(const char *control, char ret_outputs[LK_CLIENT_ENDPOINT_SIZE])
{
    return endpoint_behind(control, 2, ret_outputs);
}
