/* SPDX-License-Identifier: Apache-2.0 */
/* The DBC file of a model: every output and input as a float, for the analysis of the bus with
 * other tools, or as the start of a database. Thread: any. RT: no. */
#ifndef TOOLS_CAN_DBC_WRITE_H
#define TOOLS_CAN_DBC_WRITE_H

#include "can_plan.h"

#include <stdio.h>

#define DBC_WRITE_NODE "linkaged" /* that sends the outputs, and receives the inputs */

/** dbc_write() - messages of 8 bytes, or of 64 of CAN FD, every 10 ms or every step if that is
 * longer. @title: of the model
 * Return: 0, -E2BIG: more messages than the reader accepts; check @to for write errors. */
int dbc_write(const struct can_channels *channels, const char *title, bool is_fd, FILE *to);

#endif
