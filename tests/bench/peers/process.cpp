// SPDX-License-Identifier: Apache-2.0
#include "process.h"
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

// of CPU time: on a busy machine an answer takes longer and is still coming
static constexpr double patience_s = 60;

// The ends that stay here are closed in every program started later: a harness must see the end
// of its input when it comes.
Process::Process(const std::string &program)
{
    int down[2], up[2];

    if (pipe2(down, O_CLOEXEC) != 0 || pipe2(up, O_CLOEXEC) != 0 || (pid = fork()) < 0)
        throw std::runtime_error("no pipe or process for " + program);
    if (pid == 0) {
        dup2(down[0], 0);
        dup2(up[1], 1);
        execl(program.c_str(), program.c_str(), static_cast<char *>(nullptr));
        _exit(127);
    }
    close(down[0]);
    close(up[1]);
    to = down[1];
    from = up[0];
}

Process::~Process()
{
    close(to);
    close(from);
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
}

double Process::cpu_seconds() const
{
    clockid_t clock;
    timespec t = {};

    if (clock_getcpuclockid(pid, &clock) == 0)
        clock_gettime(clock, &t);
    return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

// Waits until there is something to read, or the end of it.
void Process::wait() const
{
    const double begin = cpu_seconds();
    pollfd ready = {from, POLLIN, 0};

    while (poll(&ready, 1, 1000) == 0)
        if (cpu_seconds() - begin > patience_s)
            throw std::runtime_error("no answer after a minute of CPU time");
}

std::string Process::line()
{
    size_t end;

    while ((end = unread.find('\n')) == std::string::npos) {
        char block[4096];

        wait();
        const ssize_t n = read(from, block, sizeof(block));
        if (n <= 0)
            throw std::runtime_error("the engine's process died");
        unread.append(block, size_t(n));
    }
    const std::string l = unread.substr(0, end);
    unread.erase(0, end + 1);
    return l;
}

std::vector<std::string> Process::ask(const std::string &question)
{
    const std::string q = question + "\n";
    std::vector<std::string> lines;

    if (write(to, q.data(), q.size()) != ssize_t(q.size()))
        throw std::runtime_error("the engine's process died");
    for (;;) {
        const std::string l = line();

        if (l.rfind("no ", 0) == 0)
            throw std::runtime_error(l.substr(3));
        if (l.rfind("ok", 0) == 0) {
            lines.push_back(l.size() > 3 ? l.substr(3) : "");
            return lines;
        }
        lines.push_back(l);
    }
}
