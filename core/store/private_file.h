// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/base/error.h"

#include <string>
#include <sys/types.h>

namespace lockhouse {

/// Makes sure that `path` is a regular file which only this user may read and write (0600), creating it and the folders above it
/// (0700) where they are missing. Follows no symbolic link in the last step. Locks that this process holds on the file stay held.
/// Says whether it was there before, empty (isEmptyToSqlite). Error Storage.
Result<bool> makePrivateFile(const std::string &path);
/// That makePrivateFile() would get so far as to make the file, which is not there, without making anything. Error Storage.
Result<void> checkCanMakeFile(const std::string &path);
/// SQLite begins a database anew in a file of that size: it takes one byte for none.
constexpr bool isEmptyToSqlite(off_t size) { return size <= 1; }

} // namespace lockhouse
