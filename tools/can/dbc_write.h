/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the DBC file of a model. Every output and input is a float. The file can be used to
 * analyse the bus with other tools, or as the first version of a database.
 * Thread: any.  RT: no. */
#ifndef TOOLS_CAN_DBC_WRITE_H
#define TOOLS_CAN_DBC_WRITE_H

#include "can_plan.h"

#include <stdio.h>

#define DBC_WRITE_NODE "linkaged" /* node that sends the outputs and receives the inputs */

/** dbc_write() - Write messages of 8 bytes, or of 64 bytes for CAN FD. Their cycle time is 10 ms,
 * or the step if the step is longer.
 * @title: name of the model
 * Return: 0, -E2BIG (more messages than the reader accepts). The caller checks @to for write
 * errors. */
int dbc_write(const struct can_channels *channels, const char *title, bool is_fd, FILE *to);

#endif
