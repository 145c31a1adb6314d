// SPDX-License-Identifier: Apache-2.0

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

  /// Whether anything is known of any relationship.
  @inline(__always) final var knowsLinks: Bool { soleOrdinal >= 0 || !linkTable.isEmpty }

  /// Whether all that is known is one destination, which has another owner, too.
  final var hasOnlySharedDestination: Bool {
    soleOrdinal >= 0 && !isKnownUniquelyReferenced(&soleDestination)
  }

  @inline(never) final func makeLinkTable() {
    linkTable = LinkStates(count: binding.relationships.count)
    linkTable[Int(soleOrdinal)] = .toOne(soleDestination)
    soleOrdinal = -1
    soleDestination = nil
  }
}
