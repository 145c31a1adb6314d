// SPDX-License-Identifier: Apache-2.0

extension ObjectID {
  /// The tie-breaker for sorting: the record's key. Unsaved objects come after saved ones, in the order of their
  /// creation.
  package var tieBreaker: Int64 { isTemporaryID ? Self.firstUnsaved &- key : key }

  private static let firstUnsaved = Int64.max - 1 << 52
}
