// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// All rows and links of an office in memory, for the shared evaluator: the oracle of the store.
final class OfficeSource: EvaluationSource {
  let schema: StoreSchema
  private(set) var rows: [Int64: Row] = [:]
  private(set) var links: [LinkTable: Set<Link>] = [:]

  struct Link: Hashable {
    let source: Int64
    let destination: Int64
  }

  init(_ schema: StoreSchema) {
    self.schema = schema
  }

  func add(_ row: Row) {
    rows[row.key] = row
  }

  func link(_ table: LinkTable, _ source: Int64, _ destination: Int64) {
    links[table, default: []].insert(Link(source: source, destination: destination))
  }

  /// Returns the rows of an entity and its subentities, by their keys.
  func rows(_ entity: EntityDescription) -> [Row] {
    rows.values.filter { $0.layout.entity.isKindOf(entity: entity) }.sorted { $0.key < $1.key }
  }

  // MARK: - EvaluationSource

  func base(of item: Row) -> UnsafeMutableRawPointer { item.base }
  func identity(of item: Row) -> Int64 { item.key }
  func tieBreaker(of item: Row) -> Int64 { item.key }
  func entity(of item: Row) -> EntityDescription { item.layout.entity }
  func objectID(for identity: Int64) -> ObjectID? { schema.objectID(forKey: identity) }

  func identity(for id: ObjectID) -> Int64? {
    id.storeIdentity?.identifier == schema.identity.identifier ? id.key : nil
  }

  func destinationIdentity(of relationship: RelationshipDescription, from item: Row) -> Int64? {
    guard case .toOne(let slot) = relationship.storage else { return nil }
    return item.reference(slot)
  }

  func destination(of relationship: RelationshipDescription, from item: Row) -> Row? {
    destinationIdentity(of: relationship, from: item).flatMap { rows[$0] }
  }

  func destinations(of relationship: RelationshipDescription, from item: Row) -> [Row] {
    switch relationship.storage {
    case .toOne, .transient: return []
    case .inverseOfToOne(let slot, _):
      guard let destination = relationship.destinationEntity else { return [] }
      return rows(destination).filter { $0.reference(slot) == item.key }
    case .links(let table, let isForward):
      let keys = links[table, default: []].compactMap { link in
        isForward
          ? (link.source == item.key ? link.destination : nil)
          : (link.destination == item.key ? link.source : nil)
      }
      return keys.sorted().compactMap { rows[$0] }
    }
  }
}
