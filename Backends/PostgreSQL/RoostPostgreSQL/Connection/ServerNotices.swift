// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL

/// A commit to which the server has sent a warning.
///
/// A server with synchronous standbys confirms a COMMIT once they have it. When the statement is canceled meanwhile,
/// by this program or by an administrator, the server stops waiting and still reports the commit: only a warning tells
/// that the save is on one machine alone. Such a save is not acknowledged before a second transaction, which waits for
/// the same standbys, has been committed.
struct UnconfirmedCommit: Error {
  let mark: CommitToken
}

extension PostgreSQLConnection {
  /// Runs statements that end with a commit, and records whether the server warns meanwhile.
  func committing<Result>(_ body: (PostgreSQLConnection) throws -> Result) rethrows -> Result {
    isCommitSent = true
    hasWarned = false
    defer { isCommitSent = false }
    return try body(self)
  }

  /// Handles the server's notices: records warnings during commits, and notices that end the session. None of them is
  /// printed.
  func receiveNotices() {
    // The connection owns the handle: libpq calls back only while it is used, and so while the connection exists.
    PQsetNoticeReceiver(
      handle,
      { connection, notice in
        guard let connection else { return }
        Unmanaged<PostgreSQLConnection>.fromOpaque(connection).takeUnretainedValue()
          .note(notice)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func note(_ notice: OpaquePointer?) {
    // The severity in English, whatever the language of the server's messages.
    guard let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V"))) else { return }
    switch String(cString: severity) {
    case "WARNING": if isCommitSent { hasWarned = true }
    // Between two requests libpq reports an error as a notice; the server closes the socket shortly afterwards.
    case "FATAL", "PANIC": abandon()
    default: break
    }
  }
}
