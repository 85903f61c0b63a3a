// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/node_trouble.h"

#include "ui/model/text/message_text.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

namespace lockhouse::ui {
namespace {

struct NodeTrouble {
  Q_DECLARE_TR_FUNCTIONS(NodeTrouble)
};

} // namespace

QString troubleText(const Error &error) {
  const QString next = withoutStop(messageText(error.next));
  return next.isEmpty() ? troubleWhat(error)
                        : NodeTrouble::tr("%1; %2.", "what is wrong with a node; what to do").arg(withoutStop(messageText(error.what)), next);
}

QString troubleWhat(const Error &error) { return NodeTrouble::tr("%1.", "what is wrong with a node").arg(withoutStop(messageText(error.what))); }

QString unwatchedText(const std::vector<std::string> &masters) {
  constexpr std::size_t most = 400; // letters
  QStringList names;
  for (const std::string &master : masters)
    names << fromUtf8(master);
  return names.isEmpty() ? QString()
                         : NodeTrouble::tr("Masters of this cluster that are not watched: %1. What lies there is not among these locks; start Lockhouse with "
                                           "their --url too.")
                               .arg(shown(names.join(NodeTrouble::tr(", ", "between two addresses")).toStdString(), most));
}

QString troubleTitle(ErrorCode code) {
  switch (code) {
  case ErrorCode::AuthFailed: return NodeTrouble::tr("The login was refused");
  case ErrorCode::TlsRejected: return NodeTrouble::tr("The secure connection was refused");
  case ErrorCode::NotPermitted: return NodeTrouble::tr("This user may not look");
  case ErrorCode::Protocol: return NodeTrouble::tr("What answers there is not Redis");
  case ErrorCode::Server:
  case ErrorCode::ReadOnly: return NodeTrouble::tr("The server refuses to answer");
  default: return NodeTrouble::tr("No node can be reached");
  }
}

QString troubleStep(ErrorCode code) {
  switch (code) {
  case ErrorCode::AuthFailed: return NodeTrouble::tr("Start Lockhouse again with the right login: --url redis://user:password@host:port.");
  case ErrorCode::TlsRejected: return NodeTrouble::tr("Start Lockhouse again with what the server asks for: --url rediss://host:port?cacert=FILE.");
  case ErrorCode::NotPermitted: return NodeTrouble::tr("Let the server's administrator widen this user's permissions, or log in as another one.");
  case ErrorCode::Protocol: return NodeTrouble::tr("Start Lockhouse again with the address of a Redis server: --url redis://host:port.");
  case ErrorCode::Server:
  case ErrorCode::ReadOnly: return NodeTrouble::tr("Lockhouse keeps trying. See what the server says, and mend it there.");
  default: return NodeTrouble::tr("Lockhouse keeps trying. Start the server, or start Lockhouse with another --url.");
  }
}

} // namespace lockhouse::ui
