/* SPDX-License-Identifier: Apache-2.0 */
/* One line of error text for users. The text must be safe to print and to send, because names and
 * values in it come from files and sockets. The result is UTF-8 without control characters, even if
 * a sequence was cut. */
#include "linkage/error.h"
#include "linkage/text.h"
#include "linkage/version.h"

#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

void lk_error_set(struct lk_error *error, const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return;
    va_start(arguments, format);
    if (vsnprintf(error->text, sizeof(error->text), format, arguments) < 0)
        error->text[0] = '\0';
    va_end(arguments);
    lk_text_clean(error->text);
}

const char *lk_step_fault_text(int status)
{
    return status == LK_E_TURN   ? "turns a body by more than half a turn, expected a shorter step"
           : status == LK_E_BENT ? "bends a modal body by more than its modes describe, expected "
                                   "smaller loads, or a beam"
           : status == LK_E_SINGULAR ? "has no solution in this pose by this formulation"
                                     : "gives no finite state";
}

const char *lk_status_text(int status)
{
    static const char *const texts[] = {
        [LK_OK] = "no error",
        [LK_E_TEXT] = "the text is refused",
        [LK_E_ASSEMBLY] = "the joints cannot be closed from the initial configuration",
        [LK_E_MODEL] = "the model cannot be stepped",
        [LK_E_NOT_FINITE] = "a value is not a finite number",
        [LK_E_TURN] = "a body would turn by more than half a turn in a step",
        [LK_E_SINGULAR] = "the equations have no solution in this pose",
        [LK_E_STALLED] = "the integrator cannot continue",
        [LK_E_STATE] = "the state does not fit the system",
        [LK_E_BENT] = "a modal body would bend by more than its modes describe",
    };

    if (status == -ENOMEM)
        return "out of memory";
    if (status < 0)
        return "an error of the system, a negative errno";
    return status >= 0 && (size_t)status < sizeof(texts) / sizeof(*texts) ? texts[status]
                                                                          : "an unknown status";
}

const char *lk_version(void)
{
    return LK_VERSION;
}
