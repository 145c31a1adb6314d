// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostStore

/// The uniqueness conflicts of a save, which are the same in every store and do not depend on the order in which it
/// writes its records: each claim of values, in the order of keys, is in conflict with the stored record that has them
/// and keeps them, else with the first earlier claim of the same values, whether that one can be written or not.
package struct ClaimConflicts {
  /// A record that the save wants to have values under a constraint.
  private struct Claim {
    let constraint: SQLConstraint
    /// The position of the constraint among those of the entity.
    let position: Int
    let table: SQLTable
    let row: Row
  }

  /// The values of a constraint.
  private struct Place: Hashable {
    let index: String
    let values: [Value]
  }

  /// The claims of the same values, by key.
  private var claims: [Place: [Claim]] = [:]
  private let changes: StoreChangeSet

  /// Collects the claims of a save: the values of its new records, and those that its updates change.
  package init(of changes: StoreChangeSet, in schema: SQLSchema) {
    self.changes = changes
    for row in changes.inserted { add(row, schema) { _ in true } }
    for update in changes.updated {
      let changed = Set(update.changedSlots)
      add(update.row, schema) { slots in slots.contains { changed.contains($0.index) } }
    }
    for place in claims.keys { claims[place]?.sort { $0.row.key < $1.row.key } }
  }

  private mutating func add(
    _ row: Row, _ schema: SQLSchema, where isClaimed: ([RowSlot]) -> Bool
  ) {
    guard let entity = schema.entity(row.layout.entity) else { return }
    for (position, constraint) in entity.constraints.enumerated()
    where isClaimed(constraint.slots) && !constraint.slots.contains(where: row.isNull) {
      claims[Self.place(constraint, row), default: []].append(
        Claim(constraint: constraint, position: position, table: entity.table, row: row))
    }
  }

  private static func place(_ constraint: SQLConstraint, _ row: Row) -> Place {
    Place(index: constraint.index.name, values: constraint.slots.map(row.value))
  }

  /// The conflicts of a save, and the records that they explain.
  package struct Findings {
    /// The conflicts, by key and constraint.
    package var refusals: [ChangeRefusal] = []
    /// The keys of the records that have a conflict, or that only another claim of the same values kept from being
    /// written: the first claim of values that no stored record keeps has no conflict of its own.
    package var explained: Set<Int64> = []
  }

  /// Returns the conflicts, once everything else is written.
  ///
  /// - Parameters:
  ///   - unwritten: The keys of the records that collided with others.
  ///   - holder: Finds the record that has the values of a row now; it may be of this save.
  package func findings(
    unwritten: Set<Int64>, holder: (SQLConstraint, SQLTable, Row) throws -> Int64?
  ) throws -> Findings {
    var refusals: [(key: Int64, position: Int, refusal: ChangeRefusal)] = []
    var explained = Set<Int64>()
    for claims in claims.values
    where claims.count > 1 || unwritten.contains(claims[0].row.key) {
      let keys = Set(claims.map(\.row.key))
      for (position, claim) in claims.enumerated() {
        var other: Int64?
        // A record that was written has its values alone.
        if unwritten.contains(claim.row.key) {
          other = try holder(claim.constraint, claim.table, claim.row)
          if let found = other, keys.contains(found) {
            explained.insert(claim.row.key)
            other = nil
          }
        }
        if other == nil, position > 0 { other = claims[0].row.key }
        guard let other else { continue }
        explained.insert(claim.row.key)
        refusals.append(
          (
            claim.row.key, claim.position,
            .uniqueness(claim.constraint, key: claim.row.key, holder: other, sent: sent(other))
          ))
      }
    }
    refusals.sort { ($0.key, $0.position) < ($1.key, $1.position) }
    return Findings(refusals: refusals.map(\.refusal), explained: explained)
  }

  private func sent(_ key: Int64) -> Row? {
    changes.inserted.first { $0.key == key } ?? changes.updated.first { $0.row.key == key }?.row
  }
}
