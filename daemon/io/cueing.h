/* SPDX-License-Identifier: Apache-2.0 */
/* The platform of the section `cueing`: from the records of the cycle, seen by the exchange thread,
 * through the washout and the guard (core/cueing) to the datagrams (motion.h). Nothing of it is in
 * the cycle's way.
 *
 *     records --> sensor --+
 *     orders  --> ride  ---+--> lk_ride_step() --> pose, actuators, state --> datagrams
 *     reports --> ready ---+
 *
 * The platform has a step of its own. While a run in real time steps, it follows the grid of the
 * cycle, else the clock of the exchange thread: it moves as fast as real time, and never catches up
 * what a thread that stood still has missed. Between two steps of the run at most @silent_ns pass,
 * on the clock of whoever was to pass them on: after more, also of a daemon that was suspended, the
 * platform may have parked by itself, so that the ride holds, settles, and waits for an order.
 *
 * The exchange's lock guards it. */
#ifndef LKD_IO_CUEING_H
#define LKD_IO_CUEING_H

#include "cueing/ride.h"
#include "cycle.h"
#include <netinet/in.h>

#define LKD_CUEING_REPORT_SIZE 12
#define LKD_CUEING_REPORT_NS   INT64_C(500000000) /* older reports count as none */
#define LKD_CUEING_GAP_NS      INT64_C(20000000)  /* of time that is caught up at most */

/** struct lkd_cueing_config - section `cueing`. @present: there is one
 * @gain: outputs that give the gains, "": as configured
 * @hears: @report is where the platform's reports arrive
 * @silent_ns: without a step for longer, the ride ends;  @recorded: there may be recordings */
struct lkd_cueing_config {
    bool present;
    char sensor[LK_NAME_SIZE];
    char gain[LK_WASHOUT_VALUES][LK_NAME_SIZE];
    struct lk_ride_config ride;
    bool hears;
    struct sockaddr_in report;
    int64_t silent_ns;
    bool recorded;
};

/** struct lkd_cueing - @fd: of the reports, or -1
 * @queue: of steps to a recording, see ride_numbers.h, or NULL;  @n_steps: so far
 * @sensor_at, @gain_at: places among the outputs, -1: the model lacks it, or the gain is as
 *               configured;  @sensor: of the last record
 * @realtime: the attached run is;  @runs: its cycle steps;  @seen_ns: last record that said so
 * @until_ns: to where the ride has been stepped
 * @heard: there was a report lately;  @ready, @report_ns: from the last one
 * @told: state that the log has */
struct lkd_cueing {
    const struct lkd_cueing_config *config;
    struct lk_ride ride;
    int fd;
    struct lkd_spsc *queue;
    uint64_t n_steps;
    int sensor_at;
    int gain_at[LK_WASHOUT_VALUES];
    double sensor[6];
    bool realtime;
    bool runs;
    int64_t seen_ns;
    int64_t until_ns;
    bool heard;
    bool ready;
    int64_t report_ns;
    enum lk_ride_state told;
};

/** enum lkd_platform_order - see PlatformRequest in linkage.proto. */
enum lkd_platform_order {
    LKD_PLATFORM_SHOW,
    LKD_PLATFORM_ENGAGE,
    LKD_PLATFORM_PARK,
    LKD_PLATFORM_EMERGENCY,
    LKD_PLATFORM_RELEASE,
};

/** lkd_cueing_init() - the socket for reports; the platform is PARKED.
 * @config: stays the caller's. Return: 0, negative errno (already logged). */
int lkd_cueing_init(struct lkd_cueing *cueing, const struct lkd_cueing_config *config);
void lkd_cueing_fini(struct lkd_cueing *cueing);

/** lkd_cueing_sensor() - place of the sensor that @config names among the outputs; -1: none. */
int lkd_cueing_sensor(const struct lkd_cueing_config *config, const struct lk_channel *channels,
                      int n);

/** lkd_cueing_gain() - place of the output that gives gain @index; -1: as configured, or, with
 * @ret_missing, its name: the model lacks it. */
int lkd_cueing_gain(const struct lkd_cueing_config *config, int index,
                    const struct lk_channel *channels, int n, const char **ret_missing);

/** lkd_cueing_load() - another model: find the sensor and the gains. */
void lkd_cueing_load(struct lkd_cueing *cueing, const struct lk_channel *channels, int n);
/** lkd_cueing_begin() - a run is attached;  lkd_cueing_halt() - it stands still or has ended. */
void lkd_cueing_begin(struct lkd_cueing *cueing, bool realtime);
void lkd_cueing_halt(struct lkd_cueing *cueing);

/** lkd_cueing_record() - the cycle has left a record: step to its grid point. */
void lkd_cueing_record(struct lkd_cueing *cueing, const struct lkd_output *output, int64_t now_ns);
/** lkd_cueing_tick() - about every 10 ms: hear the platform, step where no record does it. */
void lkd_cueing_tick(struct lkd_cueing *cueing, int64_t now_ns);

/** lkd_cueing_drives() - whether it moves without records: datagrams leave at every tick. */
bool lkd_cueing_drives(const struct lkd_cueing *cueing);

/** lkd_cueing_order() - carry out @order. Return: LK_RIDE_NO_CAUSE, or why not. */
enum lk_ride_cause lkd_cueing_order(struct lkd_cueing *cueing, enum lkd_platform_order order);

#endif
