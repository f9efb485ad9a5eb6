/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters: the numbers of a model by their paths, and values for them from outside.
 *
 *     struct lk_setting settings[] = {{"bodies.arm.mass", 2.5}, {"grip", 0.8}};
 *     lk_model_read_file_with("car.yaml", settings, 2, &model, &errors);
 *
 * A path is the list of keys that lead to a number in the file, separated by dots; list entries
 * count from 1: `bodies.arm.mass`, `gravity.3`, `forces.spring.stiffness_table.force.2`. A name
 * without dots is a parameter of the model's section `parameters`. Values are substituted before
 * the text is checked, so checks and messages are the same as for the file. Numbers that the file
 * omits because they have defaults can be set, too. The values are included in the model's hash. */
#ifndef LINKAGE_PARAMETERS_H
#define LINKAGE_PARAMETERS_H

#include "linkage/errors.h"
#include "linkage/linkage.h"

#ifdef __cplusplus
extern "C" {
#endif

#define LK_PATH_SIZE      256 /* bytes of a path with its terminating zero */
#define LK_SETTINGS_MAX   256 /* largest number of settings of one model */
#define LK_PARAMETERS_MAX 256

/** struct lk_setting - a value for a number of the model. @path: path of the number, or name
 * of a parameter */
struct lk_setting {
    const char *path;
    double value;
};

/** lk_setting_parse() - parse "PATH=VALUE", where the value is a finite decimal number in any
 * locale.
 * @ret_path: LK_PATH_SIZE bytes, written. Return: 0, LK_E_TEXT (one line). */
int lk_setting_parse(const char *text, char *ret_path, double *ret_value,
                     struct lk_error *ret_error);

/** struct lk_settings - list of settings that owns its memory. Initialise with {0}. */
struct lk_settings {
    struct lk_setting *list;
    int n;
};

/** lk_settings_add() - append a setting. Return: 0, -EINVAL (malformed path, or not finite), -E2BIG
 * (more than LK_SETTINGS_MAX), -ENOMEM. */
int lk_settings_add(struct lk_settings *settings, const char *path, double value);
/** lk_settings_read() - append the settings of @text, "PATH=VALUE PATH=VALUE". Release also after
 * an error. Return: 0, LK_E_TEXT (one line), -ENOMEM. */
int lk_settings_read(const char *text, struct lk_settings *ret_settings,
                     struct lk_error *ret_error);
/** lk_settings_write() - write @settings as the text that lk_settings_read() reads, with
 * numbers that read back to the same bits.
 * @ret_text: to be freed by the caller. Return: 0, -ENOMEM. */
int lk_settings_write(const struct lk_settings *settings, char **ret_text);
/** lk_settings_fini() - free the list and its paths. */
void lk_settings_fini(struct lk_settings *settings);

/** lk_model_read_file_with() - read a model as lk_model_read_file_all() does, with @n settings.
 * Return: as lk_model_read_file_all(); LK_E_TEXT also if a path does not exist (the message
 *         suggests a similar path), is given twice, is not a number, or if a value exceeds the
 *         limits of its parameter. */
int lk_model_read_file_with(const char *path, const struct lk_setting *settings, int n,
                            struct lk_model **ret_model, struct lk_errors *ret_errors);
/** lk_model_read_text_with() - read a model as lk_model_read_text_in() does, with @n
 * settings. */
int lk_model_read_text_with(const char *folder, const char *name, const char *text, size_t size,
                            const struct lk_setting *settings, int n, struct lk_model **ret_model,
                            struct lk_errors *ret_errors);

/** struct lk_parameter - a parameter of the section `parameters`.
 * @acts: paths of the numbers that it sets, separated by blanks;  @unit: "" if unknown
 * @low, @high: limits, infinite if there are none;  @value: value in the model as it was read
 * @is_tunable: the parameter is also an input channel of the same name, of type signal */
struct lk_parameter {
    char name[LK_NAME_SIZE];
    const char *acts;
    char unit[16];
    double low;
    double high;
    double value;
    int is_tunable;
};

/** lk_model_parameters() - return the parameters of a model, in the order of its file, valid
 * as long as the model. @ret_n: number of parameters */
const struct lk_parameter *lk_model_parameters(const struct lk_model *model, int *ret_n);

/** struct lk_number - a number of a model's text. @unit: "" if it has none, "?" if unknown
 * @parameter: name of the parameter that sets it, or "";  @may_be_tuned: its parameter may be
 *             tunable */
struct lk_number {
    const char *path;
    const char *unit;
    const char *parameter;
    double value;
    int may_be_tuned;
};

struct lk_numbers;

/** lk_numbers_new() - list all numbers of a model's text, except those of the section `parameters`,
 * in the order of the text. The text need not be a valid model.
 * Return: 0, LK_E_TEXT (@ret_errors), -ENOMEM. */
int lk_numbers_new(const char *name, const char *text, size_t size,
                   const struct lk_setting *settings, int n, struct lk_numbers **ret_numbers,
                   struct lk_errors *ret_errors);
/** lk_numbers_new_in() - list all numbers of a model's text as lk_numbers_new() does, and read the
 * parts that it names from @folder and below. */
int lk_numbers_new_in(const char *folder, const char *name, const char *text, size_t size,
                      const struct lk_setting *settings, int n, struct lk_numbers **ret_numbers,
                      struct lk_errors *ret_errors);

/** lk_model_flatten() - write a model that is made of parts as one text without parts, with
 * @settings in their places and expressions as numbers. The model is read and checked first, so
 * that messages have the places of the text and of the parts.
 *
 * Of the section `parameters`, those remain that act on numbers of the flat text and nowhere else.
 * The flat text yields the same model, with the same hash.
 * @folder:   of the parts and other files; NULL: a model with parts is refused
 * @ret_text: @ret_size bytes on the heap, to be freed by the caller
 * Thread: any but the cycle.  RT: no.
 * Return: as lk_model_read_text_with(). */
int lk_model_flatten(const char *folder, const char *name, const char *text, size_t size,
                     const struct lk_setting *settings, int n, char **ret_text, size_t *ret_size,
                     struct lk_errors *ret_errors);
/** lk_model_has_parts() - return whether a text is YAML that needs other files: a section
 * `parts`, or modal bodies from files. */
int lk_model_has_parts(const char *text, size_t size);
/** lk_model_text() - read the text of the model file at @path, to be sent to a program that has not
 * the parts: the text itself, unchecked, or its flat text with @settings if it has parts.
 * @ret_is_flat: whether the text is flat and has the settings. Return: as lk_model_flatten(). */
int lk_model_text(const char *path, const struct lk_setting *settings, int n, int *ret_is_flat,
                  char **ret_text, size_t *ret_size, struct lk_errors *ret_errors);

/** lk_numbers_list() - return the list of numbers, valid as long as @numbers. @ret_n: number
 * of entries */
const struct lk_number *lk_numbers_list(const struct lk_numbers *numbers, int *ret_n);
/** lk_numbers_free() - free @numbers, which may be NULL. */
void lk_numbers_free(struct lk_numbers *numbers);

#ifdef __cplusplus
}
#endif
#endif
