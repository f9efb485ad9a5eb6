/* SPDX-License-Identifier: Apache-2.0 */
/* Motion platform of the section `cueing`. The exchange thread passes the records of the cycle
 * through the washout and the guard of the platform (core/cueing) to the datagrams (motion.h). The
 * cycle does not wait for any of this.
 *
 *     records --> sensor --+
 *     orders  --> ride  ---+--> lk_ride_step() --> pose, actuators, state --> datagrams
 *     reports --> ready ---+
 *
 * The platform has its own step. During a real-time run it is stepped on the grid of the cycle,
 * otherwise on the clock of the exchange thread. It moves in real time and never makes up for steps
 * that a stopped thread has missed. If no step of the run arrives for longer than @silent_ns, for
 * example because the daemon was suspended, the platform may have parked by itself. Then the
 * platform is brought to rest and waits for an order.
 *
 * The exchange's lock guards this state. */
#ifndef LKD_IO_CUEING_H
#define LKD_IO_CUEING_H

#include "cueing/cueing_read.h"
#include "cycle.h"
#include <netinet/in.h>

#define LKD_CUEING_REPORT_SIZE 12
#define LKD_CUEING_REPORT_NS   INT64_C(500000000) /* older reports are ignored */
#define LKD_CUEING_GAP_NS      INT64_C(20000000)  /* longest gap that is stepped at once */

/** struct lkd_cueing_config - section `cueing`.
 * @present:   the configuration has this section
 * @hears:     the platform sends reports to the address @report
 * @silent_ns: longest time without a step of the run, after which the ride ends
 * @recorded:  recordings are possible */
struct lkd_cueing_config {
    bool present;
    struct lk_cueing_names names;
    struct lk_ride_config ride;
    bool hears;
    struct sockaddr_in report;
    int64_t silent_ns;
    bool recorded;
};

/** struct lkd_cueing - state of the platform.
 * @fd:                socket of the reports, or -1
 * @queue:             queue of steps to a recording, see ride_numbers.h, or NULL
 * @n_steps:           steps so far
 * @sensor_at, @gain_at: indices of the outputs that provide the sensor and the gains. -1: the model
 *                     lacks the output, or the configured gain is used
 * @sensor:            sensor values in the last record
 * @realtime:          the attached run is in real time
 * @runs:              the cycle of the run steps
 * @seen_ns:           time of the last record of the run
 * @until_ns:          time up to which the platform has been stepped
 * @heard:             a recent report exists
 * @ready, @report_ns: contents and time of the last report
 * @told:              last logged state */
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

/** lkd_cueing_init() - Open the socket for reports and set the platform to PARKED.
 * @config: owned by the caller.
 * Return: 0, negative errno (already logged). */
int lkd_cueing_init(struct lkd_cueing *cueing, const struct lkd_cueing_config *config);
void lkd_cueing_fini(struct lkd_cueing *cueing);

/** lkd_cueing_sensor() - Return the index of the sensor @config->sensor among the outputs; -1:
 * none. */
int lkd_cueing_sensor(const struct lkd_cueing_config *config, const struct lk_channel *channels,
                      int n);

/** lkd_cueing_gain() - Return the index of the output that sets gain @index; -1: the configured
 * gain is used. If the model lacks the output, its name is returned in @ret_missing. */
int lkd_cueing_gain(const struct lkd_cueing_config *config, int index,
                    const struct lk_channel *channels, int n, const char **ret_missing);

/** lkd_cueing_load() - Find the sensor and the gains in a newly loaded model. */
void lkd_cueing_load(struct lkd_cueing *cueing, const struct lk_channel *channels, int n);
/** lkd_cueing_begin() - Begin an attached run.
 * lkd_cueing_halt() - Report that the run is paused or has ended. */
void lkd_cueing_begin(struct lkd_cueing *cueing, bool realtime);
void lkd_cueing_halt(struct lkd_cueing *cueing);

/** lkd_cueing_record() - Step the platform to the grid point of a record of the cycle. */
void lkd_cueing_record(struct lkd_cueing *cueing, const struct lkd_output *output, int64_t now_ns);
/** lkd_cueing_tick() - Read reports of the platform, and step it unless records of a run do so.
 * Call about every 10 ms. */
void lkd_cueing_tick(struct lkd_cueing *cueing, int64_t now_ns);

/** lkd_cueing_drives() - Return true if the platform moves without records; then datagrams are sent
 * at every tick. */
bool lkd_cueing_drives(const struct lkd_cueing *cueing);

/** lkd_cueing_order() - Execute @order. Return: LK_RIDE_NO_CAUSE, or the reason for a refusal. */
enum lk_ride_cause lkd_cueing_order(struct lkd_cueing *cueing, enum lkd_platform_order order);

#endif
