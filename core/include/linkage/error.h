/* SPDX-License-Identifier: Apache-2.0 */
/* Return codes and error texts shared by all functions of liblinkage.
 *
 * A function returns 0 on success. A positive code below is a condition that the caller has to
 * handle. A negative errno is an error that no caller can handle (out of memory). Output
 * arguments come last and are written on success only; the error text is written on failure
 * only. */
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
    LK_E_TEXT = 1,       /* a YAML text is refused; the error line names the place, the error
                          * and what was expected */
    LK_E_ASSEMBLY = 2,   /* the joints of a model cannot be closed from its initial configuration */
    LK_E_MODEL = 3,      /* the model is well-formed but cannot be stepped; the error line
                          * gives the reason */
    LK_E_NOT_FINITE = 4, /* an input or a result of a step is not a finite number */
    LK_E_TURN = 5,       /* a body would turn by more than half a turn in a step */
    LK_E_SINGULAR = 6,   /* the equations of a formulation have no solution in this pose */
    LK_E_STALLED = 7,    /* an integrator cannot continue: no convergence, or too short a step */
    LK_E_STATE = 8,      /* the bytes are not a state of this system; the error line names the
                          * difference */
    LK_E_BENT = 9,       /* a modal body would bend by more than its modes describe */
};

/** lk_status_text() - return the meaning of a return code in a few words. @status: of enum
 * lk_status, or a negative errno. Static text. Thread: any but the cycle. */
const char *lk_status_text(int status);

/** lk_step_fault_text() - return the fault of a step as a predicate, such as "turns a body by more
 * than half a turn, expected a shorter step". @status: result of lk_system_step(), not 0. Static
 * text. Thread: any but the cycle. */
const char *lk_step_fault_text(int status);

#define LK_ERROR_SIZE 512 /* bytes of an error line with its terminating zero */

/** struct lk_error - one human-readable line, without a line feed.
 * @text: "file:line:column: what is wrong, what was expected", without the place if the error
 *        has none. Always terminated. */
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
