/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the threads of the machine from proc/PID/task/TID/stat and status. Threads start and end
 * during the walk: a thread that can no longer be read is omitted. */
#include "linkage/host.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <string.h>

/* fields of stat, counted from 1 as in proc(5), and bits of field 9 */
#define FIELD_FLAGS    9
#define FIELD_PRIORITY 40
#define FIELD_POLICY   41
#define FLAG_KERNEL    0x00200000ul
#define FLAG_TIED      0x04000000ul

/* Parse "PID (name) S ...": the name may contain brackets, so the last bracket ends it. */
static bool parse_stat(char *text, struct lk_host_task *task, unsigned long *ret_flags)
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

static bool is_realtime(const struct lk_host_task *task)
{
    return task->policy == SCHED_FIFO || task->policy == SCHED_RR;
}

/* Read one thread. @folder: proc/PROCESS/task/ID */
static bool read_task(const char *root, const char *folder, bool realtime_only,
                      struct lk_host_task *task)
{
    char path[128], text[1024];
    unsigned long flags = 0;

    snprintf(path, sizeof(path), "%.80s/stat", folder);
    if (lk_host_read_text(root, path, text, sizeof(text)) <= 0 || !parse_stat(text, task, &flags))
        return false;
    if (realtime_only && !is_realtime(task))
        return true;
    if (!read_allowed(root, folder, &task->allowed))
        return false;
    task->is_kernel = flags & FLAG_KERNEL;
    /* a thread that serves an interrupt follows the interrupt, which can be moved to another core
     */
    task->per_core = task->is_kernel && flags & FLAG_TIED && CPU_COUNT(&task->allowed) == 1 &&
                     strncmp(task->name, "irq/", 4) != 0;
    return true;
}

/* return the number that an entry of proc has as its name, or -1 */
static int number_of(const struct dirent *entry)
{
    int id;

    if (!isdigit((unsigned char)entry->d_name[0]) || sscanf(entry->d_name, "%d", &id) != 1)
        return -1;
    return id;
}

/* struct walk - walk through all threads. @n: number of threads seen */
struct walk {
    const char *root;
    bool realtime_only;
    void (*see)(void *context, const struct lk_host_task *task);
    void *context;
    int n;
};

static void each_thread(struct walk *walk, int process)
{
    char path[512], folder[80];
    struct dirent *entry;
    DIR *threads;

    snprintf(path, sizeof(path), "%.400s/proc/%d/task", walk->root, process);
    threads = opendir(path);
    if (threads == NULL)
        return;
    while ((entry = readdir(threads)) != NULL) {
        struct lk_host_task task = {.process = process, .id = number_of(entry)};

        snprintf(folder, sizeof(folder), "proc/%d/task/%d", process, task.id);
        if (task.id < 0 || !read_task(walk->root, folder, walk->realtime_only, &task))
            continue;
        if (!walk->realtime_only || is_realtime(&task))
            walk->see(walk->context, &task);
        walk->n++;
    }
    closedir(threads);
}

int lk_host_each_task(const char *root, bool realtime_only,
                      void (*see)(void *context, const struct lk_host_task *task), void *context)
{
    struct walk walk = {
        .root = root, .realtime_only = realtime_only, .see = see, .context = context};
    struct dirent *entry;
    char path[512];
    DIR *processes;

    snprintf(path, sizeof(path), "%.400s/proc", root);
    processes = opendir(path);
    if (processes == NULL)
        return 0;
    while ((entry = readdir(processes)) != NULL)
        if (number_of(entry) >= 0)
            each_thread(&walk, number_of(entry));
    closedir(processes);
    return walk.n;
}

/* ---- rivals ---- */

/* struct search - search for rivals: real-time threads of other processes that may run on @cores
 * with at least @priority */
struct search {
    const cpu_set_t *cores;
    int priority;
    int own_process;
    struct lk_host_rivals *rivals;
};

static void add_rival(struct lk_host_rivals *rivals, const struct lk_host_task *task)
{
    size_t used = strlen(rivals->names);

    if (rivals->n++ == 0)
        rivals->first = task->id;
    rivals->n_programs += !task->is_kernel;
    if (rivals->n <= LK_HOST_RIVALS_NAMED)
        snprintf(rivals->names + used, sizeof(rivals->names) - used, "%s%d %s (priority %d)",
                 rivals->n > 1 ? ", " : "", task->id, task->name, task->priority);
    else if (rivals->n == LK_HOST_RIVALS_NAMED + 1)
        snprintf(rivals->names + used, sizeof(rivals->names) - used, ", ...");
}

static void see_rival(void *context, const struct lk_host_task *task)
{
    const struct search *search = context;
    cpu_set_t both;

    CPU_AND(&both, &task->allowed, search->cores);
    if (task->priority >= search->priority && task->process != search->own_process &&
        !task->per_core && CPU_COUNT(&both) > 0)
        add_rival(search->rivals, task);
}

int lk_host_find_rivals(const char *root, const cpu_set_t *cores, int priority, int own_process,
                        struct lk_host_rivals *ret_rivals)
{
    struct search search = {cores, priority, own_process, ret_rivals};

    *ret_rivals = (struct lk_host_rivals){0};
    return lk_host_each_task(root, true, see_rival, &search);
}
