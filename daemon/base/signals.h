/* SPDX-License-Identifier: Apache-2.0 */
/* Handling of signals: only signals that are meant to end the daemon end a run.
 *
 *     TERM, INT, QUIT  end the daemon in order
 *     XCPU             likewise: the kernel kills when the hard limit is reached
 *     HUP              the list of clients is read again
 *     PIPE, XFSZ       ignored: the call that caused it fails, and its caller reports that
 *     all others       are logged and have no other effect
 *
 * These others are USR1, USR2, ALRM, VTALRM, PROF, IO, PWR, STKFLT, the real-time signals, and
 * TSTP, TTIN and TTOU: a sender of one of these does not intend to end a run, and Ctrl-Z in the
 * terminal must not stop the cycle.
 *
 * Not handled: KILL and STOP, which cannot be caught; CHLD, CONT, URG and WINCH, which have no
 * effect; and faults of the program itself (SEGV, BUS, FPE, ILL, TRAP, SYS, ABRT), which end it at
 * once with a core dump. The watchdog of systemd also sends ABRT. */
#ifndef LKD_SIGNALS_H
#define LKD_SIGNALS_H

/** enum lkd_signal - action that a signal requests. */
enum lkd_signal { LKD_SIGNAL_NONE, LKD_SIGNAL_END, LKD_SIGNAL_RELOAD };

/** lkd_signals_open() - Block the signals and deliver them through @ret_fd, which becomes readable.
 * Call before creating any thread, because threads inherit the signal mask.
 * Return: 0, negative errno. */
int lkd_signals_open(int *ret_fd);

/** lkd_signals_take() - Read and log the next pending signal. Never blocks. Return: its action. */
enum lkd_signal lkd_signals_take(int fd);

#endif
