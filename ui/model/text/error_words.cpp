// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/model/text/error_words.h"

#include "ui/model/text/phrase_book.h"
#include "ui/widget/style/plain_text.h"

#include <QCoreApplication>

#include <array>

namespace lockhouse::ui {
namespace {

/// What core says of a failure and of the next step, %1 … being what was filled in; and what systems say most often.
constexpr std::array phrases{
    QT_TRANSLATE_NOOP("ErrorWords", "the file of families cannot be read: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file of families is longer than 1 MiB"),
    QT_TRANSLATE_NOOP("ErrorWords", "name another with --families"),
    QT_TRANSLATE_NOOP("ErrorWords", "a command without a name"),
    QT_TRANSLATE_NOOP("ErrorWords", "too much waits to be written to the server"),
    QT_TRANSLATE_NOOP("ErrorWords", "send less, or wait for answers"),
    QT_TRANSLATE_NOOP("ErrorWords", "not connected"),
    QT_TRANSLATE_NOOP("ErrorWords", "no connection"),
    QT_TRANSLATE_NOOP("ErrorWords", "wait for the connection"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server did not answer in time"),
    QT_TRANSLATE_NOOP("ErrorWords", "check whether it is overloaded or stopped"),
    QT_TRANSLATE_NOOP("ErrorWords", "the connection was lost before the answer: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "look whether the command ran"),
    QT_TRANSLATE_NOOP("ErrorWords", "the connection was lost before the command left: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the host has no address"),
    QT_TRANSLATE_NOOP("ErrorWords", "check the host in the URL"),
    QT_TRANSLATE_NOOP("ErrorWords", "the host's name is not known: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the socket's path is too long"),
    QT_TRANSLATE_NOOP("ErrorWords", "a Unix socket's path has at most 107 bytes"),
    QT_TRANSLATE_NOOP("ErrorWords", "no answer to the TLS handshake within %1 ms"),
    QT_TRANSLATE_NOOP("ErrorWords", "a server without TLS waits like this: use redis://, or the server's TLS port"),
    QT_TRANSLATE_NOOP("ErrorWords", "no connection within %1 ms"),
    QT_TRANSLATE_NOOP("ErrorWords", "check the network and the address"),
    QT_TRANSLATE_NOOP("ErrorWords", "cannot connect: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "start the server or check the URL"),
    QT_TRANSLATE_NOOP("ErrorWords", "the connection was closed here"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server speaks TLS on this port"),
    QT_TRANSLATE_NOOP("ErrorWords", "use rediss:// instead of redis://"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server sent %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "a reply that nobody asked for"),
    QT_TRANSLATE_NOOP("ErrorWords", "something that nobody asked for"),
    QT_TRANSLATE_NOOP("ErrorWords", "a message out of place"),
    QT_TRANSLATE_NOOP("ErrorWords", "another answer than that to a subscription"),
    QT_TRANSLATE_NOOP("ErrorWords", "another answer than that to PING"),
    QT_TRANSLATE_NOOP("ErrorWords", "a reply of a type that RESP2 does not have"),
    QT_TRANSLATE_NOOP("ErrorWords", "a line that is too long"),
    QT_TRANSLATE_NOOP("ErrorWords", "a line that does not end with CRLF"),
    QT_TRANSLATE_NOOP("ErrorWords", "an integer that is not one"),
    QT_TRANSLATE_NOOP("ErrorWords", "a bulk string of an impossible length"),
    QT_TRANSLATE_NOOP("ErrorWords", "an array of an impossible length"),
    QT_TRANSLATE_NOOP("ErrorWords", "an array with too many elements"),
    QT_TRANSLATE_NOOP("ErrorWords", "arrays nested too deep"),
    QT_TRANSLATE_NOOP("ErrorWords", "a bulk string that does not end with CRLF"),
    QT_TRANSLATE_NOOP("ErrorWords", "a reply that is too large"),
    QT_TRANSLATE_NOOP("ErrorWords", "a reply that cannot be parsed"),
    QT_TRANSLATE_NOOP("ErrorWords", "check that a Redis server listens there"),
    QT_TRANSLATE_NOOP("ErrorWords", "no login within %1 ms"),
    QT_TRANSLATE_NOOP("ErrorWords", "check that a Redis server answers there"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server closed the connection"),
    QT_TRANSLATE_NOOP("ErrorWords", "it is dialled again"),
    QT_TRANSLATE_NOOP("ErrorWords", "the connection was lost: %1 during the login"),
    QT_TRANSLATE_NOOP("ErrorWords", "the connection was lost: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server closed the connection during the login"),
    QT_TRANSLATE_NOOP("ErrorWords", "check that a Redis server listens there, and redis:// or rediss://"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server spoke before it was asked"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server turns clients away: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "it is tried again; free a client or wait until it has loaded"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server refused the login: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "an answer that is neither OK nor an error"),
    QT_TRANSLATE_NOOP("ErrorWords", "check the user and the password in the URL"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server wants a password"),
    QT_TRANSLATE_NOOP("ErrorWords", "put user and password into the URL: redis://user:password@host"),
    QT_TRANSLATE_NOOP("ErrorWords", "database %1 cannot be selected: %2"),
    QT_TRANSLATE_NOOP("ErrorWords", "choose another database in the URL"),
    QT_TRANSLATE_NOOP("ErrorWords", "check that this port speaks TLS, and the certificates in the URL"),
    QT_TRANSLATE_NOOP("ErrorWords", "connect by a name that the certificate holds instead of '%1'"),
    QT_TRANSLATE_NOOP("ErrorWords", "renew the server's certificate, or set this machine's clock"),
    QT_TRANSLATE_NOOP("ErrorWords", "name the authority that signed it with ?cacert=FILE"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server's certificate was refused: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the trusted certificates cannot be read: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the client certificate cannot be read: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the private key cannot be read: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "check the file that the URL names"),
    QT_TRANSLATE_NOOP("ErrorWords", "the host's name cannot be checked against a certificate"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server does not speak TLS on this port"),
    QT_TRANSLATE_NOOP("ErrorWords", "use redis:// instead of rediss://, or the server's TLS port"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server wants a client certificate"),
    QT_TRANSLATE_NOOP("ErrorWords", "name one with ?cert=FILE&key=FILE"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server ended the TLS handshake"),
    QT_TRANSLATE_NOOP("ErrorWords", "TLS failed: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "ask for an ACL rule that allows it"),
    QT_TRANSLATE_NOOP("ErrorWords", "whether %1 is one of several keys of %2 is not known, for this user may not read that"),
    QT_TRANSLATE_NOOP("ErrorWords", "use the master of this replica"),
    QT_TRANSLATE_NOOP("ErrorWords", "wait until the script that runs there has ended, or end it with SCRIPT KILL"),
    QT_TRANSLATE_NOOP("ErrorWords", "wait until the server has read its data"),
    QT_TRANSLATE_NOOP("ErrorWords", "free memory on the server, or raise its maxmemory"),
    QT_TRANSLATE_NOOP("ErrorWords", "free space on the server's disk: it cannot save what it is given"),
    QT_TRANSLATE_NOOP("ErrorWords", "bring the server's replicas back, or lower its min-replicas-to-write"),
    QT_TRANSLATE_NOOP("ErrorWords", "use the master, or wait until this replica reaches it"),
    QT_TRANSLATE_NOOP("ErrorWords", "wait until the cluster serves all of its slots"),
    QT_TRANSLATE_NOOP("ErrorWords", "wait until the cluster has moved the slot"),
    QT_TRANSLATE_NOOP("ErrorWords", "give the keys names that share a part in braces, such as {order:7}"),
    QT_TRANSLATE_NOOP("ErrorWords", "give a URL of the cluster's node that the answer names"),
    QT_TRANSLATE_NOOP("ErrorWords", "choose another key: this one holds something else"),
    QT_TRANSLATE_NOOP("ErrorWords", "leave the database out of the URL"),
    QT_TRANSLATE_NOOP("ErrorWords", "check whether the server has renamed or lacks this command"),
    QT_TRANSLATE_NOOP("ErrorWords", "changes are not announced to this user, so the server is polled"),
    QT_TRANSLATE_NOOP("ErrorWords", "permit CLIENT ID, CLIENT TRACKING and SUBSCRIBE to __redis__:invalidate"),
    QT_TRANSLATE_NOOP("ErrorWords",
                      "tracking is refused, and whether keyspace notifications tell of every lock is not shown to this user, so the server is polled"),
    QT_TRANSLATE_NOOP("ErrorWords", "permit CLIENT TRACKING, or CONFIG GET and INFO"),
    QT_TRANSLATE_NOOP("ErrorWords", "tracking is refused and keyspace notifications are off, so the server is polled"),
    QT_TRANSLATE_NOOP("ErrorWords", "permit CLIENT TRACKING, or set notify-keyspace-events to AE"),
    QT_TRANSLATE_NOOP("ErrorWords", "no second connection for the change feed, so the server is polled: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the change feed does not answer"),
    QT_TRANSLATE_NOOP("ErrorWords", "check whether the server is overloaded or stopped"),
    QT_TRANSLATE_NOOP("ErrorWords", "this user may not read %1, which tells whether this number is a lock"),
    QT_TRANSLATE_NOOP("ErrorWords", "the cluster does not serve %1, which tells whether this number is a lock"),
    QT_TRANSLATE_NOOP("ErrorWords", "permit its name in the user's ACL"),
    QT_TRANSLATE_NOOP("ErrorWords", "%1 is too long to be read whole: of its %2 entries %3 were looked at, and a lock among the others is not found"),
    QT_TRANSLATE_NOOP("ErrorWords", "%1 holds entries that are too long to be fetched, so whether it is a lock is not known"),
    QT_TRANSLATE_NOOP("ErrorWords", "where you know its holder, ask the server for that entry alone"),
    QT_TRANSLATE_NOOP("ErrorWords", "a key changes its type faster than it can be read"),
    QT_TRANSLATE_NOOP("ErrorWords", "permit CLIENT TRACKING, or INFO"),
    QT_TRANSLATE_NOOP("ErrorWords", "INFO is refused, so what keyspace notifications do not tell would be missed, and the server is polled"),
    QT_TRANSLATE_NOOP("ErrorWords", "keyspace notifications were narrowed, so the server is polled"),
    QT_TRANSLATE_NOOP("ErrorWords", "set notify-keyspace-events to AE, or permit CLIENT TRACKING"),
    QT_TRANSLATE_NOOP("ErrorWords", "the server is reading its data"),
    QT_TRANSLATE_NOOP("ErrorWords", "wait until it has"),
    QT_TRANSLATE_NOOP("ErrorWords", "this is the same database of the same server as %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "name it once"),
    QT_TRANSLATE_NOOP("ErrorWords", "another server, or the same one restarted, answers now"),
    QT_TRANSLATE_NOOP("ErrorWords", "this replica has lost its master, so that what it has may be old"),
    QT_TRANSLATE_NOOP("ErrorWords", "look at the master, or wait until its link is up"),
    QT_TRANSLATE_NOOP("ErrorWords", "data changes but keyspace notifications are silent, so the server is polled"),
    QT_TRANSLATE_NOOP("ErrorWords", "locks change that keyspace notifications do not tell of, so the server is polled"),
    QT_TRANSLATE_NOOP("ErrorWords", "changes come faster than they can be read"),
    QT_TRANSLATE_NOOP("ErrorWords", "the mirror is made anew"),
    QT_TRANSLATE_NOOP("ErrorWords", "this user may not read the key"),
    QT_TRANSLATE_NOOP("ErrorWords", "the watcher was closed"),
    QT_TRANSLATE_NOOP("ErrorWords", "CLIENT ID is refused, so changes cannot be tracked"),
    QT_TRANSLATE_NOOP("ErrorWords", "permit CLIENT ID and CLIENT TRACKING"),
    QT_TRANSLATE_NOOP("ErrorWords", "this node is not watched"),
    QT_TRANSLATE_NOOP("ErrorWords", "name it with --url"),
    QT_TRANSLATE_NOOP("ErrorWords", "a reason is needed: it is kept in the audit log"),
    QT_TRANSLATE_NOOP("ErrorWords", "the audit log cannot be written, so nothing was sent: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the audit log is not sound, and goes on as it is: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "record %1 is missing"),
    QT_TRANSLATE_NOOP("ErrorWords", "record %1 is missing: numbers were given up to %2"),
    QT_TRANSLATE_NOOP("ErrorWords", "record %1 was altered after it was written"),
    QT_TRANSLATE_NOOP("ErrorWords", "record %1 does not follow record %2: one of them was replaced or moved"),
    QT_TRANSLATE_NOOP("ErrorWords", "the highest number given was set back to %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "a record is not there as it was written: the file has a trigger that is none of Lockhouse's"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file has a trigger that is none of Lockhouse's: %1"),
    QT_TRANSLATE_NOOP("ErrorWords",
                      "the file of the audit log was removed, renamed or replaced while it was in use: what it had is not in the one that is there now"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file of the audit log was removed, renamed or replaced while it was in use"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file of the audit log or its -wal file was cut short, or its -wal or -shm file taken away, while it was in use"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file is damaged: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file of the audit log is not there, and records of it lie in its -wal file"),
    QT_TRANSLATE_NOOP("ErrorWords", "put it back, or move its -wal and -shm files to where it is now, named after it: then a new log begins here"),
    QT_TRANSLATE_NOOP("ErrorWords", "end the programs that have it open, and look with lockhousectl audit --verify what is left"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file of the audit log is empty, and records of it lie in its -wal file"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file of the audit log is empty: whatever was in it is gone"),
    QT_TRANSLATE_NOOP("ErrorWords", "look for who emptied it; the next release begins a new log there"),
    QT_TRANSLATE_NOOP("ErrorWords", "keep a copy of both files and move them away: a new log begins"),
    QT_TRANSLATE_NOOP("ErrorWords", "what this belongs to was recorded in a log that is not the one that is there now"),
    QT_TRANSLATE_NOOP(
        "ErrorWords",
        "keep what was moved away, move its -wal and -shm files to it, named after it, and try again: where none of them is there a new log begins"),
    QT_TRANSLATE_NOOP("ErrorWords", "a trigger that keeps records from being changed or removed is gone from the file"),
    QT_TRANSLATE_NOOP("ErrorWords",
                      "keep a copy of the file and compare it with a backup; where it is moved away with its -wal and -shm files, a new log begins"),
    QT_TRANSLATE_NOOP("ErrorWords",
                      "the file of the audit log was there without a byte, and a new chain begins in it: records that were in it before are gone"),
    QT_TRANSLATE_NOOP("ErrorWords", "not sent: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "nothing has been changed"),
    QT_TRANSLATE_NOOP("ErrorWords", "the outcome could not be recorded: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "nothing was changed"),
    QT_TRANSLATE_NOOP("ErrorWords", "no lock is there"),
    QT_TRANSLATE_NOOP("ErrorWords", "the key is a %1 that is no lock"),
    QT_TRANSLATE_NOOP("ErrorWords", "look at the lock again"),
    QT_TRANSLATE_NOOP("ErrorWords", "locked again before the release was sent"),
    QT_TRANSLATE_NOOP("ErrorWords", "this user may not read %1, which a release has to look at"),
    QT_TRANSLATE_NOOP("ErrorWords", "give a path that you may write"),
    QT_TRANSLATE_NOOP("ErrorWords", "cannot make the folder: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "cannot make the file: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "cannot read the file's rights: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "not a regular file"),
    QT_TRANSLATE_NOOP("ErrorWords", "give another path"),
    QT_TRANSLATE_NOOP("ErrorWords", "others may read the file and its rights cannot be changed: %1"),
    QT_TRANSLATE_NOOP("ErrorWords", "free some space on the disk"),
    QT_TRANSLATE_NOOP("ErrorWords", "another process is writing it; try again"),
    QT_TRANSLATE_NOOP("ErrorWords", "move the file away as evidence, with its -wal and -shm files: a new one begins in its place"),
    QT_TRANSLATE_NOOP("ErrorWords", "the log takes new records only"),
    QT_TRANSLATE_NOOP("ErrorWords", "check the file, its folder and the disk"),
    QT_TRANSLATE_NOOP("ErrorWords", "give this user the right to write the file and its folder, which SQLite needs for reading too, or look at a copy of it"),
    QT_TRANSLATE_NOOP("ErrorWords", "out of memory"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file is a database of something else"),
    QT_TRANSLATE_NOOP("ErrorWords", "the file is an audit log of version %1, this Lockhouse knows version %2"),
    QT_TRANSLATE_NOOP("ErrorWords", "use the Lockhouse that made it, or move the file away, with its -wal and -shm files: a new one begins in its place"),
    QT_TRANSLATE_NOOP("ErrorWords", "there is no place for the audit log: no home folder is known"),
    QT_TRANSLATE_NOOP("ErrorWords", "set HOME or XDG_STATE_HOME, or name a file"),
    QT_TRANSLATE_NOOP("ErrorWords", "the audit log takes no changes"),
    QT_TRANSLATE_NOOP("ErrorWords", "the audit log takes no removals"),
    QT_TRANSLATE_NOOP("ErrorWords", "the audit log takes new records only"),
    QT_TRANSLATE_NOOP("ErrorWords", "database disk image is malformed"),
    QT_TRANSLATE_NOOP("ErrorWords", "file is not a database"),
    QT_TRANSLATE_NOOP("ErrorWords", "database is locked"),
    QT_TRANSLATE_NOOP("ErrorWords", "unable to open database file"),
    QT_TRANSLATE_NOOP("ErrorWords", "attempt to write a readonly database"),
    QT_TRANSLATE_NOOP("ErrorWords", "disk I/O error"),
    QT_TRANSLATE_NOOP("ErrorWords", "database or disk is full"),
    QT_TRANSLATE_NOOP("ErrorWords", "the release was sent and may have happened: look again, and plan it anew where this hold is still there: the plan says "
                                    "whether another's could be taken for it"),
    QT_TRANSLATE_NOOP("ErrorWords", "not a lock of the family %1 any more: the key is a %2"),
    QT_TRANSLATE_NOOP("ErrorWords", "the script gave an answer of an unknown form"),
    QT_TRANSLATE_NOOP("ErrorWords", "check the server, then run this again"),
    QT_TRANSLATE_NOOP("ErrorWords", "the run was stopped before it began"),
    QT_TRANSLATE_NOOP("ErrorWords", "the node did not confirm every release"),
    QT_TRANSLATE_NOOP("ErrorWords", "what is left ends with its lease"),
    QT_TRANSLATE_NOOP("ErrorWords", "the node was away when the run ended"),
    QT_TRANSLATE_NOOP("ErrorWords", "the figures are of the time before"),
    QT_TRANSLATE_NOOP("ErrorWords", "no client had the lock and gave it back in the time of the run"),
    QT_TRANSLATE_NOOP("ErrorWords", "see in INFO replication of the node that it has so many replicas, or run it for longer"),
    QT_TRANSLATE_NOOP("ErrorWords", "run it for longer"),
    QT_TRANSLATE_NOOP("ErrorWords", "too few nodes answer for a quorum"),
    QT_TRANSLATE_NOOP("ErrorWords", "Connection refused"),
    QT_TRANSLATE_NOOP("ErrorWords", "Connection reset by peer"),
    QT_TRANSLATE_NOOP("ErrorWords", "Connection timed out"),
    QT_TRANSLATE_NOOP("ErrorWords", "No route to host"),
    QT_TRANSLATE_NOOP("ErrorWords", "Network is unreachable"),
    QT_TRANSLATE_NOOP("ErrorWords", "No such file or directory"),
    QT_TRANSLATE_NOOP("ErrorWords", "Permission denied"),
    QT_TRANSLATE_NOOP("ErrorWords", "Is a directory"),
    QT_TRANSLATE_NOOP("ErrorWords", "Not a directory"),
    QT_TRANSLATE_NOOP("ErrorWords", "No space left on device"),
    QT_TRANSLATE_NOOP("ErrorWords", "Read-only file system"),
    QT_TRANSLATE_NOOP("ErrorWords", "Broken pipe"),
    QT_TRANSLATE_NOOP("ErrorWords", "Name or service not known"),
    QT_TRANSLATE_NOOP("ErrorWords", "Temporary failure in name resolution"),
    QT_TRANSLATE_NOOP("ErrorWords", "No address associated with hostname"),
    QT_TRANSLATE_NOOP("ErrorWords", "self-signed certificate"),
    QT_TRANSLATE_NOOP("ErrorWords", "self-signed certificate in certificate chain"),
    QT_TRANSLATE_NOOP("ErrorWords", "unable to get local issuer certificate"),
    QT_TRANSLATE_NOOP("ErrorWords", "unable to verify the first certificate"),
    QT_TRANSLATE_NOOP("ErrorWords", "certificate has expired"),
    QT_TRANSLATE_NOOP("ErrorWords", "certificate is not yet valid"),
    QT_TRANSLATE_NOOP("ErrorWords", "hostname mismatch"),
    QT_TRANSLATE_NOOP("ErrorWords", "IP address mismatch"),
};

const PhraseBook &book() {
  static const PhraseBook book("ErrorWords", {phrases});
  return book;
}

// What is filled in may be a whole Error of its own: what, and what to do next.
QString valueWords(const QString &value) {
  if (auto whole = knownError(value))
    return *whole;
  const QString between = QStringLiteral("; ");
  for (qsizetype at = value.indexOf(between); at >= 0; at = value.indexOf(between, at + 1))
    if (const auto what = knownError(value.left(at)))
      return QCoreApplication::translate("ErrorWords", "%1; %2", "what is wrong, what to do").arg(*what, valueWords(value.mid(at + between.size())));
  return value;
}

} // namespace

std::optional<QString> knownError(const QString &words) {
  if (auto what = book().translated(words, valueWords))
    return what;
  const QString colon = QStringLiteral(": ");
  const qsizetype end = words.indexOf(QStringLiteral("; ")); // where it was is told first
  for (qsizetype at = words.indexOf(colon); at >= 0 && (end < 0 || at < end); at = words.indexOf(colon, at + 1))
    if (const auto what = book().translated(words.mid(at + colon.size()), valueWords))
      return QCoreApplication::translate("ErrorWords", "%1: %2", "where, what is wrong").arg(words.left(at), *what);
  return {};
}

bool errorOpensWithValue(const QString &words) { return book().opensWithValue(words).value_or(true); }

QString errorWords(std::string_view words) {
  const QString text = fromUtf8(words);
  return knownError(text).value_or(text);
}

QString errorSentence(const Error &error) {
  QString text = errorWords(error.what);
  if (!error.where.empty())
    text = QCoreApplication::translate("ErrorWords", "%1: %2", "where, what is wrong").arg(fromUtf8(error.where), text);
  if (!error.next.empty())
    text = QCoreApplication::translate("ErrorWords", "%1; %2", "what is wrong, what to do").arg(text, errorWords(error.next));
  return text;
}

} // namespace lockhouse::ui
