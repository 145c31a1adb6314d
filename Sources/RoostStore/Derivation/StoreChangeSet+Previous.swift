// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension StoreChangeSet {
  /// Returns the change set with the previous state in its notes, for a history that keeps previous values.
  ///
  /// A store with ``StoreMetadata/keepsPreviousValues`` calls it in its transaction, after derived attributes were
  /// computed and before anything is written, and makes its ``HistoryContent`` from the result.
  ///
  /// ```swift
  /// let noted = try derived.changes.notingPrevious(of: schema, from: transaction)
  /// let content = try HistoryContent(noted, of: schema)
  /// ```
  ///
  /// - Parameters:
  ///   - schema: The entities of the store.
  ///   - source: The records as they are stored before this change set.
  /// - Throws: The errors of the source.
  /// - Complexity: One read of the changed and removed records, and one or two reads of links per affected link
  ///   table.
  public func notingPrevious(
    of schema: StoreSchema, from source: some DerivationSource
  ) throws -> StoreChangeSet {
    var state = PreviousState()
    var keys =
      updated.lazy.filter { !$0.changedSlots.isEmpty }.map(\.row.key)
      + deleted.map(\.key)
    if !keys.isEmpty {
      keys.sort()
      for row in try source.rows(forKeys: keys) { state.rows[row.key] = row }
    }
    for table in schema.linkTables {
      var links = PreviousLinks(of: table, in: source)
      try links.add(self, schema)
      state.links += try links.states()
    }
    var result = self
    var notes = notes ?? HistoryNotes(time: Date.now.timeIntervalSinceReferenceDate)
    notes.previous = state
    result.notes = notes
    return result
  }
}

/// The previous state of one table's links that a change set affects.
private struct PreviousLinks<Source: DerivationSource> {
  private let table: LinkTable
  private let source: Source
  private var links: Set<Link> = []

  private struct Link: Hashable {
    var source: Int64
    var destination: Int64
  }

  init(of table: LinkTable, in source: Source) {
    self.table = table
    self.source = source
  }

  /// Collects the affected links: the listed ones, and those of removed records.
  mutating func add(_ changes: StoreChangeSet, _ schema: StoreSchema) throws {
    for change in changes.links where change.table === table {
      links.insert(Link(source: change.source, destination: change.destination))
    }
    guard !changes.deleted.isEmpty else { return }
    func keys(below entity: EntityDescription?) -> [Int64] {
      guard let entity else { return [] }
      return changes.deleted.map(\.key).filter {
        schema.entity(ofKey: $0)?.isKindOf(entity: entity) ?? false
      }
    }
    let sources = keys(below: table.relationship.entity)
    for (source, other) in try pairs(table.relationship, sources) {
      links.insert(Link(source: source, destination: other))
    }
    guard !table.isSymmetric else { return }
    let destinations = keys(below: table.relationship.fixedDestination)
    for (destination, other) in try pairs(table.backwards, destinations) {
      links.insert(Link(source: other, destination: destination))
    }
  }

  /// Returns the stored state of each link.
  func states() throws -> [LinkChange] {
    guard !links.isEmpty else { return [] }
    let forward = try positions(
      table.relationship, Set(links.map(\.source)), isOrdered: table.sourceIsOrdered)
    let backward =
      table.destinationIsOrdered
      ? try positions(table.backwards, Set(links.map(\.destination)), isOrdered: true) : [:]
    let ordered = links.sorted { ($0.source, $0.destination) < ($1.source, $1.destination) }
    return ordered.map { link in
      var state = LinkChange.Kind.unlink
      if let position = forward[link] {
        let reversed = Link(source: link.destination, destination: link.source)
        state = .link(position: position, inversePosition: backward[reversed] ?? nil)
      }
      return LinkChange(
        table: table, source: link.source, destination: link.destination, kind: state)
    }
  }

  private func pairs(
    _ relationship: RelationshipDescription, _ sources: [Int64]
  ) throws -> [(Int64, Int64)] {
    guard !sources.isEmpty else { return [] }
    let found = try source.destinations(of: relationship, forSources: sources)
    return sources.enumerated().flatMap { index, source in
      found[source: index].map { (source, $0) }
    }
  }

  /// Returns the links from some records, with their positions where they are ordered.
  private func positions(
    _ relationship: RelationshipDescription, _ sources: Set<Int64>, isOrdered: Bool
  ) throws -> [Link: Int64?] {
    let sources = sources.sorted()
    let found = try source.destinations(of: relationship, forSources: sources)
    var result: [Link: Int64?] = [:]
    for (index, source) in sources.enumerated() {
      for place in found.offsets[index]..<found.offsets[index + 1] {
        let link = Link(source: source, destination: found.keys[place])
        result[link] = .some(
          isOrdered && place < found.positions.count ? found.positions[place] : nil)
      }
    }
    return result
  }
}
