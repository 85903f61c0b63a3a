// SPDX-License-Identifier: Apache-2.0
// primitives NAME and primitives --pages.
#include "tests/server/ctl/ctl_house.h"

#include <filesystem>
#include <fstream>

namespace lockhouse {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class PagesVerb : public test::CtlHouse {};

TEST_F(PagesVerb, printsThePageOfAPrimitiveOrOfATopicWhateverItsCase) {
  for (const auto &[word, page] :
       {std::pair{"HandoffLock", "HandoffLock\n"}, {"handofflock", "HandoffLock\n"}, {"RedLock", "RedLock\n"}, {"fences", "fences\n"}}) {
    const auto ended = bare({"primitives", word});
    EXPECT_EQ(ended.code, 0) << word;
    EXPECT_THAT(ended.out, StartsWith(page));
    EXPECT_THAT(ended.out, HasSubstr("\nEXAMPLE\n"));
    EXPECT_THAT(ended.err, IsEmpty());
  }
}

TEST_F(PagesVerb, givesTheSameAsJson) {
  const auto one = json({"primitives", "Mutex"});
  ASSERT_EQ(one["primitives"].size(), 1U);
  EXPECT_EQ(one["primitives"][0]["places"][0]["name"], "NAME");
  EXPECT_EQ(one["primitives"][0]["costs"]["commands"], 2);
  EXPECT_TRUE(one["topics"].empty());
  const auto topic = json({"primitives", "owners"});
  EXPECT_TRUE(topic["primitives"].empty());
  EXPECT_EQ(topic["topics"][0]["name"], "owners");
}

TEST_F(PagesVerb, namesThePagesWhereThereIsNoneOfThatName) {
  EXPECT_THAT(failed(bare({"primitives", "Lock\x1b[31m"}), 2), HasSubstr("no page \"Lock\\x1b[31m\"; choose one of Mutex, "));
  failed(bare({"primitives", ""}), 2);
  failed(bare({"primitives", "Mutex", "--pages", "/tmp"}), 2);
}

TEST_F(PagesVerb, writesAllPagesIntoAFolderAndOverThemAgain) {
  const auto folder = std::filesystem::path(m_server.folder()) / "a/b";
  for (int i = 0; i < 2; ++i) {
    const auto files = json({"primitives", "--pages", folder.string()})["pages"];
    ASSERT_GE(files.size(), 20U);
    std::ifstream index(folder / "index.md");
    const std::string text(std::istreambuf_iterator<char>(index), {});
    for (const auto &file : files) {
      EXPECT_GT(std::filesystem::file_size(folder / file.get<std::string>()), 400U) << file;
      EXPECT_TRUE(file == "index.md" || text.contains("(" + file.get<std::string>() + ")")) << file;
    }
  }
}

TEST_F(PagesVerb, saysInOneSentenceWhyAFolderCannotBeWritten) {
  const auto inTheWay = std::filesystem::path(m_server.folder()) / "file";
  std::ofstream(inTheWay) << "x";
  EXPECT_THAT(failed(bare({"primitives", "--pages", (inTheWay / "x").string()}), 5), HasSubstr("name another folder"));
  EXPECT_THAT(failed(bare({"primitives", "--pages", inTheWay.string()}), 5), HasSubstr("another folder"));
  const auto page = std::filesystem::path(m_server.folder()) / "pages";
  std::filesystem::create_directories(page / "Mutex.md");
  EXPECT_THAT(failed(bare({"primitives", "--pages", page.string()}), 5), HasSubstr("Mutex.md cannot be written"));
}

} // namespace
} // namespace lockhouse
