// SPDX-License-Identifier: Apache-2.0

import CPostgreSQL

/// A commit that the server has answered with a warning.
///
/// A server with synchronous standbys answers a COMMIT when they have it. When the statement is canceled meanwhile, by
/// this program or by an administrator, the server stops waiting and still answers that it has committed: the warning
/// beside it is all that tells that the save is on one machine alone. Such a save is not acknowledged before a second
/// transaction, which waits for the same standbys, has gone through.
struct UnconfirmedCommit: Error {
  let mark: CommitToken
}

extension PostgreSQLConnection {
  /// Runs what ends with a commit, and notes whether the server warns meanwhile.
  func committing<Result>(_ body: (PostgreSQLConnection) throws -> Result) rethrows -> Result {
    isCommitSent = true
    hasWarned = false
    defer { isCommitSent = false }
    return try body(self)
  }

  /// Notes warnings of commits, and when the server ends the session. Nothing of what it remarks is for the program's
  /// output.
  func receiveNotices() {
    // The connection owns the handle: libpq calls back while it is used, and so while the connection is there.
    PQsetNoticeReceiver(
      handle,
      { connection, notice in
        guard let connection else { return }
        Unmanaged<PostgreSQLConnection>.fromOpaque(connection).takeUnretainedValue()
          .note(notice)
      }, Unmanaged.passUnretained(self).toOpaque())
  }

  private func note(_ notice: OpaquePointer?) {
    // The severity in English, whatever language the server speaks.
    guard let severity = PQresultErrorField(notice, Int32(UInt8(ascii: "V"))) else { return }
    switch String(cString: severity) {
    case "WARNING": if isCommitSent { hasWarned = true }
    // Between two requests libpq takes an error for a remark; the socket is closed a moment later.
    case "FATAL", "PANIC": abandon()
    default: break
    }
  }
}
