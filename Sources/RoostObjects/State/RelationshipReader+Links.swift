// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Returns the destination of a to-one relationship if it is known without reading the row; nil when it is not.
  func knownDestination(_ ordinal: Int) -> ManagedObject?? {
    if owner.soleOrdinal >= 0 {
      return Int(owner.soleOrdinal) == ordinal ? .some(owner.soleDestination) : nil
    }
    guard !owner.linkTable.isEmpty, case .toOne(let object) = owner.linkTable[ordinal] else {
      return nil
    }
    return .some(object)
  }

  /// Whether a relationship is not read yet.
  func hasUnloaded(_ relationship: RelationshipDescription) -> Bool {
    if owner.soleOrdinal >= 0 { return Int(owner.soleOrdinal) != relationship.ordinal }
    return owner.linkTable.isEmpty || owner.linkTable[relationship.ordinal].isUnloaded
  }
}
