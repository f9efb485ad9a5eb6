/* SPDX-License-Identifier: Apache-2.0 */
/* The privileges of each thread of a real daemon while the daemon serves. A run must still have all
 * privileges that it needs. Only root has privileges to drop, so the tests are skipped for other
 * users. */
#include "../skip.h"
#include "runs.h"
#include <dirent.h>
#include <grp.h>
#include <pwd.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <zmq.h>

#include <cmocka.h>

/* bits of CAP_IPC_LOCK and CAP_SYS_NICE */
#define KEPT ((1ull << 14) | (1ull << 23))

#ifdef __SANITIZE_THREAD__
#define OWN_THREADS_ONLY true /* the sanitizer has a thread older than main() */
#else
#define OWN_THREADS_ONLY false
#endif

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define MEMORY_IS_LOCKED false /* the sanitizers ignore mlockall() */
#else
#define MEMORY_IS_LOCKED true
#endif

/* Start a daemon in a folder that every user may use, without the notifications of
 * harness_open(). */
static void open_daemon(struct harness *h, const char *config)
{
    harness_prepare(h, config);
    assert_int_equal(chmod(h->folder, 0777), 0);
    h->pid = harness_spawn((const char *const[]){"--config", h->config, NULL}, h->log, -1);
    assert_int_equal(lk_wire_arena_init(&h->arena, LK_WIRE_CONTROL_ARENA), 0);
    assert_int_equal(lk_wire_arena_init(&h->sample_arena, LK_WIRE_SAMPLE_ARENA), 0);
    h->context = zmq_ctx_new();
    h->control = zmq_socket(h->context, ZMQ_DEALER);
    assert_int_equal(zmq_connect(h->control, h->endpoint[0]), 0);
    harness_command(h, STATUS);
}

/* ---- /proc ---- */

/** struct rights - rights of a thread from proc(5) */
struct rights {
    char name[32];
    unsigned long long effective, permitted, inheritable, bounding, ambient;
    unsigned int uid[4], gid[4];
    int no_new_privs;
    char groups[256];
    unsigned long locked_kib;
};

static void read_rights(pid_t pid, const char *tid, struct rights *ret)
{
    char path[300], line[512];
    FILE *in;

    snprintf(path, sizeof(path), "/proc/%d/task/%s/status", (int)pid, tid);
    in = fopen(path, "r");
    assert_non_null(in);
    *ret = (struct rights){.no_new_privs = -1};
    while (fgets(line, sizeof(line), in)) {
        sscanf(line, "Name: %31[^\n]", ret->name);
        sscanf(line, "CapEff: %llx", &ret->effective);
        sscanf(line, "CapPrm: %llx", &ret->permitted);
        sscanf(line, "CapInh: %llx", &ret->inheritable);
        sscanf(line, "CapBnd: %llx", &ret->bounding);
        sscanf(line, "CapAmb: %llx", &ret->ambient);
        sscanf(line, "Uid: %u %u %u %u", &ret->uid[0], &ret->uid[1], &ret->uid[2], &ret->uid[3]);
        sscanf(line, "Gid: %u %u %u %u", &ret->gid[0], &ret->gid[1], &ret->gid[2], &ret->gid[3]);
        sscanf(line, "NoNewPrivs: %d", &ret->no_new_privs);
        sscanf(line, "Groups: %255[^\n]", ret->groups);
        sscanf(line, "VmLck: %lu", &ret->locked_kib);
    }
    fclose(in);
}

static bool is_ours(pid_t pid, const char *tid, const struct rights *rights)
{
    if (!OWN_THREADS_ONLY || atoi(tid) == (int)pid)
        return true;
    return strncmp(rights->name, "linkaged", 8) != 0;
}

/* Check that each thread of the daemon has exactly these rights.
 * Return: number of threads */
static int expect_rights(pid_t pid, unsigned int uid, unsigned int gid)
{
    char path[64];
    struct dirent *entry;
    DIR *tasks;
    int n = 0;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    assert_non_null(tasks);
    while ((entry = readdir(tasks))) {
        struct rights r;

        if (entry->d_name[0] == '.')
            continue;
        read_rights(pid, entry->d_name, &r);
        if (!is_ours(pid, entry->d_name, &r))
            continue;
        n++;
        if (r.effective & ~KEPT || r.permitted & ~KEPT)
            fail_msg("thread %s: capabilities %llx, %llx", r.name, r.effective, r.permitted);
        assert_int_equal(r.effective, r.permitted);
        assert_int_equal(r.inheritable, 0);
        assert_int_equal(r.bounding, 0);
        assert_int_equal(r.ambient, 0);
        assert_int_equal(r.no_new_privs, 1);
        for (int i = 0; i < 4; i++) {
            assert_int_equal(r.uid[i], uid);
            assert_int_equal(r.gid[i], gid);
        }
    }
    closedir(tasks);
    return n;
}

/* Return the scheduling policy of the thread of the cycle, or -1 if there is none. */
static int policy_of_cycle(pid_t pid)
{
    char path[64];
    struct dirent *entry;
    DIR *tasks;
    int policy = -1;

    snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
    tasks = opendir(path);
    assert_non_null(tasks);
    while ((entry = readdir(tasks))) {
        struct rights r;

        if (entry->d_name[0] == '.')
            continue;
        read_rights(pid, entry->d_name, &r);
        if (strncmp(r.name, "lkd-cycle", 9) == 0)
            policy = sched_getscheduler(atoi(entry->d_name));
    }
    closedir(tasks);
    return policy;
}

static bool has_open(pid_t pid, const char *what)
{
    char path[64], link[600], target[256];
    struct dirent *entry;
    bool has = false;
    DIR *folder;

    snprintf(path, sizeof(path), "/proc/%d/fd", (int)pid);
    folder = opendir(path);
    assert_non_null(folder);
    while ((entry = readdir(folder))) {
        ssize_t n;

        snprintf(link, sizeof(link), "%s/%s", path, entry->d_name);
        n = readlink(link, target, sizeof(target) - 1);
        target[n > 0 ? n : 0] = '\0';
        has = has || strcmp(target, what) == 0;
    }
    closedir(folder);
    return has;
}

/* Return true if this test itself can have the rights of the cycle. Root of a container may lack
 * them. */
static bool machine_grants(void)
{
    struct rights r;
    char tid[16];

    snprintf(tid, sizeof(tid), "%d", (int)getpid());
    read_rights(getpid(), tid, &r);
    return (r.effective & KEPT) == KEPT;
}

/* Check that a run has real-time priority and locked memory, whatever the user of the daemon. */
static void expect_real_time(struct harness *h)
{
    struct rights r;
    char tid[16];

    harness_load_model(h);
    harness_go(h);
    assert_int_equal(policy_of_cycle(h->pid), SCHED_FIFO);
    snprintf(tid, sizeof(tid), "%d", (int)h->pid);
    read_rights(h->pid, tid, &r);
    assert_true(r.locked_kib > 0 || !MEMORY_IS_LOCKED);
    if (access("/dev/cpu_dma_latency", W_OK) == 0)
        assert_true(has_open(h->pid, "/dev/cpu_dma_latency"));
}

/* ---- tests ---- */

static void test_root_gives_up(void **state)
{
    struct harness h;

    (void)state;
    if (geteuid() != 0)
        skip_because("it takes root", "run it as root");
    harness_open(&h, "realtime: {degraded: allow, share_core: true}\n");
    if (machine_grants())
        expect_real_time(&h);
    assert_true(expect_rights(h.pid, 0, getegid()) >= 4);
    harness_close(&h);
}

static void test_root_becomes_another_user(void **state)
{
    const struct passwd *nobody = getpwnam("nobody");
    struct harness h;
    struct rights r;
    char tid[16];

    (void)state;
    if (geteuid() != 0 || !nobody)
        skip_because("it takes root and a user nobody",
                     "run it as root, where there is a user nobody");
    open_daemon(&h, "realtime: {degraded: allow, share_core: true}\nprivileges: {user: nobody}\n");
    if (machine_grants())
        expect_real_time(&h);
    assert_true(expect_rights(h.pid, nobody->pw_uid, nobody->pw_gid) >= 4);
    /* no group of root remains */
    snprintf(tid, sizeof(tid), "%d", (int)h.pid);
    read_rights(h.pid, tid, &r);
    assert_int_equal(strtoul(r.groups, NULL, 10), nobody->pw_gid);
    assert_null(strstr(r.groups, " 0"));
    harness_close(&h);
}

/* The daemon reads the secret key while it is still root, because its later user could not read it.
 * The list of clients must stay readable for that user. */
static void test_secret_of_root(void **state)
{
    char path[2][128], secret[41], own[41], config[400];
    struct harness h = {.notify_fd = -1};
    char folder[64] = "/tmp/linkaged-keys-XXXXXX";

    (void)state;
    if (geteuid() != 0 || !getpwnam("nobody"))
        skip_because("it takes root and a user nobody",
                     "run it as root, where there is a user nobody");
    assert_non_null(mkdtemp(folder));
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(zmq_curve_keypair(own, secret), 0);
    for (int i = 0; i < 2; i++) {
        FILE *out;

        snprintf(path[i], sizeof(path[i]), "%s/%s", folder, i ? "clients" : "server.key");
        out = fopen(path[i], "w");
        assert_non_null(out);
        if (i)
            fprintf(out, "control me %s\n", own);
        else
            fprintf(out, "%s\n", secret);
        fclose(out);
        chmod(path[i], i ? 0644 : 0600);
    }
    snprintf(config, sizeof(config),
             "realtime: {degraded: allow, priority: 0, core: none}\nprivileges: {user: nobody}\n"
             "security: {secret_key: %s, clients: %s}\n",
             path[0], path[1]);
    snprintf(h.folder, sizeof(h.folder), "%s", folder);
    for (int i = 0; i < 3; i++)
        snprintf(h.endpoint[i], sizeof(h.endpoint[i]), "ipc://@linkaged-test-%d-%d", (int)getpid(),
                 i);
    snprintf(h.config, sizeof(h.config), "%s/linkaged.yaml", folder);
    harness_write_config(&h, h.config, config);
    snprintf(config, sizeof(config), "%s/log", folder);
    h.pid = harness_spawn((const char *const[]){"--config", h.config, NULL}, config, -1);
    while (access(config, F_OK))
        runs_nap();
    harness_await_log(&h, "[LK-1004]", 3);
    assert_int_equal(kill(h.pid, SIGHUP), 0);
    harness_await_log(&h, "[LK-6002] 1 clients in ", 1);
    assert_int_equal(kill(h.pid, SIGTERM), 0);
    assert_int_equal(harness_wait(h.pid, PATIENCE_MS), 0);
    assert_true(harness_log_has(folder, "log", "[LK-6002] 1 clients in "));
    unlink(config);
    unlink(h.config);
    unlink(path[0]);
    unlink(path[1]);
    rmdir(folder);
}

static void expect_refusal(const char *section, const char *words)
{
    struct harness h = {0};
    char log[128];

    for (int i = 0; i < 3; i++)
        snprintf(h.endpoint[i], sizeof(h.endpoint[i]), "ipc://@linkaged-test-%d-%d", (int)getpid(),
                 i);
    snprintf(h.folder, sizeof(h.folder), "/tmp/linkaged-test-XXXXXX");
    assert_non_null(mkdtemp(h.folder));
    snprintf(h.config, sizeof(h.config), "%s/linkaged.yaml", h.folder);
    snprintf(log, sizeof(log), "%s/log", h.folder);
    harness_write_config(&h, h.config, section);
    assert_int_equal(
        harness_wait(harness_spawn((const char *const[]){"--config", h.config, NULL}, log, -1),
                     PATIENCE_MS),
        1);
    assert_true(harness_log_has(h.folder, "log", words));
    unlink(log);
    unlink(h.config);
    rmdir(h.folder);
}

static void test_no_such_user(void **state)
{
    (void)state;
    expect_refusal("realtime: {degraded: allow, priority: 0, core: none}\n"
                   "privileges: {user: no-such-user}\n",
                   "[LK-6007] privileges: there is no user 'no-such-user'");
}

/* A recording folder that the later user of the daemon cannot use is reported at the start, not
 * after the run. */
static void test_folder_that_is_closed(void **state)
{
    char folder[] = "/tmp/linkaged-test-XXXXXX", section[200];
    struct harness h;

    (void)state;
    if (geteuid() != 0 || !getpwnam("nobody"))
        skip_because("it takes root and a user nobody",
                     "run it as root, where there is a user nobody");
    assert_non_null(mkdtemp(folder)); /* readable only by root */
    snprintf(section, sizeof(section),
             "realtime: {degraded: allow, priority: 0, core: none}\nprivileges: {user: nobody}\n"
             "evidence: {directory: %s}\n",
             folder);
    open_daemon(&h, section);
    assert_true(harness_log_has(h.folder, "log", "[LK-1006] evidence: "));
    assert_true(harness_log_has(h.folder, "log", ": Permission denied for user "));
    harness_close(&h);
    rmdir(folder);
}

int main(int argc, char *argv[])
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_root_gives_up),
        cmocka_unit_test(test_root_becomes_another_user),
        cmocka_unit_test(test_secret_of_root),
        cmocka_unit_test(test_no_such_user),
        cmocka_unit_test(test_folder_that_is_closed),
    };

    harness_init(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
