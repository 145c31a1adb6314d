// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore

/// The files that this process has open, each once: a second environment of one file would, when it is closed, take the
/// locks of the first one away.
final class OpenEnvironments: @unchecked Sendable {
  // Sendable: the dictionary is used under the lock.

  /// The files of this process.
  static let shared = OpenEnvironments()

  private let lock = NSLock()
  private var environments: [FileIdentity: LMDBEnvironment] = [:]

  /// Returns the environment of a file, which is made or opened when it is not there; to be given back by
  /// ``release(_:)``.
  func open(_ location: LMDBLocation, _ settings: LMDBSettings) throws -> LMDBEnvironment {
    lock.lock()
    defer { lock.unlock() }
    forgetInherited()
    let deadline = Deadline(after: settings.timeout)
    while true {
      let status = try existing(location, settings)
      if let environment = environments[status.identity] {
        try environment.join(settings)
        return environment
      }
      if let environment = try LMDBEnvironment(location, status.identity, settings) {
        environments[status.identity] = environment
        return environment
      }
      guard !deadline.isOver else {
        throw PersistenceError(.storeBusy, "Others remove and make the file again and again.")
      }
    }
  }

  /// Gives an environment back; the last one to do so closes the file.
  func release(_ environment: LMDBEnvironment) {
    lock.lock()
    defer { lock.unlock() }
    guard environment.leave() else { return }
    if environments[environment.identity] === environment {
      environments[environment.identity] = nil
    }
  }

  /// Calls `body` while nobody in this process opens a file; with whether a file is open.
  func withFile<Result>(
    _ identity: FileIdentity?, _ body: (_ isOpen: Bool) throws -> Result
  ) throws -> Result {
    lock.lock()
    defer { lock.unlock() }
    forgetInherited()
    return try body(identity.map { environments[$0] != nil } ?? false)
  }

  /// What a parent process had open is not ours: it is never used, and never closed.
  private func forgetInherited() {
    environments = environments.filter { $0.value.isOfThisProcess }
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
