// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// The session of the browsed store, kept open unless that would lock out others.
///
/// SQLite, LMDB and PostgreSQL stores stay open. A binary store is locked while it is open, and does not see the
/// saves of others: it is opened for each request.
final class BrowserSessions: Sendable {
  private let address: StoreAddress
  private let modelPath: String?
  let isWritable: Bool
  private let keepsOpen: Bool
  private let state = Mutex(State())

  /// An open store, its file, and the number of its running requests.
  fileprivate struct Kept {
    let number: Int
    let session: StoreSession
    let file: FileNumber
    var users: Int
  }

  fileprivate struct State {
    /// The session for new requests.
    var current: Kept?
    /// Sessions whose file has been replaced, until their last request has ended.
    var outdated: [Kept] = []
    var count = 0
  }

  /// Opens the store once, so that an error is reported before the page is served.
  ///
  /// - Throws: The errors of opening the store.
  init(_ address: StoreAddress, modelPath: String?, isWritable: Bool) throws {
    self.address = address
    self.modelPath = modelPath
    self.isWritable = isWritable
    keepsOpen = try StoreAddress.Kind(address.existing().type) != .binary
    let session = try open()
    guard keepsOpen else {
      session.close()
      return
    }
    let file = FileNumber(session)
    state.withLock { _ = $0.keep(session, file, users: 0) }
  }

  /// The timeout for a busy store, in seconds.
  private static let timeout = 5.0

  private func open() throws -> StoreSession {
    isWritable
      ? try StoreSession(writing: address, modelPath: modelPath, timeout: Self.timeout)
      : try StoreSession(reading: address, modelPath: modelPath, timeout: Self.timeout)
  }

  /// Calls a function with the open session.
  ///
  /// - Throws: The errors of the function.
  func use<Result>(_ body: (StoreSession) throws -> Result) throws -> Result {
    guard keepsOpen else {
      let session = try open()
      defer { session.close() }
      return try body(session)
    }
    let kept = try acquire()
    defer { release(kept) }
    return try body(kept.session)
  }

  /// Returns the open store for one request. It is reopened when another file has replaced its file, which a reader
  /// would not notice.
  private func acquire() throws -> Kept {
    if let known = state.withLock({ $0.use() }) {
      if known.file == FileNumber(known.session) { return known }
      state.withLock { $0.retire(known) }
      release(known)
    }
    let opened = try open()
    let file = FileNumber(opened)
    let kept = state.withLock { $0.use() ?? $0.keep(opened, file, users: 1) }
    // Another request was sooner.
    if kept.session.coordinator !== opened.coordinator { opened.close() }
    return kept
  }

  /// Ends a request. The last one in a store that is outdated closes it.
  private func release(_ kept: Kept) {
    state.withLock { $0.release(kept) }?.close()
  }

  /// Closes the store, once it has no running requests.
  func close() {
    guard let kept = state.withLock({ $0.use() }) else { return }
    state.withLock { $0.retire(kept) }
    release(kept)
  }

  /// The identity of the file of a store; the same for all stores that are no files.
  fileprivate struct FileNumber: Equatable {
    private let number: UInt64?

    init(_ session: StoreSession) {
      guard let url = session.store.description.url, url.isFileURL else {
        number = nil
        return
      }
      let attributes = try? FileManager.default.attributesOfItem(
        atPath: url.path(percentEncoded: false))
      number = (attributes?[.systemFileNumber] as? NSNumber)?.uint64Value
    }
  }
}

extension BrowserSessions.State {
  /// The current one, for a request more.
  fileprivate mutating func use() -> BrowserSessions.Kept? {
    current?.users += 1
    return current
  }

  fileprivate mutating func keep(
    _ session: StoreSession, _ file: BrowserSessions.FileNumber, users: Int
  ) -> BrowserSessions.Kept {
    count += 1
    let kept = BrowserSessions.Kept(number: count, session: session, file: file, users: users)
    current = kept
    return kept
  }

  /// Stops giving a session to new requests, unless another one is current already.
  fileprivate mutating func retire(_ kept: BrowserSessions.Kept) {
    guard let old = current, old.number == kept.number else { return }
    outdated.append(old)
    current = nil
  }

  /// - Returns: The session to close, if that was the last request in it.
  fileprivate mutating func release(_ kept: BrowserSessions.Kept) -> StoreSession? {
    if current?.number == kept.number {
      current?.users -= 1
      return nil
    }
    guard let place = outdated.firstIndex(where: { $0.number == kept.number }) else { return nil }
    outdated[place].users -= 1
    return outdated[place].users == 0 ? outdated.remove(at: place).session : nil
  }
}
