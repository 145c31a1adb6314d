// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory

/// The store in memory beside plain Swift structures.
final class MemoryEngine: Engine {
  private let name = "bench-\(UUID().uuidString)"
  private let raw = RawMemory()

  init(durability: Durability) throws {
    guard durability == .full else {
      throw BenchError("A store in memory has no durability to choose.")
    }
  }

  var kind: StoreKind { .memory }
  var version: String { "ordered maps in the process" }
  var durabilityNote: String { "none: the data is gone with the process" }
  var placeForChild: String? { nil }
  var storeDescription: PersistentStoreDescription { storeDescription(numbered: 0) }

  func storeDescription(numbered number: Int) -> PersistentStoreDescription {
    .inMemory(named: number == 0 ? name : "\(name)-\(number)")
  }

  /// The same structures each time: they are the data, and closing them would lose it.
  func openRaw(_ baseline: Baseline) -> any RawDatabase { raw }

  /// Plain structures are one thread's.
  func openRaw(threads: Int) -> [any RawDatabase]? { threads == 1 ? [raw] : nil }
}
