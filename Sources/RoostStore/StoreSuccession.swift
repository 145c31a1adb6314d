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

  /// Makes a succession.
  ///
  /// - Parameters:
  ///   - identifier: The UUID of the other store.
  ///   - codes: The new entity code for each old one.
  ///   - offset: The offset that was added to the number of each record.
  package init(identifier: String, codes: [Int: Int], offset: Int64) {
    (self.identifier, self.codes, self.offset) = (identifier, codes, offset)
  }

  /// Returns the key of a record after the move; nil when its entity was not moved.
  package func key(of key: Int64) -> Int64? {
    guard let code = codes[RecordKey.entityCode(of: key)] else { return nil }
    return RecordKey.make(sequence: RecordKey.sequence(of: key) + offset, entityCode: code)
  }

  /// Returns the inverse translation, from keys after the move to keys before it.
  ///
  /// - Parameter identifier: The UUID of the store that the records were moved to.
  package func reversed(from identifier: String) -> StoreSuccession {
    StoreSuccession(
      identifier: identifier,
      codes: Dictionary(codes.map { ($1, $0) }, uniquingKeysWith: { first, _ in first }),
      offset: -offset)
  }

  /// Returns this move followed by another one.
  package func followed(by next: StoreSuccession) -> StoreSuccession {
    StoreSuccession(
      identifier: identifier, codes: codes.compactMapValues { next.codes[$0] },
      offset: offset + next.offset)
  }
}
