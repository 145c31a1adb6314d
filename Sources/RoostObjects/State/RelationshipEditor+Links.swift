// SPDX-License-Identifier: Apache-2.0

extension RelationshipEditor {
  /// Stores the state of a relationship.
  func setLink(_ state: LinkState, _ ordinal: Int) {
    if case .toOne(let object) = state, owner.linkTable.isEmpty,
      owner.soleOrdinal < 0 || Int(owner.soleOrdinal) == ordinal, ordinal <= Int16.max
    {
      owner.soleOrdinal = Int16(truncatingIfNeeded: ordinal)
      owner.soleDestination = object
      return
    }
    if owner.soleOrdinal >= 0 {
      owner.makeLinkTable()
    } else if owner.linkTable.isEmpty {
      owner.linkTable = LinkStates(count: owner.binding.relationships.count)
    }
    owner.linkTable[ordinal] = state
  }

  /// Stores the destination of a to-one relationship that was read.
  @inline(__always) func keepDestination(_ object: ManagedObject?, _ ordinal: Int) {
    guard owner.linkTable.isEmpty, owner.soleOrdinal < 0, ordinal <= Int16.max else {
      return setLink(.toOne(object), ordinal)
    }
    owner.soleOrdinal = Int16(truncatingIfNeeded: ordinal)
    owner.soleDestination = object
  }
}
