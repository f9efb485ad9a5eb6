/* SPDX-License-Identifier: Apache-2.0 */
/* The archive of an FMU. All entries have the same date and attributes and a fixed order, so that
 * the same model and build give identical bytes. */
#include "commands.h"
#include "fmu.h"
#include "linkage/file.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zip.h>

#define PART_MAX (64u << 20) /* size limit of a file built with the tools [bytes] */
#define DOS_DATE 0x0021      /* 1980-01-01, the earliest DOS date */

/* Find a file that is built with this program.
 * Return: false after a message. */
static bool find_built(const char *name, char path[PATH_MAX])
{
    if (find_part(name, path))
        return true;
    complain("%s is not there; it is built and installed with this program", name);
    return false;
}

/* ---- the source form ---- */

static zip_t *open_sources(void)
{
    char path[PATH_MAX];
    zip_t *sources;

    if (!find_built("linkage-fmu-sources.zip", path))
        return NULL;
    sources = zip_open(path, ZIP_RDONLY, NULL);
    if (sources == NULL)
        complain("%s: cannot be read", path);
    return sources;
}

bool fmu_list_sources(struct fmu_export *e)
{
    zip_t *sources = open_sources();
    zip_int64_t n;
    bool good = true;

    if (sources == NULL)
        return false;
    n = zip_get_num_entries(sources, 0);
    e->sources = calloc((size_t)n + 2, sizeof(*e->sources));
    for (zip_int64_t i = 0; i < n && good && e->sources != NULL; i++) {
        e->sources[i] = strdup(zip_get_name(sources, (zip_uint64_t)i, 0));
        e->n_sources += good = e->sources[i] != NULL;
    }
    if (good && e->sources != NULL) {
        e->sources[e->n_sources] = strdup("fmu_embedded.c");
        e->n_sources += good = e->sources[e->n_sources] != NULL;
    }
    zip_discard(sources);
    if (!good || e->sources == NULL)
        complain("out of memory");
    return good && e->sources != NULL;
}

/* Write the packed model as C source. The source defines the function that resource.c defines
 * otherwise. */
static int embed(const struct fmu_export *e, char **ret_text, size_t *ret_size)
{
    FILE *to = open_memstream(ret_text, ret_size);

    if (to == NULL)
        return -ENOMEM;
    fprintf(to, "/* The model of this unit, and its only copy: see model_packed.h. */\n"
                "#include \"fmu_variables.h\"\n\n#include <errno.h>\n#include <stdlib.h>\n"
                "#include <string.h>\n\nstatic const unsigned char model[] = {");
    for (size_t i = 0; i < e->size; i++)
        fprintf(to, "%s%u,", i % 20 == 0 ? "\n" : "", (unsigned char)e->bytes[i]);
    fprintf(to, "\n};\n\n"
                "int fmu_model(const char *resources, char **ret_bytes, size_t *ret_size, struct "
                "lk_error *err)\n{\n"
                "    (void)resources;\n    (void)err;\n"
                "    *ret_bytes = malloc(sizeof(model));\n"
                "    if (*ret_bytes == NULL)\n        return -ENOMEM;\n"
                "    memcpy(*ret_bytes, model, sizeof(model));\n"
                "    *ret_size = sizeof(model);\n    return 0;\n}\n");
    return fclose(to) == 0 ? 0 : -ENOMEM;
}

/* ---- entries ---- */

/* Add an entry. Takes ownership of @bytes (heap).
 * Return: true if the entry was added. */
static bool add(zip_t *zip, const char *name, char *bytes, size_t size)
{
    zip_source_t *source = bytes != NULL ? zip_source_buffer(zip, bytes, size, 1) : NULL;
    zip_int64_t i = -1;

    if (source == NULL)
        free(bytes);
    else if ((i = zip_file_add(zip, name, source, ZIP_FL_ENC_UTF_8)) < 0)
        zip_source_free(source);
    return i >= 0 && zip_file_set_dostime(zip, (zip_uint64_t)i, 0, DOS_DATE, 0) == 0 &&
           zip_set_file_compression(zip, (zip_uint64_t)i, ZIP_CM_DEFLATE, 9) == 0;
}

static bool add_sources(zip_t *zip, const struct fmu_export *e)
{
    zip_t *sources = open_sources();
    char *text = NULL;
    size_t size = 0;
    bool good = sources != NULL;

    for (int i = 0; i < e->n_sources - 1 && good; i++) {
        char name[PATH_MAX];
        zip_stat_t stat;
        zip_file_t *file = NULL;
        char *bytes = NULL;

        good = zip_stat_index(sources, (zip_uint64_t)i, 0, &stat) == 0 && stat.size < PART_MAX &&
               (bytes = malloc(stat.size + 1)) != NULL &&
               (file = zip_fopen_index(sources, (zip_uint64_t)i, 0)) != NULL &&
               zip_fread(file, bytes, stat.size) == (zip_int64_t)stat.size;
        if (file != NULL)
            zip_fclose(file);
        snprintf(name, sizeof(name), "sources/%s", e->sources[i]);
        if (good)
            good = add(zip, name, bytes, stat.size);
        else
            free(bytes);
    }
    if (sources != NULL)
        zip_discard(sources);
    good = good && embed(e, &text, &size) == 0 && add(zip, "sources/fmu_embedded.c", text, size);
    if (good && e->version == 3)
        good = fmu_describe_build(e, &text, &size) == 0 &&
               add(zip, "sources/buildDescription.xml", text, size);
    return good;
}

static bool add_binary(zip_t *zip, const struct fmu_export *e)
{
    static const char *const folders[] = {LINKAGE_FMI2_PLATFORM, LINKAGE_FMI3_PLATFORM};
    char path[PATH_MAX], name[PATH_MAX], *bytes = NULL;
    size_t size = 0;

    if (!find_built("linkage-fmu.so", path))
        return false;
    snprintf(name, sizeof(name), "binaries/%s/%s.so", folders[e->version - 2], e->id);
    return lk_file_read(path, PART_MAX, &bytes, &size) == 0 && add(zip, name, bytes, size);
}

static bool add_resource(zip_t *zip, const struct fmu_export *e)
{
    char *model = malloc(e->size);

    if (model != NULL)
        memcpy(model, e->bytes, e->size);
    return add(zip, "resources/" FMU_RESOURCE, model, e->size);
}

static bool add_all(zip_t *zip, const struct fmu_export *e)
{
    char *text = NULL;
    size_t size = 0;

    return fmu_describe(e, &text, &size) == 0 && add(zip, "modelDescription.xml", text, size) &&
           add_binary(zip, e) && add_resource(zip, e) && (!e->with_sources || add_sources(zip, e));
}

bool fmu_write(const struct fmu_export *e)
{
    int why = 0, fault = output_check(e->output, OUTPUT_MARK_ZIP);
    zip_error_t error;
    zip_t *zip;

    if (told_output(e->output, fault) != EXIT_DONE)
        return false;
    zip = zip_open(e->output, ZIP_CREATE | ZIP_TRUNCATE, &why);

    if (zip == NULL) {
        zip_error_init_with_code(&error, why);
        complain("%s: %s", e->output, zip_error_strerror(&error));
        zip_error_fini(&error);
        return false;
    }
    if (!add_all(zip, e)) {
        complain("%s: not written: %s", e->output,
                 zip_get_error(zip)->zip_err != 0 ? zip_strerror(zip) : "a part is missing");
        zip_discard(zip);
        return false;
    }
    if (zip_close(zip) == 0) /* libzip writes a temporary file and renames it */
        return true;
    complain("%s: %s", e->output, zip_strerror(zip));
    zip_discard(zip);
    return false;
}
