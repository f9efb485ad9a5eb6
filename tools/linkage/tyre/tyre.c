/* SPDX-License-Identifier: Apache-2.0 */
/* linkage tyre: converts a tyre property file to a law for the tyres of a model. The parameters
 * become part of the model's text. So a recording, which contains this text, contains them, too. */
#include "commands.h"
#include "linkage/file.h"
#include "linkage/text.h"
#include "model/tir.h"
#include "model/tyre_keys.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void print_parameters(struct lk_tir *tir)
{
    int on_line = 0;

    for (const struct lk_tyre_key *key = lk_tyre_keys; key->name != NULL; key++) {
        double value = *lk_tyre_key_value(&tir->magic, key);

        if (value == key->fallback)
            continue;
        printf("%s%s: ", on_line == 0 ? "" : on_line % 5 == 0 ? ",\n      " : ", ", key->name);
        print_shortest(stdout, value);
        on_line++;
    }
}

static void print_law(const char *path, struct lk_tir *tir)
{
    fputs("# ", stdout);
    lk_text_print(stdout, path);
    if (tir->is_turned)
        fputs("; PTX3 with the other sign, as Adams writes it", stdout);
    printf("\nlaws:\n  tyre:\n    type: %s\n    measured: %s\n    parameters: {",
           tir->kind == LK_TYRE_MF61 ? "mf61" : "mf52", tir->is_right ? "right" : "left");
    print_parameters(tir);
    fputs("}\n", stdout);
}

static int convert(const char *path, const char *text, size_t size)
{
    struct lk_errors errors;
    struct lk_tir tir;
    int result = lk_tir_read(path, text, size, &tir, &errors);

    for (int i = 0; i < errors.n; i++)
        file_error("%s", errors.line[i].text);
    if (result < 0)
        complain("%s: %s", path, strerror(-result));
    if (result != 0)
        return EXIT_REFUSED;
    if (tir.n_unused > 0)
        fprintf(stderr, "%s: without effect here: %s%s\n", path, tir.unused,
                strlen(tir.unused) + 24 > sizeof(tir.unused) ? ", .." : "");
    print_law(path, &tir);
    return EXIT_DONE;
}

int command_tyre(int argc, char *argv[])
{
    size_t size;
    const char *path;
    char *text;
    int result = parse_command(argc, argv, only_help, "tyre takes one file, a .tir", &path);

    if (result != EXIT_DONE)
        return result;
    result = lk_file_read(path, LK_TIR_SIZE_MAX + 1, &text, &size);
    if (result != 0) {
        complain("%s: %s", path, lk_file_error(result));
        return EXIT_REFUSED;
    }
    result = convert(path, text, size);
    free(text);
    return result;
}
