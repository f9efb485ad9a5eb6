/* SPDX-License-Identifier: Apache-2.0 */
/* Static tracepoints of provider `linkaged`, for perf and bpftrace: each is a single no-op until a
 * tracer attaches. If the build had no sys/sdt.h, tracepoints generate no code.
 *
 *     bpftrace -e 'usdt:/usr/bin/linkaged:linkaged:overrun { printf("%d %d\n", arg1, arg2); }'
 *
 *     cycle_begin  cycle, grid point [ns], first reading of the clock [ns]
 *     cycle_end    cycle, steps done, outputs computed [ns]
 *     overrun      cycle, steps done, lateness against the next grid point [ns] */
#ifndef LKD_RT_TRACEPOINTS_H
#define LKD_RT_TRACEPOINTS_H

#ifdef LKD_HAVE_SDT
#include <sys/sdt.h>
#define LKD_TRACEPOINT3(name, a, b, c) DTRACE_PROBE3(linkaged, name, a, b, c)
#else
#define LKD_TRACEPOINT3(name, a, b, c)                                                             \
    do {                                                                                           \
        (void)(a);                                                                                 \
        (void)(b);                                                                                 \
        (void)(c);                                                                                 \
    } while (0)
#endif

#endif
