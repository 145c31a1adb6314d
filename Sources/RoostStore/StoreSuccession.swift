// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Where the records of a store that was moved are by now, or where those of another store come from: its UUID, and how
/// the keys were translated.
package struct StoreSuccession: Codable, Hashable, Sendable {
  /// The UUID of the other store.
  package let identifier: String
  /// The new entity code for each old one.
  package let codes: [Int: Int]
  /// What was added to the number of each record.
  package let offset: Int64

  /// Makes a succession.
  ///
  /// - Parameters:
  ///   - identifier: The UUID of the other store.
  ///   - codes: The new entity code for each old one.
  ///   - offset: What was added to the number of each record.
  package init(identifier: String, codes: [Int: Int], offset: Int64) {
    (self.identifier, self.codes, self.offset) = (identifier, codes, offset)
  }

  /// The key of a record after the move; nil for one of an entity that was not moved.
  package func key(of key: Int64) -> Int64? {
    guard let code = codes[RecordKey.entityCode(of: key)] else { return nil }
    return RecordKey.make(sequence: RecordKey.sequence(of: key) + offset, entityCode: code)
  }

  /// The way back: how keys of after the move are those of before it.
  ///
  /// - Parameter identifier: The UUID of the store that the records came to.
  package func reversed(from identifier: String) -> StoreSuccession {
    StoreSuccession(
      identifier: identifier,
      codes: Dictionary(codes.map { ($1, $0) }, uniquingKeysWith: { first, _ in first }),
      offset: -offset)
  }

  /// This move, and another one after it.
  package func followed(by next: StoreSuccession) -> StoreSuccession {
    StoreSuccession(
      identifier: identifier, codes: codes.compactMapValues { next.codes[$0] },
      offset: offset + next.offset)
  }
}
