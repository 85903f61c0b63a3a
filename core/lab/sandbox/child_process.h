// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

namespace lockhouse {

/// Full path of the program that execvp() would run for `name`: the first executable regular file in PATH. Nothing if there is none.
std::optional<std::string> findProgram(const std::string &name);

/// Starts `program` (a full path) with `words` (argv, its own name first) in a process group of its own, with no terminal and no
/// open files of ours. Any thread. The kernel kills it when this process ends in whatever way, SIGKILL included, and not earlier:
/// the death of the calling thread does not matter. The caller reaps it with waitpid(). -1 with errno if it cannot be forked;
/// exit status 127 if it cannot be run.
/// Source: prctl(2) PR_SET_PDEATHSIG, whose "parent" is the thread that forked.
pid_t startTied(const std::string &program, std::vector<std::string> words);

} // namespace lockhouse
