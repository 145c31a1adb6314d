// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore

/// The files that this process has open, each once: a second environment of one file would, when it is closed, take the
/// locks of the first one away.
///
/// Opening and closing take the disk's time, and the time that others lock the file. So they are done without the
/// lock, by a thread that has claimed the file: only who wants the same file waits for it.
final class OpenEnvironments: @unchecked Sendable {
  // Sendable: the mutable state is used under `condition`.

  /// The files of this process.
  static let shared = OpenEnvironments()

  /// What one thread at a time does something with: a place, before it is known which file is there, and a file.
  private enum Claim: Hashable {
    case place(String)
    case file(FileIdentity)
  }

  private let condition = NSCondition()
  private var environments: [FileIdentity: LMDBEnvironment] = [:]
  private var claims: Set<Claim> = []
  private var process = ProcessGeneration.current

  /// Returns the environment of a file, which is made or opened when it is not there; to be given back by
  /// ``release(_:)``.
  func open(_ location: LMDBLocation, _ settings: LMDBSettings) throws -> LMDBEnvironment {
    let deadline = Deadline(after: settings.timeout)
    return try claiming(.place(location.path), until: deadline) {
      while true {
        let status = try existing(location, settings)
        let environment = try claiming(.file(status.identity), until: deadline) {
          try open(location, status.identity, settings)
        }
        if let environment { return environment }
        guard !deadline.isOver else {
          throw PersistenceError(.storeBusy, "Others remove and make the file again and again.")
        }
      }
    }
  }

  /// Opens a file that the caller has claimed; nil when another one has taken its place meanwhile.
  private func open(
    _ location: LMDBLocation, _ identity: FileIdentity, _ settings: LMDBSettings
  ) throws -> LMDBEnvironment? {
    if let environment = try condition.withLock({ try join(identity, settings) }) {
      return environment
    }
    let environment = try LMDBEnvironment(location, identity, settings)
    condition.withLock { environments[identity] = environment }
    return environment
  }

  private func join(
    _ identity: FileIdentity, _ settings: LMDBSettings
  ) throws -> LMDBEnvironment? {
    let environment = environments[identity]
    try environment?.join(settings)
    return environment
  }

  /// Gives an environment back; the last one to do so closes the file.
  func release(_ environment: LMDBEnvironment) {
    let claim = Claim.file(environment.identity)
    condition.lock()
    forgetInherited()
    while claims.contains(claim) { condition.wait() }
    guard environment.leave() else { return condition.unlock() }
    if environments[environment.identity] === environment {
      environments[environment.identity] = nil
    }
    claims.insert(claim)
    condition.unlock()
    environment.closeFile()
    giveUp(claim)
  }

  /// Calls `body` while nobody in this process opens or closes a file; with whether the file is open.
  ///
  /// - Parameters:
  ///   - location: Where the file is.
  ///   - identity: The file; nil when there is none.
  ///   - timeout: How long another thread may take that opens or closes it.
  func withFile<Result>(
    at location: LMDBLocation, _ identity: FileIdentity?, timeout: TimeInterval,
    _ body: (_ isOpen: Bool) throws -> Result
  ) throws -> Result {
    let deadline = Deadline(after: timeout)
    return try claiming(.place(location.path), until: deadline) {
      guard let identity else { return try body(false) }
      return try claiming(.file(identity), until: deadline) {
        try body(condition.withLock { environments[identity] != nil })
      }
    }
  }

  /// How many places and files are claimed, for tests.
  var claimCount: Int { condition.withLock { claims.count } }

  // MARK: - Claims

  /// A place is claimed before the file that is there: nobody who waits for a file has what another one waits for.
  private func claiming<Result>(
    _ claim: Claim, until deadline: Deadline, _ body: () throws -> Result
  ) throws -> Result {
    try condition.withLock {
      forgetInherited()
      while claims.contains(claim) {
        guard condition.wait(until: deadline) else {
          throw PersistenceError(
            .storeBusy, "Another thread opened, closed or moved the file until the time was over.")
        }
      }
      claims.insert(claim)
    }
    defer { giveUp(claim) }
    return try body()
  }

  private func giveUp(_ claim: Claim) {
    condition.withLock {
      claims.remove(claim)
      condition.broadcast()
    }
  }

  /// What a parent process had open is not ours: it is never used, and never closed. The caller has locked
  /// `condition`.
  private func forgetInherited() {
    guard process != ProcessGeneration.current else { return }
    process = ProcessGeneration.current
    environments = environments.filter { $0.value.isOfThisProcess }
    claims = []
  }

  /// The file as it is, after it was made when it is missing or empty (B322).
  private func existing(
    _ location: LMDBLocation, _ settings: LMDBSettings
  ) throws -> FileStatus {
    if let status = try location.status() {
      guard status.isRegular else {
        throw PersistenceError(.persistentStoreOpen, "There is something else than a file.")
      }
      if status.size > 0 { return status }
    }
    guard !settings.isReadOnly else {
      throw PersistenceError(.persistentStoreOpen, "There is no file to open for reading.")
    }
    try LMDBCreation.makeFile(at: location, settings)
    guard let status = try location.status() else { throw LMDBError.system("look at the file") }
    return status
  }
}
