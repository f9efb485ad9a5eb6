/* SPDX-License-Identifier: Apache-2.0 */
#include "bench_unit.h"
#include "play.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zip.h>

#define ENTRIES_MAX     20000
#define FOLDERS_MAX     100000         /* limit for the folders of all names together */
#define SIZE_MAX_OF     (512ull << 20) /* limit for the size of all entries [bytes] */
#define DESCRIPTION     "modelDescription.xml"
#define DESCRIPTION_MAX (16ull << 20) /* bytes; parsing needs up to 50 times as much memory */
#define BLOCK           65536

/* Return true if a file of this name would be outside of the folder, or if the name is invalid. */
static bool is_hostile(const char *name)
{
    size_t n = strlen(name);

    if (n == 0 || n >= 512 || name[0] == '/' || strchr(name, '\\') != NULL ||
        strchr(name, ':') != NULL)
        return true;
    for (const char *part = name; part != NULL; part = strchr(part, '/')) {
        part += *part == '/';
        if (strncmp(part, "..", 2) == 0 && (part[2] == '/' || part[2] == '\0'))
            return true;
    }
    return false;
}

/* Return true for files that a bench needs: the description, the resources, and the binary for this
 * machine. */
static bool is_needed(const char *name)
{
    char two[PATH_MAX], three[PATH_MAX];
    size_t n = strlen(name);

    unit_binary(2, "", two);
    unit_binary(3, "", three);
    two[strlen(two) - 3] = three[strlen(three) - 3] = '\0'; /* keep only the folder of the binary */
    return n > 0 && name[n - 1] != '/' &&
           (strcmp(name, DESCRIPTION) == 0 || strncmp(name, "resources/", 10) == 0 ||
            strncmp(name, two, strlen(two)) == 0 || strncmp(name, three, strlen(three)) == 0);
}

static int make_folders(char *path, size_t from)
{
    for (char *c = path + from; *c != '\0'; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return -errno;
        *c = '/';
    }
    return 0;
}

/* Copy an entry, at most @size bytes. @size is the size in the archive's directory; the content of
 * a hostile archive may be longer. */
static int copy(zip_file_t *from, int to, zip_uint64_t size)
{
    char block[BLOCK];
    zip_int64_t n;

    while ((n = zip_fread(from, block, sizeof(block))) > 0) {
        if (play_is_over())
            return -EINTR;
        if ((zip_uint64_t)n > size)
            return -EFBIG;
        size -= (zip_uint64_t)n;
        if (write(to, block, (size_t)n) != n)
            return errno != 0 ? -errno : -EIO;
    }
    return n < 0 || size != 0 ? -EBADMSG : 0;
}

static int unpack_entry(zip_t *zip, const zip_stat_t *stat, const char *folder)
{
    char path[PATH_MAX];
    zip_file_t *from;
    int to, result;

    if (snprintf(path, sizeof(path), "%s/%s", folder, stat->name) >= PATH_MAX)
        return -ENAMETOOLONG;
    result = make_folders(path, strlen(folder) + 1);
    if (result != 0)
        return result;
    from = zip_fopen_index(zip, stat->index, 0);
    if (from == NULL)
        return -EBADMSG;
    to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0700);
    result = to < 0 ? -errno : copy(from, to, stat->size);
    zip_fclose(from);
    if (to >= 0 && close(to) != 0 && result == 0)
        result = -errno;
    return result;
}

static int refuse(struct lk_error *error, const char *path, const char *what, const char *which)
{
    lk_error_set(error, "%s: %s%s%.200s%s, expected a unit of FMI", path, what,
                 which != NULL ? " '" : "", which != NULL ? which : "", which != NULL ? "'" : "");
    return 1;
}

/* struct sums - totals over all entries of the archive.
 * @folders: upper bound of the number of folders */
struct sums {
    unsigned long long bytes;
    unsigned long long folders;
};

static int look_at_entry(const zip_stat_t *stat, struct sums *sums, const char *path,
                         struct lk_error *error)
{
    if (is_hostile(stat->name))
        return refuse(error, path, "a file leads out of it:", stat->name);
    if (stat->size > SIZE_MAX_OF || (sums->bytes += stat->size) > SIZE_MAX_OF)
        return refuse(error, path, "it would fill more than 512 MiB, by", stat->name);
    if (strcmp(stat->name, DESCRIPTION) == 0 && stat->size > DESCRIPTION_MAX)
        return refuse(error, path, "more than 16 MiB are in", stat->name);
    for (const char *c = stat->name; *c != '\0'; c++)
        sums->folders += *c == '/';
    if (sums->folders > FOLDERS_MAX)
        return refuse(error, path, "it has too many folders", NULL);
    return 0;
}

static int unpack_all(zip_t *zip, const char *path, const char *folder, struct lk_error *error)
{
    zip_int64_t n = zip_get_num_entries(zip, 0);
    struct sums sums = {0};

    if (n > ENTRIES_MAX)
        return refuse(error, path, "it has too many files", NULL);
    for (int pass = 0; pass < 2; pass++) { /* check all entries before the first one is written */
        for (zip_int64_t i = 0; i < n; i++) {
            zip_stat_t stat;
            int result = 0;

            if (zip_stat_index(zip, (zip_uint64_t)i, ZIP_FL_ENC_RAW, &stat) != 0 ||
                !(stat.valid & ZIP_STAT_SIZE))
                return refuse(error, path, "it is damaged", NULL);
            if (pass == 0 && look_at_entry(&stat, &sums, path, error) != 0)
                return 1;
            if (pass == 1 && is_needed(stat.name))
                result = unpack_entry(zip, &stat, folder);
            if (result == -EBADMSG || result == -EFBIG || result == -EEXIST)
                return refuse(error, path, "there is a damaged file in it,", stat.name);
            if (result != 0) {
                lk_error_set(error, "%s: %.200s: %s", folder, stat.name, strerror(-result));
                return 1;
            }
        }
    }
    return 0;
}

int unit_unpack(const char *path, const char *folder, struct lk_error *error)
{
    int why = 0, result;
    zip_t *zip = zip_open(path, ZIP_RDONLY, &why);
    zip_error_t text;

    if (zip == NULL) {
        zip_error_init_with_code(&text, why);
        lk_error_set(error, "%s: %s, expected a unit of FMI", path, zip_error_strerror(&text));
        zip_error_fini(&text);
        return 1;
    }
    result = unpack_all(zip, path, folder, error);
    zip_discard(zip);
    return result;
}

static int remove_one(const char *path, const struct stat *stat, int type, struct FTW *walk)
{
    (void)stat;
    (void)type;
    (void)walk;
    return remove(path);
}

void unit_remove(const char *folder)
{
    (void)nftw(folder, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
