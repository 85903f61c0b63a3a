// SPDX-License-Identifier: Apache-2.0
// Usage: example_scheduled_job redis://127.0.0.1:6379
// A job that every process of a cluster is told to run, at each of five times: it runs once a time. The lock keeps the processes
// apart; that the time has been done is written down where the job's result is, so that who comes later finds it.
#include "core/lockhouse.h"

#include <cstdio>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace lockhouse;
using namespace std::chrono_literals;

namespace {

constexpr int processes = 4, times = 5;

int lastDone(const std::string &journal) {
  std::ifstream in(journal);
  int last = 0;
  for (int time = 0; in >> time;)
    last = time;
  return last;
}

int runProcess(const char *url, const std::string &journal) {
  auto client = Client::connect(url); // after the fork: a client does not cross it
  if (!client) {
    std::fputs((client.error().sentence() + "\n").c_str(), stderr);
    return 1;
  }
  const auto lock = client->mutex(LockName("example:job:report"), {.waitLimit = 20s});
  for (int time = 1; time <= times; ++time) {
    auto held = lock.acquire();
    if (!held) {
      std::fputs((held.error().sentence() + "\n").c_str(), stderr);
      return 1;
    }
    if (lastDone(journal) >= time)
      continue;                       // another process was first
    std::this_thread::sleep_for(1ms); // the job
    if (held->isHeld())
      std::ofstream(journal, std::ios::app) << time << '\n';
  }
  return 0;
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  std::string journal = "/tmp/example_scheduled_job.XXXXXX";
  ::close(::mkstemp(journal.data()));
  std::vector<pid_t> children;
  for (int i = 0; i < processes; ++i) {
    const pid_t child = ::fork();
    if (child == 0)
      ::_exit(runProcess(argv[1], journal));
    children.push_back(child);
  }
  bool failed = false;
  for (const auto child : children) {
    int status = -1;
    ::waitpid(child, &status, 0);
    failed = failed || status != 0;
  }
  std::ifstream in(journal);
  int runs = 0;
  for (std::string line; std::getline(in, line);)
    ++runs;
  std::remove(journal.c_str());
  if (failed)
    return 1;
  std::printf("%d processes, %d times, %d runs\n", processes, times, runs);
  return runs == times ? 0 : 1;
}
