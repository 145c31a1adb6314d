// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// Numbers for destinations in the to-one slots of rows that the contexts of one tree exchange.
///
/// A slot holds the key of a record in the same store as its source. A destination without a record, or of a source
/// without one, gets a negative number instead, which this table maps to its ID.
final class ReferenceTable: Sendable {
  private struct State {
    var ids: [Int64: ObjectID] = [:]
    var numbers: [ObjectID: Int64] = [:]
  }

  private let state = Mutex(State())

  /// Returns the number to write for a destination.
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

  /// Returns the ID for a negative number: the permanent one, if there is one by now.
  func id(for number: Int64) -> ObjectID? {
    state.withLock { $0.ids[number] }?.current
  }
}
