// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A link between a moved store and its successor or predecessor: the UUID of the other store, and the translation of
/// the keys.
package struct StoreSuccession: Codable, Hashable, Sendable {
  /// The UUID of the other store.
  package let identifier: String
  /// The new entity code for each old one.
  package let codes: [Int: Int]
  /// The offset that was added to the number of each record.
  package let offset: Int64
  /// The largest number of a record that was moved; nil for a move by an earlier version, which did not note it.
  ///
  /// Records that were created in the old store afterwards have larger numbers, which the new store gives to records
  /// of its own.
  package let largest: Int64?

  /// Makes a succession.
  ///
  /// - Parameters:
  ///   - identifier: The UUID of the other store.
  ///   - codes: The new entity code for each old one.
  ///   - offset: The offset that was added to the number of each record.
  ///   - largest: The largest number of a record that was moved.
  package init(identifier: String, codes: [Int: Int], offset: Int64, largest: Int64?) {
    (self.identifier, self.codes, self.offset, self.largest) = (identifier, codes, offset, largest)
  }

  /// Returns the key of a record after the move; nil when its entity or the record was not moved.
  package func key(of key: Int64) -> Int64? {
    let sequence = RecordKey.sequence(of: key)
    guard let code = codes[RecordKey.entityCode(of: key)], sequence <= largest ?? .max,
      sequence > -offset
    else { return nil }
    return RecordKey.make(sequence: sequence + offset, entityCode: code)
  }

  /// Returns the inverse translation, from keys after the move to keys before it.
  ///
  /// - Parameter identifier: The UUID of the store that the records were moved to.
  package func reversed(from identifier: String) -> StoreSuccession {
    StoreSuccession(
      identifier: identifier,
      codes: Dictionary(codes.map { ($1, $0) }, uniquingKeysWith: { first, _ in first }),
      offset: -offset, largest: largest.map { $0 + offset })
  }

  /// Returns this move followed by another one. A record that came with this one, and was gone before the next, may
  /// have a number beyond those that the next one has moved.
  package func followed(by next: StoreSuccession) -> StoreSuccession {
    StoreSuccession(
      identifier: identifier, codes: codes.compactMapValues { next.codes[$0] },
      offset: offset + next.offset,
      largest: [largest, next.largest.map { $0 - offset }].compactMap(\.self).min())
  }
}
