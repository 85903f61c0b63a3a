// SPDX-License-Identifier: Apache-2.0
#include "core/base/error.h"

#include <gtest/gtest.h>

#include <set>

namespace lockhouse {
namespace {

TEST(Error, sentenceSaysWhereWhatAndWhatNext) {
  EXPECT_EQ((Error{ErrorCode::Unreachable, Message::verbatim("connection refused"), "127.0.0.1:6379", Message::verbatim("start the server or check --url")}
                 .sentence()),
            "127.0.0.1:6379: connection refused; start the server or check --url");
}

TEST(Error, sentenceLeavesOutWhatIsNotKnown) {
  EXPECT_EQ((Error{ErrorCode::Server, Message::verbatim("boom"), {}, {}}.sentence()), "boom");
  EXPECT_EQ((Error{ErrorCode::Server, Message::verbatim("boom"), "here", {}}.sentence()), "here: boom");
  EXPECT_EQ((Error{ErrorCode::Server, Message::verbatim("boom"), {}, Message::verbatim("try again")}.sentence()), "boom; try again");
}

TEST(Error, everyCodeHasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::Internal); ++code)
    names.insert(name(static_cast<ErrorCode>(code)));
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::Internal) + 1);
  EXPECT_FALSE(names.contains(""));
}

TEST(Error, failCarriesAllFourParts) {
  const Result<int> result = fail(ErrorCode::Usage, Message::verbatim("what"), "where", Message::verbatim("next"));
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error(), (Error{ErrorCode::Usage, Message::verbatim("what"), "where", Message::verbatim("next")}));
}

} // namespace
} // namespace lockhouse
