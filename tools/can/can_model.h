/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of the channels of a model file. They are equal to those described by a daemon that has
 * loaded the file.
 * Thread: any.  RT: no. */
#ifndef TOOLS_CAN_CAN_MODEL_H
#define TOOLS_CAN_CAN_MODEL_H

#include "can_plan.h"

/** can_model_read() - Read the channels of a model file.
 * @ret_channels: {0} before the call; call can_channels_fini() in any case
 * @ret_title:    name of the model
 * Return: 0, LK_E_TEXT or another LK_E code, negative errno; @ret_error gives the reason. */
int can_model_read(const char *path, struct can_channels *ret_channels,
                   char ret_title[DBC_NAME_SIZE], struct lk_error *ret_error);

#endif
