// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

extension LMDBDriver: ReplacementDriver {
  func beginReplacement(
    of description: PersistentStoreDescription
  ) throws -> (any StoreReplacement)? {
    try translating(description) { try LMDBReplacement(of: description, by: self) }
  }
}

/// A file that is watched until another one replaces it: its meta pages name the last transaction.
private struct LMDBReplacement: StoreReplacement {
  private let driver: LMDBDriver
  private let destination: PersistentStoreDescription
  private let state: State

  /// A file, and its last transaction.
  private struct State: Equatable {
    let file: FileIdentity
    let transaction: UInt64

    init(of descriptor: Int32) throws {
      let status = try FileStatus(of: descriptor)
      file = status.identity
      transaction = try LMDBHeader(of: descriptor, size: status.size).transaction
    }
  }

  init(of destination: PersistentStoreDescription, by driver: LMDBDriver) throws {
    self.driver = driver
    self.destination = destination
    state = try Self.state(of: destination)
  }

  private static func state(of description: PersistentStoreDescription) throws -> State {
    try LMDBLocation.withDescriptor(LMDBLocation(description.url).path, O_RDONLY) {
      try State(of: $0)
    }
  }

  func replace(with source: PersistentStoreDescription) throws -> Bool {
    // A store that was written is not copied for nothing.
    guard try driver.translating(destination, { try Self.state(of: destination) == state }) else {
      return false
    }
    return try driver.replace(destination, with: source) { descriptor in
      // No file, or one whose use is forced and which others may write.
      guard let descriptor else { return false }
      return try State(of: descriptor) == state
    }
  }
}
