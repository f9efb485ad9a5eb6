/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of the machine, from proc/PID/task/TID/stat and status. Threads come and go meanwhile:
 * one that cannot be read any more is left out. */
#include "doctor.h"

#include <ctype.h>
#include <dirent.h>
#include <string.h>

/* fields of stat, counted from 1 as in proc(5), and bits of field 9 */
#define FIELD_FLAGS    9
#define FIELD_PRIORITY 40
#define FIELD_POLICY   41
#define FLAG_KERNEL    0x00200000ul
#define FLAG_TIED      0x04000000ul

/* "PID (name) S ...": the name may hold anything, also brackets, so the last one ends it. */
static bool parse_stat(char *text, struct doctor_task *task, unsigned long *ret_flags)
{
    char *open = strchr(text, '(');
    char *close = strrchr(text, ')');
    char *word, *save = NULL;
    int field = 3;

    if (open == NULL || close == NULL || close < open)
        return false;
    snprintf(task->name, sizeof(task->name), "%.*s", (int)(close - open - 1), open + 1);
    for (word = strtok_r(close + 1, " ", &save); word != NULL; word = strtok_r(NULL, " ", &save)) {
        if (field == FIELD_FLAGS)
            sscanf(word, "%lu", ret_flags);
        else if (field == FIELD_PRIORITY)
            sscanf(word, "%d", &task->priority);
        else if (field == FIELD_POLICY)
            return sscanf(word, "%d", &task->policy) == 1;
        field++;
    }
    return false;
}

static bool read_allowed(const char *root, const char *folder, cpu_set_t *ret_cpus)
{
    static const char key[] = "Cpus_allowed_list:";
    char path[512], line[1024];
    bool done = false;
    FILE *file;

    snprintf(path, sizeof(path), "%.350s/%.80s/status", root, folder);
    file = fopen(path, "re");
    if (file == NULL)
        return false;
    while (!done && fgets(line, sizeof(line), file) != NULL) {
        const char *value = line + sizeof(key) - 1;

        if (strncmp(line, key, sizeof(key) - 1) != 0)
            continue;
        lk_host_parse_cpus(value + strspn(value, " \t"), ret_cpus);
        done = true;
    }
    fclose(file);
    return done;
}

static bool read_task(const char *root, const char *folder, int id, struct doctor_task *ret)
{
    char path[128], text[1024];
    unsigned long flags = 0;

    *ret = (struct doctor_task){.id = id};
    snprintf(path, sizeof(path), "%.80s/stat", folder);
    if (lk_host_read_text(root, path, text, sizeof(text)) <= 0 || !parse_stat(text, ret, &flags) ||
        !read_allowed(root, folder, &ret->allowed))
        return false;
    ret->is_kernel = flags & FLAG_KERNEL;
    /* a thread that serves an interrupt follows it, and that can be moved */
    ret->per_core = ret->is_kernel && flags & FLAG_TIED && CPU_COUNT(&ret->allowed) == 1 &&
                    strncmp(ret->name, "irq/", 4) != 0;
    return true;
}

/* the number that an entry of proc is named with, or -1 */
static int number_of(const struct dirent *entry)
{
    int id;

    if (!isdigit((unsigned char)entry->d_name[0]) || sscanf(entry->d_name, "%d", &id) != 1)
        return -1;
    return id;
}

static int each_thread(const char *root, int process,
                       void (*see)(void *context, const struct doctor_task *task), void *context)
{
    char path[512], folder[80];
    struct doctor_task task;
    struct dirent *entry;
    DIR *threads;
    int n = 0;

    snprintf(path, sizeof(path), "%.400s/proc/%d/task", root, process);
    threads = opendir(path);
    if (threads == NULL)
        return 0;
    while ((entry = readdir(threads)) != NULL) {
        int id = number_of(entry);

        snprintf(folder, sizeof(folder), "proc/%d/task/%d", process, id);
        if (id < 0 || !read_task(root, folder, id, &task))
            continue;
        see(context, &task);
        n++;
    }
    closedir(threads);
    return n;
}

int doctor_each_task(const char *root, void (*see)(void *context, const struct doctor_task *task),
                     void *context)
{
    char path[512];
    struct dirent *entry;
    DIR *processes;
    int n = 0;

    snprintf(path, sizeof(path), "%.400s/proc", root);
    processes = opendir(path);
    if (processes == NULL)
        return 0;
    while ((entry = readdir(processes)) != NULL)
        if (number_of(entry) >= 0)
            n += each_thread(root, number_of(entry), see, context);
    closedir(processes);
    return n;
}
