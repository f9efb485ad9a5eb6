/* SPDX-License-Identifier: Apache-2.0 */
/* Signals: none of them ends a run by accident.
 *
 *     TERM, INT, QUIT  end in order
 *     XCPU             likewise: the kernel kills when the hard limit is reached
 *     HUP              the list of clients is read again
 *     PIPE, XFSZ       never delivered: the call that caused it fails, and whoever made it says so
 *     all others       a line in the log, and nothing else
 *
 * The others are USR1, USR2, ALRM, VTALRM, PROF, IO, PWR, STKFLT, the real-time signals, and TSTP,
 * TTIN and TTOU: nobody who sends one of them to a daemon without a use for it means the end of a
 * run, nor does Ctrl-Z in its terminal mean that the cycle stands still.
 *
 * What is left are KILL and STOP, which no program can refuse, what does nothing anyway (CHLD,
 * CONT, URG, WINCH), and faults of the program itself (SEGV, BUS, FPE, ILL, TRAP, SYS; ABRT, which
 * the watchdog of systemd sends as well): they end it at once and leave their core. */
#ifndef LKD_SIGNALS_H
#define LKD_SIGNALS_H

/** enum lkd_signal - what a signal asks for. */
enum lkd_signal { LKD_SIGNAL_NONE, LKD_SIGNAL_END, LKD_SIGNAL_RELOAD };

/** lkd_signals_open() - from now on they come by @ret_fd, which becomes readable.
 * Before any thread is made: threads inherit what is blocked.
 * Return: 0, negative errno. */
int lkd_signals_open(int *ret_fd);

/** lkd_signals_take() - the next one, if there is one; the log has what it was. Never blocks. */
enum lkd_signal lkd_signals_take(int fd);

#endif
