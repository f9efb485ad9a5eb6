/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: what a figure of time was measured on, and what real time needs of it.
 *
 * Everything is read from files below a root folder, "" for the machine itself; tests use folders
 * of their own. Nothing is changed. A thing that cannot be found out is empty, -1 or unknown, never
 * guessed. Any thread may call these functions; none of them is real-time safe. */
#ifndef LINKAGE_HOST_H
#define LINKAGE_HOST_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define LK_HOST_TEXT 128

/** enum lk_host_known - a property that may be beyond finding out. */
enum lk_host_known { LK_HOST_NO, LK_HOST_YES, LK_HOST_UNKNOWN };

/** struct lk_host - conditions of the machine.
 * @kernel:       "Linux 6.1.0-rt", and @kernel_major, @kernel_minor of it, -1 unknown
 * @processor:    as it names itself;  @n_cpus: online, -1 unknown
 * @realtime:     a PREEMPT_RT kernel
 * @virtual_machine: a hypervisor is below: it may stop any core at any time, unseen
 * @isolated, @nohz_full: cores; empty sets where there are none or the kernel lacks it
 * @clocksource:  "tsc" and so on
 * @rt_runtime_us, @rt_period_us: of the real-time throttle; runtime -1: off, -2: unknown
 * @huge_pages:   "always", "madvise", "never", "" unknown
 * @swap_kib:     swap in use or not, its size; -1 unknown */
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

/** lk_host_read() - read the conditions.
 * @root: "" for this machine, else a folder with proc/ and sys/ in it
 * Thread: any but the cycle.  RT: no. */
void lk_host_read(const char *root, struct lk_host *ret_host);

/** lk_host_governor() - frequency governor of core @cpu: "performance", ...; "" where frequencies
 * are not the kernel's to set (usual in virtual machines).  RT: no. */
void lk_host_governor(const char *root, int cpu, char *ret_text, size_t size);

/** lk_host_siblings() - hardware threads that share the core of @cpu, itself included; empty where
 * unknown.  RT: no. */
void lk_host_siblings(const char *root, int cpu, cpu_set_t *ret_cpus);

/** lk_host_has_flag() - whether /proc/cpuinfo lists @flag ("constant_tsc") for the first processor;
 * false where it lists none.  RT: no. */
bool lk_host_has_flag(const char *root, const char *flag);

/** lk_host_read_text() - the first line of the file @root/@path without its end.
 * Return: its length, or negative errno ("" is written then).  RT: no. */
int lk_host_read_text(const char *root, const char *path, char *ret_text, size_t size);

/** lk_host_parse_cpus() - a list as the kernel writes it, "1-3,8"; whatever is not a list ends it.
 * Return: how many cores. */
int lk_host_parse_cpus(const char *text, cpu_set_t *ret_cpus);

/** lk_host_format_cpus() - a set as such a list; "" for none. */
void lk_host_format_cpus(const cpu_set_t *cpus, char *ret_text, size_t size);

/** struct lk_host_task - one thread of anybody.
 * @process, @id: numbers of both
 * @policy: as of sched_getscheduler();  @priority: real-time priority
 * @per_core: a kernel thread tied to one core that cannot be moved
 * @allowed: cores that it may run on */
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

/** lk_host_each_task() - all threads below the root, in no order.
 * @realtime_only: @see only those of SCHED_FIFO and SCHED_RR; takes less time
 * Return: how many there are; 0 where there is nothing to see.  RT: no. */
int lk_host_each_task(const char *root, bool realtime_only,
                      void (*see)(void *context, const struct lk_host_task *task), void *context);

#define LK_HOST_RIVALS_NAMED 4

/** struct lk_host_rivals - real-time threads that may come to a core.
 * @n:     how many;  @first: number of one, 0: none
 * @n_programs: of them, that are not the kernel's
 * @names: "41 worker (priority 90), 52 ..."; "" for none */
struct lk_host_rivals {
    int n;
    int first;
    int n_programs;
    char names[256];
};

/** lk_host_find_rivals() - who may keep a thread of @priority from running on @cores: threads of
 * equal or higher real-time priority, but those that the kernel ties to a core.
 * @own_process: whose threads do not count
 * Return: how many threads were looked at; 0 where none can be seen.  RT: no. */
int lk_host_find_rivals(const char *root, const cpu_set_t *cores, int priority, int own_process,
                        struct lk_host_rivals *ret_rivals);

/** enum lk_host_share - of a core: its holder has it alone, or together with others that say so. */
enum lk_host_share { LK_HOST_ALONE, LK_HOST_SHARED };

/** lk_host_lock_core() - take core @core for this process until the descriptor is closed, which the
 * end of the process does, too.
 *
 * The lock is on the core's own folder in sysfs (flock(2)): it needs no file, no privilege and no
 * folder that all users may write to, and holds across users and process namespaces. Two containers
 * that have mounted a /sys of their own do not see each other's.
 * Return: a descriptor, -EWOULDBLOCK (somebody has it, see lk_host_core_holder()), or negative
 * errno: cores cannot be locked here.  RT: no. */
int lk_host_lock_core(const char *root, int core, enum lk_host_share share);

/** lk_host_core_holder() - who has locked core @core: "process 123 (linkaged --config rig.yaml)";
 * "a process that cannot be seen from here".
 * Return: whether somebody has.  RT: no. */
bool lk_host_core_holder(const char *root, int core, char *ret_text, size_t size);

#define LK_HOST_LACKS_MAX 8
#define LK_HOST_LACK_SIZE 200

/** struct lk_host_facts - what lk_host_judge() judges. Errors are 0 or a negative errno.
 * @memory_error:   of locking memory; -ENOTSUP: not asked for
 * @threads:        whether what follows is known
 * @priority:       SCHED_FIFO, that was asked for; 0: none;  @priority_error: of taking it
 * @core:           of the cycle and its other workers, @n_cores; negative: none of its own
 * @core_wished:    the cycle may have a core of its own, but there is only one
 * @core_error:     of pinning worker @core_worker to its core; the cycle is worker 0 */
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

/** struct lk_host_lacks - one line for each property that a run would lack, up to
 * LK_HOST_LACKS_MAX.
 */
struct lk_host_lacks {
    int n;
    char text[LK_HOST_LACKS_MAX][LK_HOST_LACK_SIZE];
};

/** lk_host_judge() - is the machine fit for a run, or would it be a degraded one, which linkaged
 * refuses unless it is allowed?  RT: no. */
void lk_host_judge(const struct lk_host_facts *facts, struct lk_host_lacks *ret_lacks);

#ifdef __cplusplus
}
#endif
#endif
