/* SPDX-License-Identifier: Apache-2.0 */
/* Trace of the last cycles, for ui.perfetto.dev and chrome://tracing. It uses the Trace Event
 * Format, with one complete event ("ph": "X") for each phase of a cycle and for each activity of
 * the exchange thread. Control thread only; tracing does not disturb the traced threads. */
#ifndef LKD_CTL_TRACE_H
#define LKD_CTL_TRACE_H

#include "exchange.h"
#include <stdio.h>

#define LKD_TRACE_CYCLES_MAX 4000 /* with this limit the text fits into a reply */

/** lkd_trace_write() - Write a trace as a complete JSON document. @cycles: number of cycles to
 * include, counted back from the newest, at most LKD_TRACE_CYCLES_MAX; 0: the maximum */
void lkd_trace_write(FILE *file, const struct lkd_cycle *cycle, const struct lkd_exchange *exchange,
                     uint64_t cycles);

#endif
