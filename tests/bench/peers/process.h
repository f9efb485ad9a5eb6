/* SPDX-License-Identifier: Apache-2.0 */
/* A harness process behind two pipes; engine.h describes the lines. */
#ifndef PEERS_PROCESS_H
#define PEERS_PROCESS_H

#include <string>
#include <sys/types.h>
#include <vector>

class Process
{
    pid_t pid = -1;
    int to = -1, from = -1;
    std::string unread;

    double cpu_seconds() const;
    void wait() const;
    std::string line();

  public:
    /* Process() - Start a program. Throws std::runtime_error. */
    explicit Process(const std::string &program);
    ~Process();
    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    /* ask() - Send a line and wait for the answer, at most a minute of the program's CPU time.
     * Return: its lines, the last one without its "ok". Throws the reason of a "no". */
    std::vector<std::string> ask(const std::string &question);
};

#endif
