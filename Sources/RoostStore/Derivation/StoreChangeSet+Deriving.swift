// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel
import RoostQuery

/// A change set with computed derived attributes, ready to be written.
///
/// ```swift
/// let derived = try changes.deriving(schema.derivations(), from: transaction)
/// return .committed(CommitReceipt(recomputed: derived.recomputed))
/// ```
public struct DerivedChanges: Sendable {
  /// The changes to write. Records that are only recomputed are among the updates, and keep their version.
  public var changes: StoreChangeSet
  /// The rows whose derived values differ from the original change set, for the receipt.
  public var recomputed: [Row]
}

extension StoreChangeSet {
  /// Returns the change set with the values of all derived attributes that it changes, including those of other
  /// records: the number of a department's people changes with a person.
  ///
  /// A store calls it in its transaction, before it writes. A record that is only recomputed keeps its version: two
  /// contexts that add members to one record do not conflict.
  ///
  /// ```swift
  /// let derived = try changes.deriving(schema.derivations(), from: transaction)
  /// try write(derived.changes)
  /// return .committed(CommitReceipt(recomputed: derived.recomputed))
  /// ```
  ///
  /// - Parameters:
  ///   - plan: The rules of the derived attributes.
  ///   - source: The records as they are stored before this change set.
  /// - Throws: The errors of the source, and `arithmeticOverflow` for a sum or count that exceeds its type.
  /// - Complexity: Free without derived attributes. Otherwise a few reads per rule, for all records together; a count
  ///   or sum reads all members of the affected records.
  public func deriving(
    _ plan: DerivationPlan, from source: some DerivationSource
  ) throws -> DerivedChanges {
    if plan.isEmpty || inserted.isEmpty && updated.isEmpty && deleted.isEmpty && links.isEmpty {
      return DerivedChanges(changes: self, recomputed: [])
    }
    return try derivingAll(plan, from: source)
  }

  /// A separate function, so that change sets without derived attributes do not pay for its type metadata.
  @inline(never)
  private func derivingAll(
    _ plan: DerivationPlan, from source: some DerivationSource
  ) throws -> DerivedChanges {
    var run = DerivationRun(self, plan, source)
    return try run.derive()
  }
}

/// One computation of the derived attributes of a change set.
private struct DerivationRun<Source: DerivationSource> {
  private var changes: StoreChangeSet
  private let plan: DerivationPlan
  private let source: Source
  private let changed: ChangedRecords<Source>
  /// The new rows by key.
  private var rows: [Int64: Row] = [:]
  private let time = Date()

  init(_ changes: StoreChangeSet, _ plan: DerivationPlan, _ source: Source) {
    self.changes = changes
    self.plan = plan
    self.source = source
    changed = ChangedRecords(changes, over: source)
  }

  mutating func derive() throws -> DerivedChanges {
    let affected = AffectedRecords(changes: changes, source: source, changed: changed)
    let own = ownKeys()
    for rule in plan.rules {
      var keys = own[ObjectIdentifier(rule.attribute)] ?? []
      if !rule.path.isEmpty { keys.formUnion(try affected.keys(for: rule)) }
      if !keys.isEmpty { try compute(rule, for: keys.sorted()) }
    }
    return DerivedChanges(changes: finish(), recomputed: rows.values.sorted { $0.key < $1.key })
  }

  /// Returns the records that are written anyway, by derived attribute.
  private func ownKeys() -> [ObjectIdentifier: Set<Int64>] {
    var result: [ObjectIdentifier: Set<Int64>] = [:]
    for row in changes.inserted + changes.updated.map(\.row) {
      for rule in plan.rules(for: row) {
        result[ObjectIdentifier(rule.attribute), default: []].insert(row.key)
      }
    }
    return result
  }

  private mutating func compute(_ rule: DerivationRule, for keys: [Int64]) throws {
    let owners = try changed.rows(forKeys: keys)
    let values = try DerivationValues(rule: rule, records: changed, time: time).values(of: owners)
    for (owner, value) in zip(owners, values) {
      let known = rows[owner.key] ?? owner
      let row = known.copy()
      do {
        try row.setValue(ValueCheck.check(value, for: rule.attribute), at: rule.slot)
      } catch {
        throw PersistenceError(
          .arithmeticOverflow, "The computed value has no room in its type.",
          entityName: owner.layout.entity.name, key: rule.attribute.name)
      }
      if !row.equals(known, at: rule.slot) { rows[owner.key] = row }
    }
  }

  /// Returns the change set with the new rows.
  private func finish() -> StoreChangeSet {
    var result = changes
    var others = rows
    for index in result.inserted.indices {
      if let row = others.removeValue(forKey: result.inserted[index].key) {
        result.inserted[index] = row
      }
    }
    for index in result.updated.indices {
      var update = result.updated[index]
      if let row = others.removeValue(forKey: update.row.key) { update.row = row }
      // The stored value may differ even if the sent one is equal, so these slots are always written.
      let slots = plan.rules(for: update.row).map(\.slot.index)
      if !slots.isEmpty { update.changedSlots = Set(update.changedSlots + slots).sorted() }
      result.updated[index] = update
    }
    for row in others.values.sorted(by: { $0.key < $1.key }) {
      let slots = plan.rules(for: row).map(\.slot.index).sorted()
      var update = RowUpdate(row: row, baseVersion: row.version, changedSlots: slots)
      if let locked = result.locked.firstIndex(where: { $0.key == row.key }) {
        update.baseVersion = result.locked.remove(at: locked).version
        update.row = row.copy(version: update.baseVersion + 1)
      }
      result.updated.append(update)
    }
    return result
  }
}
