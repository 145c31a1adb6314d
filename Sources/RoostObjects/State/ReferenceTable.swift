// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// What the contexts of one tree write into the to-one slots of the rows that they give to each other.
///
/// A slot holds the key of a record in the store of its source. A destination that has no record yet, or whose source
/// has none, gets a negative number instead, and this table knows which ID it stands for.
final class ReferenceTable: Sendable {
  private struct State {
    var ids: [Int64: ObjectID] = [:]
    var numbers: [ObjectID: Int64] = [:]
  }

  private let state = Mutex(State())

  /// The number to write for a destination.
  func key(for destination: ObjectID, from source: ObjectID) -> Int64 {
    let destination = destination.current
    if let there = destination.storeIdentity, let here = source.current.storeIdentity,
      there === here || there.identifier == here.identifier
    {
      return destination.key
    }
    return state.withLock { state in
      if let known = state.numbers[destination] { return known }
      let number =
        destination.isTemporaryID
        ? destination.key : IDScope.makeTemporaryID(for: destination.entity).key
      state.ids[number] = destination
      state.numbers[destination] = number
      return number
    }
  }

  /// The ID that a negative number stands for: the permanent one, when there is one by now.
  func id(for number: Int64) -> ObjectID? {
    state.withLock { $0.ids[number] }?.current
  }
}
