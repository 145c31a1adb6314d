// SPDX-License-Identifier: Apache-2.0

// Storage of an object's relationship states. Most objects of a large result are asked for one destination, and most
// new objects get one: a sole destination is stored inline, without a table.
extension ManagedObject {
  /// The state of each relationship, by ordinal; empty when none is loaded.
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

  /// Whether any relationship has a state.
  @inline(__always) final var knowsLinks: Bool { soleOrdinal >= 0 || !linkTable.isEmpty }

  /// Whether the only known destination is the inline one, and it has another owner, too.
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
