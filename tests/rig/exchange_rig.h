/* SPDX-License-Identifier: Apache-2.0 */
/* A cycle of a model file, not running, and the daemon's exchange beside it, with the test at the
 * other ends of the channels to the line process. Any failure ends the test. */
#ifndef TESTS_RIG_EXCHANGE_RIG_H
#define TESTS_RIG_EXCHANGE_RIG_H

#include "exchange.h"

/** struct exchange_rig - a cycle and its exchange.
 * @inputs, @outputs: the test's ends of the channels, to send and receive samples; @inputs_fd,
 *                    @outputs_fd: descriptors of the daemon's end and the test's end */
struct exchange_rig {
    struct lk_system *system;
    struct lkd_cycle *cycle;
    struct lkd_inputs table;
    struct lkd_exchange *exchange;
    int inputs_fd[2];
    int outputs_fd[2];
    struct lkd_port inputs_port;
    struct lkd_port outputs_port;
    struct lkd_port inputs;
    struct lkd_port outputs;
};

/** exchange_rig_open() - Make a cycle and its exchange. @path, @step_s, @settings: as for
 * rig_cycle_new(). The exchange is attached to the cycle, whose time begins now. @newest_only: see
 * struct lkd_exchange_options */
void exchange_rig_open(struct exchange_rig *rig, const char *path, double step_s,
                       const struct lkd_settings *settings, bool newest_only);
/** exchange_rig_close() - Release the cycle and the exchange, which must be detached. */
void exchange_rig_close(struct exchange_rig *rig);

#endif
