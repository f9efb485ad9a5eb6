/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters: the numbers of a model by their paths, and values for them from outside.
 *
 *     struct lk_setting settings[] = {{"bodies.arm.mass", 2.5}, {"grip", 0.8}};
 *     lk_model_read_file_with("car.yaml", settings, 2, &model, &errors);
 *
 * A path has the names that lead to a number in the file, with dots between them; entries of lists
 * count from 1: `bodies.arm.mass`, `gravity.3`, `forces.spring.stiffness_table.force.2`. A name
 * without dots is one of the section `parameters` of the model. Values are put in before a reader
 * looks, so all checks and messages are those of the file; a number that the file leaves to its
 * default can be set like others. The model with its values has another hash than without. */
#ifndef LINKAGE_PARAMETERS_H
#define LINKAGE_PARAMETERS_H

#include "linkage/errors.h"
#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_PATH_SIZE      256 /* bytes of a path with its terminating zero */
#define LK_SETTINGS_MAX   256 /* of one model */
#define LK_PARAMETERS_MAX 256

/** struct lk_setting - a value from outside. @path: or name of a parameter */
struct lk_setting {
    const char *path;
    double value;
};

/** lk_setting_parse() - "PATH=VALUE", the value a finite decimal number in any locale.
 * @ret_path: LK_PATH_SIZE bytes, written. Return: 0, LK_E_TEXT (one line). */
int lk_setting_parse(const char *text, char *ret_path, double *ret_value,
                     struct lk_error *ret_error);

/** struct lk_settings - such values with their memory; {0} at first. */
struct lk_settings {
    struct lk_setting *list;
    int n;
};

/** lk_settings_add() - append one. Return: 0, -EINVAL (no form of a path, or not finite), -E2BIG
 * (LK_SETTINGS_MAX), -ENOMEM. */
int lk_settings_add(struct lk_settings *settings, const char *path, double value);
/** lk_settings_read() - append those of @text, "PATH=VALUE PATH=VALUE"; release after an error,
 * too. Return: 0, LK_E_TEXT (one line), -ENOMEM. */
int lk_settings_read(const char *text, struct lk_settings *ret_settings,
                     struct lk_error *ret_error);
/** lk_settings_write() - such a text, with numbers that read back to the same bits.
 * @ret_text: on the heap. Return: 0, -ENOMEM. */
int lk_settings_write(const struct lk_settings *settings, char **ret_text);
/** lk_settings_fini() - release. */
void lk_settings_fini(struct lk_settings *settings);

/** lk_model_read_file_with() - as lk_model_read_file_all(), with @n values from outside.
 * Return: also LK_E_TEXT for a path that is not there (what is like it), given twice, no number, or
 * beyond the limits of its parameter. */
int lk_model_read_file_with(const char *path, const struct lk_setting *settings, int n,
                            struct lk_model **ret_model, struct lk_errors *ret_errors);
/** lk_model_read_text_with() - as lk_model_read_text_in(), likewise. */
int lk_model_read_text_with(const char *folder, const char *name, const char *text, size_t size,
                            const struct lk_setting *settings, int n, struct lk_model **ret_model,
                            struct lk_errors *ret_errors);

/** struct lk_parameter - one of the section `parameters`.
 * @acts: the paths where it acts, with blanks between them;  @unit: "" where the file has none and
 * none is known;  @low, @high: infinite where there is none;  @value: of the model as it was read
 * @is_tunable: it is also an input channel of this name, of type signal, that acts at once */
struct lk_parameter {
    char name[LK_NAME_SIZE];
    const char *acts;
    char unit[16];
    double low;
    double high;
    double value;
    int is_tunable;
};

/** lk_model_parameters() - those of a model, in the order of its file. @ret_n: how many; valid as
 * long as the model. */
const struct lk_parameter *lk_model_parameters(const struct lk_model *model, int *ret_n);

/** struct lk_number - a number of a model's text. @unit: "" where it has none, "?" where the
 * list knows none;  @parameter: name of the parameter that acts there, or "";  @may_be_tuned: a
 * parameter that acts here may be tunable */
struct lk_number {
    const char *path;
    const char *unit;
    const char *parameter;
    double value;
    int may_be_tuned;
};

struct lk_numbers;

/** lk_numbers_new() - all numbers of a model's text, but of the section `parameters`, in the order
 * of the text. It is not read as a model: what that refuses may be listed all the same.
 * Return: 0, LK_E_TEXT (@ret_errors), -ENOMEM. */
int lk_numbers_new(const char *name, const char *text, size_t size,
                   const struct lk_setting *settings, int n, struct lk_numbers **ret_numbers,
                   struct lk_errors *ret_errors);
/** lk_numbers_list() - @ret_n of them; valid as long as @numbers. */
const struct lk_number *lk_numbers_list(const struct lk_numbers *numbers, int *ret_n);
/** lk_numbers_free() - release; NULL is allowed. */
void lk_numbers_free(struct lk_numbers *numbers);

#ifdef __cplusplus
}
#endif
#endif
