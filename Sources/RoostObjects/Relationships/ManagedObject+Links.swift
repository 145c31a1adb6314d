// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Where an object keeps what it knows of its relationships. Most objects of a large result are asked for one
// destination, and most new objects get one: that is kept in place, without a table.
extension ManagedObject {
  /// What is known of each relationship, by ordinal; empty when nothing is.
  final var links: LinkStates {
    get {
      if soleOrdinal >= 0 { makeLinkTable() }
      return linkTable
    }
    _modify {
      if soleOrdinal >= 0 { makeLinkTable() }
      yield &linkTable
    }
    set {
      linkTable = newValue
      soleOrdinal = -1
      soleDestination = nil
    }
  }

  /// Notes what is known of a relationship.
  final func setLink(_ state: LinkState, _ ordinal: Int) {
    if case .toOne(let object) = state, linkTable.isEmpty,
      soleOrdinal < 0 || Int(soleOrdinal) == ordinal, ordinal <= Int16.max
    {
      soleOrdinal = Int16(truncatingIfNeeded: ordinal)
      soleDestination = object
      return
    }
    if soleOrdinal >= 0 {
      makeLinkTable()
    } else if linkTable.isEmpty {
      linkTable = LinkStates(count: binding.relationships.count)
    }
    linkTable[ordinal] = state
  }

  /// Whether anything is known of any relationship.
  @inline(__always) final var knowsLinks: Bool { soleOrdinal >= 0 || !linkTable.isEmpty }

  /// The destination of a to-one relationship as far as it is known without a look at the row; nil when it is not.
  final func knownDestination(_ ordinal: Int) -> ManagedObject?? {
    if soleOrdinal >= 0 { return Int(soleOrdinal) == ordinal ? .some(soleDestination) : nil }
    guard !linkTable.isEmpty, case .toOne(let object) = linkTable[ordinal] else { return nil }
    return .some(object)
  }

  /// Keeps the destination of a to-one relationship that was read.
  @inline(__always) final func keepDestination(_ object: ManagedObject?, _ ordinal: Int) {
    guard linkTable.isEmpty, soleOrdinal < 0, ordinal <= Int16.max else {
      return setLink(.toOne(object), ordinal)
    }
    soleOrdinal = Int16(truncatingIfNeeded: ordinal)
    soleDestination = object
  }

  /// Whether a relationship is not read yet.
  final func hasUnloaded(_ relationship: RelationshipDescription) -> Bool {
    if soleOrdinal >= 0 { return Int(soleOrdinal) != relationship.ordinal }
    return linkTable.isEmpty || linkTable[relationship.ordinal].isUnloaded
  }

  /// Whether all that is known is one destination, which somebody else holds.
  final var hasOnlySharedDestination: Bool {
    soleOrdinal >= 0 && !isKnownUniquelyReferenced(&soleDestination)
  }

  @inline(never) private final func makeLinkTable() {
    linkTable = LinkStates(count: binding.relationships.count)
    linkTable[Int(soleOrdinal)] = .toOne(soleDestination)
    soleOrdinal = -1
    soleDestination = nil
  }
}
