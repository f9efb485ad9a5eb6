/* SPDX-License-Identifier: Apache-2.0 */
/* Plausibility of control messages that have been decoded. Internal to wire.c: its callers never
 * see a message that has not passed. */
#ifndef LK_WIRE_CHECK_H
#define LK_WIRE_CHECK_H

#include "linkage.pb-c.h"
#include <stdbool.h>
#include <stddef.h>

/** lk_wire_all_finite() - neither NaN nor infinite, all @n of them. */
bool lk_wire_all_finite(const double *values, size_t n);

/** lk_wire_name_fits() - at most LK_WIRE_NAME_MAX bytes. */
bool lk_wire_name_fits(const char *name);

/** lk_wire_check_request(), lk_wire_check_reply() - see lk_wire_decode_request() and _reply().
 * Return: 0, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE. */
int lk_wire_check_request(const Linkage__V1__ControlRequest *request);
int lk_wire_check_reply(const Linkage__V1__ControlReply *reply);

/** lk_wire_check_output() - values and time of an OutputSample.
 * Return: 0, LK_WIRE_E_NOT_FINITE. */
int lk_wire_check_output(const Linkage__V1__OutputSample *sample);

#endif
