// SPDX-License-Identifier: Apache-2.0
#include "core/net/resp/reply_reader.h"

#include "core/net/resp/reply_guard.h"

#include <hiredis/read.h>

#include <algorithm>
#include <string>

namespace lockhouse {
namespace {

// Where hiredis' callbacks put what they are told. Each object that they hand back is a Reply inside `root`, which owns it.
struct Tree {
  Reply root;
  std::size_t items = 0;
  std::span<const std::size_t> elided;

  Reply *place(const redisReadTask *task, Reply value) {
    ++items;
    Reply *slot = task->parent == nullptr ? &root : &static_cast<Reply *>(task->parent->obj)->array()[static_cast<std::size_t>(task->idx)];
    *slot = std::move(value);
    return slot;
  }
};

Tree &treeOf(const redisReadTask *task) { return *static_cast<Tree *>(task->privdata); }

void *createString(const redisReadTask *task, char *bytes, std::size_t size) {
  std::string text(bytes, size);
  switch (task->type) {
  case REDIS_REPLY_ERROR: return treeOf(task).place(task, Reply(Reply::Failure{std::move(text)}));
  case REDIS_REPLY_STATUS: return treeOf(task).place(task, Reply(Reply::Status{std::move(text)}));
  default: return treeOf(task).place(task, Reply(std::move(text)));
  }
}

// The count is an int in hiredis 0.14 and a size_t in 1.x.
template <class Count> void *createArray(const redisReadTask *task, Count count) {
  return treeOf(task).place(task, Reply(Reply::Array(static_cast<std::size_t>(count))));
}

void *createInteger(const redisReadTask *task, long long value) {
  auto &tree = treeOf(task);
  if (!tree.elided.empty() && tree.elided.front() == tree.items) {
    tree.elided = tree.elided.subspan(1);
    return tree.place(task, Reply(Reply::Elided{static_cast<std::uint64_t>(value)}));
  }
  return tree.place(task, Reply(std::int64_t{value}));
}

void *createNil(const redisReadTask *task) { return treeOf(task).place(task, Reply()); }

void freeObject(void *) {}

redisReplyObjectFunctions builders() {
  redisReplyObjectFunctions functions{};
  functions.createString = &createString;
  functions.createArray = &createArray;
  functions.createInteger = &createInteger;
  functions.createNil = &createNil;
  functions.freeObject = &freeObject;
  return functions;
}

struct FreeReader {
  void operator()(redisReader *reader) const { redisReaderFree(reader); }
};

} // namespace

struct ReplyReader::Parser {
  explicit Parser(const ReplyLimits &limits) : guard(limits), hiredis(redisReaderCreateWithFunctions(&functions)) { hiredis->privdata = &tree; }

  bool parse(Reply &out) {
    tree.items = 0;
    tree.elided = guard.elided();
    const auto bytes = guard.reply();
    void *object = nullptr;
    if (redisReaderFeed(hiredis.get(), bytes.data(), bytes.size()) != REDIS_OK || redisReaderGetReply(hiredis.get(), &object) != REDIS_OK || object == nullptr)
      return false;
    out = std::move(tree.root);
    return true;
  }

  redisReplyObjectFunctions functions = builders();
  ReplyGuard guard;
  Tree tree;
  std::unique_ptr<redisReader, FreeReader> hiredis;
  std::string_view input;
  std::size_t at = 0;
  MessageFormat<0> fault;
};

ReplyReader::ReplyReader(const ReplyLimits &limits) : m_parser(std::make_unique<Parser>(limits)) {}
ReplyReader::~ReplyReader() = default;
ReplyReader::ReplyReader(ReplyReader &&) noexcept = default;
ReplyReader &ReplyReader::operator=(ReplyReader &&) noexcept = default;

void ReplyReader::feed(std::string_view bytes) {
  m_parser->input = bytes;
  m_parser->at = 0;
}

ReplyReader::Step ReplyReader::next(Reply &out) {
  auto &parser = *m_parser;
  if (!parser.fault.empty())
    return Step::Broken;
  switch (parser.guard.walk(parser.input, parser.at)) {
  case ReplyGuard::Step::Complete:
    if (parser.parse(out))
      return Step::Reply;
    parser.fault = LH_MESSAGE("ErrorWords", "a reply that cannot be parsed");
    return Step::Broken;
  case ReplyGuard::Step::Broken: parser.fault = parser.guard.fault(); return Step::Broken;
  case ReplyGuard::Step::More: break;
  }
  return Step::More;
}

Message ReplyReader::fault() const { return m_parser->fault; }

} // namespace lockhouse
