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

#ifdef __cplusplus
}
#endif
#endif
