// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore

/// The environments that this process has open, one per file: closing a second environment of the same file would
/// release the POSIX locks of the first.
///
/// Opening and closing wait for the disk, and for other processes that lock the file. So they run outside the lock,
/// in a thread that has claimed the file: only threads that want the same file wait.
final class OpenEnvironments: @unchecked Sendable {
  // Sendable: the mutable state is used under `condition`.

  /// The files of this process.
  static let shared = OpenEnvironments()

  /// The target of an exclusive claim: a path, before the file there is known, and a file.
  private enum Claim: Hashable {
    case place(String)
    case file(FileIdentity)
  }

  private let condition = NSCondition()
  private var environments: [FileIdentity: LMDBEnvironment] = [:]
  private var claims: Set<Claim> = []
  private var process = ProcessGeneration.current

  /// Returns the environment of a file, which is created or opened when needed; the caller returns it with
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

  /// Opens a file that the caller has claimed; nil when another one has replaced it meanwhile.
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

  /// Calls `body` while this process neither opens nor closes the file; passes whether the file is open.
  ///
  /// - Parameters:
  ///   - location: The path of the file.
  ///   - identity: The file; nil when there is none.
  ///   - timeout: The longest wait for another thread that opens or closes it.
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

  /// The number of claimed paths and files, for tests.
  var claimCount: Int { condition.withLock { claims.count } }

  // MARK: - Claims

  /// Claims have one lock order, a path before its file, so that they cannot deadlock.
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

  /// Drops the environments inherited from a parent process, which are never used and never closed here. The caller
  /// has locked `condition`.
  private func forgetInherited() {
    guard process != ProcessGeneration.current else { return }
    process = ProcessGeneration.current
    environments = environments.filter { $0.value.isOfThisProcess }
    claims = []
  }

  /// Returns the status of the file, which is created first when it is missing or empty (B322).
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
