/* SPDX-License-Identifier: Apache-2.0 */
/* Outcomes shared by everything in liblinkage.
 *
 * A function returns 0 on success, one of the positive codes below for a condition that its caller
 * has to handle, or a negative errno for what no caller can handle (out of memory). Outputs come
 * last and are written on success only; the error text is written on failure only. */
#ifndef LINKAGE_ERROR_H
#define LINKAGE_ERROR_H

#ifdef __cplusplus
extern "C" {
#endif

/** LK_RT marks a function that the cycle thread may call: no allocation, no lock, no system call,
 * the same work at every call. */
#define LK_RT

/** enum lk_status - positive return codes of liblinkage. */
enum lk_status {
    LK_OK = 0,
    LK_E_TEXT = 1,       /* a YAML text is refused; the error line says where, what, what instead */
    LK_E_ASSEMBLY = 2,   /* the joints of a model cannot be closed from its initial configuration */
    LK_E_MODEL = 3,      /* the model is well-formed but cannot be stepped; the line says why */
    LK_E_NOT_FINITE = 4, /* a step was given or produced a value that is not a finite number */
    LK_E_TURN = 5,       /* a body would turn by more than half a turn in a step */
    LK_E_SINGULAR = 6,   /* the equations of a formulation have no solution in this pose */
    LK_E_STALLED = 7,    /* an integrator cannot continue: no convergence, or too short a step */
    LK_E_STATE = 8, /* bytes that are not a state of this system; the line names the difference */
};

/** lk_status_text() - what a return code means, in a few words: of enum lk_status, or a negative
 * errno; static text. Thread: any but the cycle. */
const char *lk_status_text(int status);

#define LK_ERROR_SIZE 512 /* bytes of a line with its terminating zero */

/** struct lk_error - one human-readable line, without a line feed.
 * @text: "file:line:column: what is wrong, what was expected", or without the place where the
 *        error has none. Always terminated. */
struct lk_error {
    char text[LK_ERROR_SIZE];
};

/** lk_error_set() - format one line into @error.
 * @error:  written; NULL is allowed and ignored
 * @format: printf style; control characters in the result are replaced by '?', so that text from
 *          outside can neither break the line nor reach a terminal as an escape sequence
 * Thread: any but the cycle.  RT: no. */
void lk_error_set(struct lk_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#ifdef __cplusplus
}
#endif
#endif
