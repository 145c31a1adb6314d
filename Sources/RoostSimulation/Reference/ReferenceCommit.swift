// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostStore

/// Applies a change set to a copy of the content, which is discarded when there are conflicts.
struct ReferenceCommit {
  let changes: StoreChangeSet
  let schema: StoreSchema

  func apply(to content: inout ReferencePlace.Content) throws -> [StoreConflict] {
    let stale = try staleRecords(in: content)
    guard stale.isEmpty else { return stale }
    for version in changes.deleted { remove(version.key, from: &content) }
    for update in changes.updated { content.records[update.row.key] = ReferenceRecord(update.row) }
    for row in changes.inserted { content.records[row.key] = ReferenceRecord(row) }
    for locked in changes.locked { content.records[locked.key]?.version += 1 }
    for change in changes.links { apply(change, to: &content) }
    let known = content.metadata
    if let metadata = changes.metadata(over: known, known: known) { content.metadata = metadata }
    return try duplicates(in: content)
  }

  /// The records that are not in the version that they must have; a new one must not be there.
  private func staleRecords(
    in content: ReferencePlace.Content
  ) throws -> [StoreConflict] {
    let expected =
      changes.updated.map { RowVersion(key: $0.row.key, version: $0.baseVersion) }
      + changes.deleted + changes.locked
    let deleted = Set(changes.deleted.map(\.key))
    let taken = try changes.inserted.compactMap { row -> StoreConflict? in
      guard !deleted.contains(row.key), let record = content.records[row.key] else { return nil }
      return .version(
        key: row.key, expected: 0, current: try record.row(key: row.key, in: schema))
    }
    return try taken
      + expected.compactMap { expected in
        let record = content.records[expected.key]
        guard record?.version != expected.version else { return nil }
        return .version(
          key: expected.key, expected: expected.version,
          current: try record?.row(key: expected.key, in: schema))
      }
  }

  private func remove(_ key: Int64, from content: inout ReferencePlace.Content) {
    content.records[key] = nil
    for table in schema.linkTables {
      content.links[table.name] = content.links[table.name]?.filter { link, _ in
        // Without an inverse, a link to a deleted record stays, as a to-one reference does (B71).
        link.source != key && (link.destination != key || table.inverse == nil)
      }
    }
  }

  private func apply(_ change: LinkChange, to content: inout ReferencePlace.Content) {
    let link = ReferenceLink(source: change.source, destination: change.destination)
    let mirrored = ReferenceLink(source: change.destination, destination: change.source)
    var links = content.links[change.table.name] ?? [:]
    switch change.kind {
    case .unlink:
      links[link] = nil
      if change.table.isSymmetric { links[mirrored] = nil }
    case .link(let position, let inversePosition):
      var positions = links[link] ?? ReferenceLink.Positions()
      positions.forward = position ?? positions.forward
      positions.backward = inversePosition ?? positions.backward
      links[link] = positions
      if change.table.isSymmetric, links[mirrored] == nil {
        links[mirrored] = ReferenceLink.Positions()
      }
    }
    content.links[change.table.name] = links
  }

  // MARK: - Unique values

  /// Returns the written records that share unique values with another one, checked after all changes are applied
  /// (B197, B198).
  private func duplicates(in content: ReferencePlace.Content) throws -> [StoreConflict] {
    var conflicts: [StoreConflict] = []
    let written = (changes.inserted.map(\.key) + changes.updated.map(\.row.key)).sorted()
    for entity in schema.entities {
      for constraint in entity.uniquenessConstraints {
        conflicts += try duplicates(of: constraint, of: entity, among: written, in: content)
      }
    }
    return conflicts
  }

  /// Checks that all stored records satisfy the uniqueness constraints of the model (B199).
  ///
  /// - Throws: `migrationConstraintViolation` when they do not.
  func checkUniqueness(of content: ReferencePlace.Content) throws {
    let all = content.records.keys.sorted()
    for entity in schema.entities {
      for constraint in entity.uniquenessConstraints
      where try !duplicates(of: constraint, of: entity, among: all, in: content).isEmpty {
        throw PersistenceError(
          .migrationConstraintViolation,
          "The store has records that are not unique, as the model wants them.",
          entityName: entity.name, key: constraint.first)
      }
    }
  }

  private func duplicates(
    of constraint: [String], of entity: EntityDescription, among written: [Int64],
    in content: ReferencePlace.Content
  ) throws -> [StoreConflict] {
    let written = written.filter { isKind($0, of: entity) }
    guard !written.isEmpty else { return [] }
    var holders: [[Value]: [Int64]] = [:]
    for (key, record) in content.records where isKind(key, of: entity) {
      if let tuple = tuple(constraint, record) { holders[tuple, default: []].append(key) }
    }
    var conflicts: [StoreConflict] = []
    for key in written {
      guard let record = content.records[key], let tuple = tuple(constraint, record),
        let other = holders[tuple]?.filter({ $0 != key }).min()
      else { continue }
      conflicts.append(
        .uniqueness(
          constraint: constraint, entityName: entity.name ?? "", key: key,
          existing: try content.records[other]?.row(key: other, in: schema)))
    }
    return conflicts
  }

  private func isKind(_ key: Int64, of entity: EntityDescription) -> Bool {
    schema.entity(ofKey: key)?.isKindOf(entity: entity) ?? false
  }

  /// The values that must be unique together; nil when one of them is nil: those do not collide (B195).
  private func tuple(_ constraint: [String], _ record: ReferenceRecord) -> [Value]? {
    let values = constraint.compactMap { record.values[$0] }
    return values.count == constraint.count ? values : nil
  }
}
