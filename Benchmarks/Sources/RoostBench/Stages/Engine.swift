// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// An engine on which both sides are measured: Roost's store, and the engine called directly.
protocol Engine: AnyObject {
  var kind: StoreKind { get }
  /// The library or server, with its version.
  var version: String { get }
  /// What durability was on, in words.
  var durabilityNote: String { get }
  /// Where Roost's store is.
  var storeDescription: PersistentStoreDescription { get throws }
  /// Where another store of Roost's is; 0 for the usual one.
  func storeDescription(numbered number: Int) throws -> PersistentStoreDescription
  /// Opens the engine for direct calls, in the way of a baseline: a database for `tuned`, another one for all others.
  func openRaw(_ baseline: Baseline) throws -> any RawDatabase
  /// Opens the engine for direct calls of several threads at once, a handle for each; nil where nothing takes them.
  func openRaw(threads: Int) throws -> [any RawDatabase]?
  /// The bytes that Roost's store takes where it is kept; nil where nobody can say.
  func storedBytes() -> Int?
  /// What a child process needs to find the same store; nil when the store lives in this process only.
  var placeForChild: String? { get }
  /// Ends what was started for the engine.
  func shutDown()
}

extension Engine {
  func shutDown() {}

  func openRaw(threads: Int) throws -> [any RawDatabase]? {
    try (0..<threads).map { _ in try openRaw(.raw) }
  }

  func storedBytes() -> Int? { nil }
}

/// The sum of the lengths of files.
func byteCount(ofFilesAt paths: [String]) -> Int {
  paths.reduce(0) { sum, path in
    let attributes = try? FileManager.default.attributesOfItem(atPath: path)
    return sum + ((attributes?[.size] as? NSNumber)?.intValue ?? 0)
  }
}
