// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Records operations on whole stores, and opens the states that a power loss could have left at any time: the old or
/// the new content before the call has returned, and the new content after it.
struct FileMoves {
  let kind: StoreKind
  let stateCount: Int
  let seed: UInt64
  let forgetsFlushes: Bool

  enum Move: String, CaseIterable, Sendable {
    case replace, destroy, migrate
  }

  private static let oldSteps: Int64 = 3
  private static let newSteps: Int64 = 9

  /// Runs everything.
  ///
  /// - Returns: The number of opened states.
  func run(_ move: Move) throws -> Int {
    try WatchedFolder.with { folder in
      let original = folder + "/original"
      try FileManager.default.createDirectory(atPath: original, withIntermediateDirectories: true)
      try prepare(original, move)
      let record = try DiskRecord(of: original) { acknowledge in
        if forgetsFlushes { DiskRecord.forgetFlushes() }
        try self.move(move, original)
        acknowledge(1)
      }
      return try StateWalk(record: record, stateCount: stateCount, seed: seed)
        .run(below: folder) { state, acknowledged in
          try inspect(state, move, isDone: acknowledged != nil)
        }
    }
  }

  private func fill(_ folder: String, _ file: String, _ steps: Int64) throws {
    let bank = try Bank(kind.description(in: folder, file))
    defer { bank.close() }
    for step in 0..<steps { try bank.step(after: step, bank.container.newBackgroundContext()) }
  }

  private func prepare(_ folder: String, _ move: Move) throws {
    if move != .migrate { try fill(folder, "bank", Self.oldSteps) }
    if move != .destroy { try fill(folder, "source", Self.newSteps) }
  }

  private func move(_ move: Move, _ folder: String) throws {
    let place = kind.description(in: folder)
    let source = kind.description(in: folder, "source")
    switch move {
    case .destroy: try kind.type.driver.destroy(place)
    case .replace: try kind.type.driver.replace(place, with: source)
    case .migrate:
      let bank = try Bank(source)
      defer { bank.close() }
      let coordinator = bank.container.persistentStoreCoordinator
      guard let store = coordinator.persistentStores.first, let url = place.url else {
        throw Finding("there is no store to migrate")
      }
      try coordinator.migratePersistentStore(store, to: url, type: kind.type)
    }
  }

  private func inspect(_ folder: String, _ move: Move, isDone: Bool) throws {
    let path = folder + "/bank"
    // An empty file is not a store: some kinds keep one at the path.
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    let isThere = (attributes?[.size] as? NSNumber)?.intValue ?? 0 > 0
    switch move {
    case .destroy:
      if isDone { return try Finding.require(!isThere, "the store is there again") }
      // The store may exist or not; an existing one can be opened, and destroyed again.
      if isThere { try inspect(folder, "bank", [Self.oldSteps, 0]) }
      try kind.type.driver.destroy(kind.description(in: folder))
    case .replace:
      try inspect(folder, "bank", isDone ? [Self.newSteps] : [Self.oldSteps, Self.newSteps])
      try inspect(folder, "source", [Self.newSteps])
    case .migrate:
      if isDone { return try inspect(folder, "bank", [Self.newSteps]) }
      try inspect(folder, "source", [Self.newSteps])
      // An incomplete copy is not taken for a store, and the next copy replaces it.
      do {
        if isThere { try inspect(folder, "bank", [0, Self.newSteps]) }
      } catch let error as PersistenceError {
        try Finding.require(
          error.code != .corruptStore, "a part of a copy is told as damage: \(error)")
      }
    }
  }

  private func inspect(_ folder: String, _ file: String, _ allowed: [Int64]) throws {
    let bank = try Bank(kind.description(in: folder, file))
    defer { bank.close() }
    let last = try bank.check((allowed.min() ?? 0)...(allowed.max() ?? 0))
    try Finding.require(allowed.contains(last), "step \(last) of \(file) is there, not \(allowed)")
    try bank.step(after: last, bank.container.newBackgroundContext())
    _ = try bank.check(last + 1...last + 1)
  }
}
