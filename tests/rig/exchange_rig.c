/* SPDX-License-Identifier: Apache-2.0 */
#include "exchange_rig.h"
#include "cycle_rig.h"
#include "wire.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void open_channel(int fd[2], struct lkd_port *daemon, struct lkd_port *test)
{
    assert_int_equal(lkd_port_pair(fd), 0);
    assert_int_equal(lkd_port_init(daemon, fd[0], LK_WIRE_SAMPLE_MAX), 0);
    assert_int_equal(lkd_port_init(test, fd[1], LK_WIRE_SAMPLE_MAX), 0);
}

static void close_channel(int fd[2], struct lkd_port *daemon, struct lkd_port *test)
{
    lkd_port_fini(daemon);
    lkd_port_fini(test);
    close(fd[0]);
    close(fd[1]);
}

void exchange_rig_open(struct exchange_rig *rig, const char *path, double step_s,
                       const struct lkd_settings *settings, bool newest_only)
{
    memset(rig, 0, sizeof(*rig));
    rig->cycle = rig_cycle_new(path, step_s, settings, &rig->system);
    open_channel(rig->inputs_fd, &rig->inputs_port, &rig->inputs);
    open_channel(rig->outputs_fd, &rig->outputs_port, &rig->outputs);
    lkd_inputs_init(&rig->table);
    lkd_inputs_configure(&rig->table, true, LKD_LEASE_NS); /* no claims */
    assert_int_equal(lkd_inputs_attach(&rig->table, rig->cycle, 1), 0);
    assert_int_equal(lkd_exchange_start(
                         &(struct lkd_exchange_options){
                             .inputs = &rig->table,
                             .inputs_port = &rig->inputs_port,
                             .outputs_port = &rig->outputs_port,
                             .newest_only = newest_only,
                         },
                         &rig->exchange),
                     0);
    rig->cycle->t0_ns = lkd_clock_ns();
    lkd_exchange_attach(rig->exchange, rig->cycle, 1, false);
}

void exchange_rig_close(struct exchange_rig *rig)
{
    lkd_exchange_stop(rig->exchange);
    close_channel(rig->inputs_fd, &rig->inputs_port, &rig->inputs);
    close_channel(rig->outputs_fd, &rig->outputs_port, &rig->outputs);
    lkd_inputs_attach(&rig->table, NULL, 0);
    lkd_inputs_fini(&rig->table);
    rig_cycle_free(rig->cycle, rig->system);
}
