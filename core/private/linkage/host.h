/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of the machine: conditions of a measurement, and requirements of real time.
 *
 * All functions read files below a root folder, "" for the machine itself; tests use folders of
 * their own. No function changes the machine. A property that cannot be read is empty, -1 or
 * unknown, never guessed. Any thread may call these functions; none of them is real-time safe. */
#ifndef LINKAGE_HOST_H
#define LINKAGE_HOST_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_HOST_TEXT 128

/** enum lk_host_known - a property that may be unknown. */
enum lk_host_known { LK_HOST_NO, LK_HOST_YES, LK_HOST_UNKNOWN };

/** struct lk_host - conditions of the machine.
 * @kernel:       name and version, such as "Linux 6.1.0-rt"
 * @kernel_major, @kernel_minor: version numbers of the kernel, -1 unknown
 * @processor:    model name;  @n_cpus: number of online cores, -1 unknown
 * @realtime:     whether the kernel is built with PREEMPT_RT
 * @virtual_machine: the machine runs on a hypervisor, which may stop any core at any time without a
 *                   trace
 * @isolated, @nohz_full: sets of cores; empty if no core is set or the kernel lacks the feature
 * @clocksource:  "tsc" and so on
 * @rt_runtime_us, @rt_period_us: limits of the real-time throttle; runtime -1: off, -2: unknown
 * @huge_pages:   "always", "madvise", "never", "" unknown
 * @swap_kib:     total size of the swap space, whether in use or not; -1 unknown */
struct lk_host {
    char kernel[LK_HOST_TEXT];
    int kernel_major;
    int kernel_minor;
    char processor[LK_HOST_TEXT];
    int n_cpus;
    enum lk_host_known realtime;
    enum lk_host_known virtual_machine;
    cpu_set_t isolated;
    cpu_set_t nohz_full;
    char clocksource[LK_HOST_TEXT];
    long rt_runtime_us;
    long rt_period_us;
    char huge_pages[32];
    long swap_kib;
};

/** lk_host_read() - read the conditions of the machine.
 * @root: "" for this machine, else a folder with proc/ and sys/ in it
 * Thread: any but the cycle.  RT: no. */
void lk_host_read(const char *root, struct lk_host *ret_host);

/** lk_host_governor() - return the frequency governor of core @cpu: such as "performance"; "" if
 * the kernel does not control frequencies (usual in virtual machines).  RT: no. */
void lk_host_governor(const char *root, int cpu, char *ret_text, size_t size);

/** lk_host_siblings() - return the hardware threads that share the core of @cpu, @cpu
 * included; empty if unknown.  RT: no. */
void lk_host_siblings(const char *root, int cpu, cpu_set_t *ret_cpus);

/** lk_host_has_flag() - return whether /proc/cpuinfo lists @flag ("constant_tsc") for the
 * first processor; false if it lists no flags.  RT: no. */
bool lk_host_has_flag(const char *root, const char *flag);

/** lk_host_read_text() - read the first line of the file @root/@path without its line feed.
 * Return: its length, or negative errno (then @ret_text is "").  RT: no. */
int lk_host_read_text(const char *root, const char *path, char *ret_text, size_t size);

/** lk_host_parse_cpus() - parse a list of cores as the kernel writes it, "1-3,8". The first
 * character that cannot be part of a list ends it. Return: number of cores. */
int lk_host_parse_cpus(const char *text, cpu_set_t *ret_cpus);

/** lk_host_format_cpus() - write a set of cores as the kernel does, "1-3,8"; "" for the empty
 * set. */
void lk_host_format_cpus(const cpu_set_t *cpus, char *ret_text, size_t size);

/** struct lk_host_task - one thread of any process.
 * @process, @id: process number and thread number
 * @policy: as of sched_getscheduler();  @priority: real-time priority
 * @per_core: a kernel thread tied to one core that cannot be moved
 * @allowed: cores that the thread may run on */
struct lk_host_task {
    int process;
    int id;
    char name[32];
    int policy;
    int priority;
    bool is_kernel;
    bool per_core;
    cpu_set_t allowed;
};

/** lk_host_each_task() - call @see for all threads of the machine below @root, in no order.
 * @realtime_only: call @see for SCHED_FIFO and SCHED_RR threads only; takes less time
 * Return: number of threads; 0 if no thread is visible.  RT: no. */
int lk_host_each_task(const char *root, bool realtime_only,
                      void (*see)(void *context, const struct lk_host_task *task), void *context);

#define LK_HOST_RIVALS_NAMED 4

/** struct lk_host_rivals - real-time threads that may run on a core.
 * @n:     number of threads;  @first: number of one of these threads, 0: none
 * @n_programs: number of these threads that are not kernel threads
 * @names: "41 worker (priority 90), 52 ..."; "" for none */
struct lk_host_rivals {
    int n;
    int first;
    int n_programs;
    char names[256];
};

/** lk_host_find_rivals() - find the threads that may keep a thread of @priority from running
 * on the set @cores. These are the threads of equal or higher real-time priority, except those
 * that the kernel ties to a core.
 * @own_process: process whose threads do not count
 * Return: number of threads examined; 0 if no thread is visible.  RT: no. */
int lk_host_find_rivals(const char *root, const cpu_set_t *cores, int priority, int own_process,
                        struct lk_host_rivals *ret_rivals);

/** enum lk_host_share - how a core is locked: exclusively, or shared with other shared locks. */
enum lk_host_share { LK_HOST_ALONE, LK_HOST_SHARED };

/** enum lk_host_lock - which process has locked a core.
 * LK_HOST_UNLOCKED:   no process
 * LK_HOST_LOCKED:     a process of root, of this user or of the service's account (linkaged),
 *                     or one outside of this process namespace: the core is in use
 * LK_HOST_OBSTRUCTED: only processes of other users; their locks do not reserve the core */
enum lk_host_lock { LK_HOST_UNLOCKED, LK_HOST_LOCKED, LK_HOST_OBSTRUCTED };

/** lk_host_lock_core() - lock core @core for this process until the descriptor is closed or
 * the process ends.
 *
 * The lock is on the core's folder in sysfs (flock(2)). It needs no file, no privilege and no
 * world-writable folder, and is valid across users and process namespaces. Two containers that each
 * mount a separate /sys do not see each other's locks.
 * Return: a descriptor, -EWOULDBLOCK (LK_HOST_LOCKED), -EPERM (LK_HOST_OBSTRUCTED: the core
 * cannot be locked, but it is not in use), or another negative errno: this machine cannot lock
 * cores.
 * RT: no. */
int lk_host_lock_core(const char *root, int core, enum lk_host_share share);

/** lk_host_core_holder() - return who has locked core @core, and write the process that
 * has locked it: "process 123 (linkaged --config rig.yaml)"; "a process that cannot be seen from
 * here"; "" for none. If the core is obstructed, the user is added: "process 123 (sleep 9) of
 * user 1000".
 * RT: no. */
enum lk_host_lock lk_host_core_holder(const char *root, int core, char *ret_text, size_t size);

#define LK_HOST_LACKS_MAX 8
#define LK_HOST_LACK_SIZE 200

/** struct lk_host_facts - input of lk_host_judge(). Errors are 0 or a negative errno.
 * @memory_error:   error of locking memory; -ENOTSUP: not requested
 * @threads:        whether the following fields are known
 * @priority:       SCHED_FIFO priority requested; 0: none
 * @priority_error: error of setting the priority
 * @core:           the @n_cores cores of the cycle and its other workers; negative: not pinned
 * @core_wished:    the configuration allows the cycle a core of its own; selects the reason in the
 *                  message if the cycle is not pinned
 * @core_error:     error of pinning worker @core_worker to its core; the cycle is worker 0 */
struct lk_host_facts {
    const char *root;
    const struct lk_host *host;
    int memory_error;
    bool threads;
    int priority;
    int priority_error;
    const int *core;
    int n_cores;
    bool core_wished;
    int core_error;
    int core_worker;
};

/** struct lk_host_lacks - one line for each missing real-time property of the machine, at most
 * LK_HOST_LACKS_MAX. */
struct lk_host_lacks {
    int n;
    char text[LK_HOST_LACKS_MAX][LK_HOST_LACK_SIZE];
};

/** lk_host_judge() - list the properties that the machine lacks for real time. With any line, a run
 * is degraded; linkaged refuses a degraded run unless it is allowed.  RT: no. */
void lk_host_judge(const struct lk_host_facts *facts, struct lk_host_lacks *ret_lacks);

#ifdef __cplusplus
}
#endif
#endif
