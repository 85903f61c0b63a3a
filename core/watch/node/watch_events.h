// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "core/watch/scan/tagged_command.h"
#include "core/watch/server/change_feed.h"

#include <variant>

namespace lockhouse {

/// When an event happened, by both clocks.
struct Moment {
  SteadyTime steady{};
  WallTime wall{};
};

// What happens to a NodeWatcher.
namespace watching {
struct CommandsUp {};
struct CommandsDown {
  Error why;
};
struct Answered { ///< to a TaggedCommand; exactly once each
  std::uint64_t tag = 0;
  Result<Reply> reply;
};
struct FeedUp {
  std::optional<Error> trackingRefused;
};
struct FeedSubscribed { ///< to FeedActions::subscribeAll
  Result<void> result;
};
struct FeedDown {
  Error why;
};
struct FeedPong {
  std::uint64_t number = 0;
};
struct KeysInvalidated {
  const Reply::Array *keys = nullptr; ///< valid during the call
};
struct AllInvalidated {};
struct KeyEvent {
  std::string_view event, key; ///< valid during the call
  bool elsewhere = false;      ///< in another database than ours
};
struct Tick {};
struct ReadWanted {
  LockName key;
  std::uint64_t request = 0; ///< not 0; comes back in ReadDone
};
struct ReleaseExpected {
  std::vector<LockName> keys;
};
struct SubscribersWanted { ///< by another node of the cluster, while subscriberCounting() is Open; answered by SubscriberAnswer
  std::uint64_t request = 0;
  std::vector<std::string> channels;
  bool areSharded = false;
};
struct RemoteCounts { ///< to a SubscriberQuestion; exactly once each
  std::uint64_t number = 0;
  std::vector<std::uint64_t> clients; ///< of each channel
  std::size_t nodes = 0;              ///< that were asked
  bool isWhole = true;                ///< all masters of the cluster were asked
};
} // namespace watching

using WatchEvent = std::variant<watching::CommandsUp, watching::CommandsDown, watching::Answered, watching::FeedUp, watching::FeedSubscribed,
                                watching::FeedDown, watching::FeedPong, watching::KeysInvalidated, watching::AllInvalidated, watching::KeyEvent, watching::Tick,
                                watching::ReadWanted, watching::ReleaseExpected, watching::SubscribersWanted, watching::RemoteCounts>;

/// What a NodeWatcher wants done.
struct WatchActions {
  struct ReadDone {
    std::uint64_t request = 0;
    Result<LockRecordPtr> record; ///< null: no lock there
  };
  struct SubscriberQuestion { ///< how many clients subscribe to these channels at the other nodes of the cluster
    std::uint64_t number = 0;
    std::vector<std::string> channels;
  };
  struct SubscriberAnswer { ///< exactly one to each SubscribersWanted
    std::uint64_t request = 0;
    std::optional<std::vector<std::uint64_t>> clients; ///< nothing: not known
  };
  Asks asks; ///< commands, in this order
  FeedActions feed;
  std::vector<ReadDone> readsDone;
  std::vector<SubscriberQuestion> subscriberQuestions;
  std::vector<SubscriberAnswer> subscriberAnswers;
};

} // namespace lockhouse
