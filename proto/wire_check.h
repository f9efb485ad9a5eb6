/* SPDX-License-Identifier: Apache-2.0 */
/* Plausibility checks of decoded messages. Private to wire.c, which returns only messages that have
 * passed these checks. */
#ifndef LK_WIRE_CHECK_H
#define LK_WIRE_CHECK_H

#include "linkage.pb-c.h"
#include <stdbool.h>
#include <stddef.h>

/** lk_wire_all_finite() - Return true if all @n values are finite. */
bool lk_wire_all_finite(const double *values, size_t n);

/** lk_wire_name_fits() - Return true if @name has at most LK_WIRE_NAME_MAX bytes. */
bool lk_wire_name_fits(const char *name);

/** lk_wire_check_request(), lk_wire_check_reply() - Perform the checks that
 * lk_wire_decode_request() and lk_wire_decode_reply() document.
 * Return: 0, LK_WIRE_E_MALFORMED, LK_WIRE_E_NOT_FINITE. */
int lk_wire_check_request(const Linkage__V1__ControlRequest *request);
int lk_wire_check_reply(const Linkage__V1__ControlReply *reply);

/** lk_wire_check_output() - Check that values and time of an OutputSample are finite.
 * Return: 0, LK_WIRE_E_NOT_FINITE. */
int lk_wire_check_output(const Linkage__V1__OutputSample *sample);

#endif
