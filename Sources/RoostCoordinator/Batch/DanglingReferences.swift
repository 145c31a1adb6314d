// SPDX-License-Identifier: Apache-2.0

public import RoostModel
package import RoostStore

/// A relationship of a saved object that leads to a record of another store which cannot be reached.
///
/// ```swift
/// for reference in try coordinator.danglingReferences(in: notes) {
///   print("\(reference.source) \(reference.relationship.name): \(reference.cause)")
/// }
/// ```
public struct DanglingReference: Sendable {
  /// Why the destination cannot be reached.
  ///
  /// ```swift
  /// let lost = references.filter { $0.cause == .recordGone }
  /// ```
  public enum Cause: Sendable, Hashable {
    /// Its store is not attached to the coordinator.
    case storeNotAttached
    /// Its store has no such record any more.
    case recordGone
  }

  /// The object that refers.
  public let source: ObjectID
  /// The relationship that leads to the destination.
  public let relationship: RelationshipDescription
  /// The record that cannot be reached.
  public let destination: ObjectID
  /// Why it cannot be reached.
  public let cause: Cause
  /// How the store of the source names the destination.
  let key: Int64
}

/// The references of a store that lead to records which cannot be reached, in no order.
///
/// ```swift
/// let dangling = try coordinator.danglingReferences(in: notes)
/// if !dangling.isEmpty { try dangling.nullify() }
/// ```
public struct DanglingReferences: RandomAccessCollection, Sendable {
  private let references: [DanglingReference]
  private let coordinator: PersistentStoreCoordinator
  private let store: AttachedStore

  /// Finds the references of a store.
  ///
  /// - Throws: `storeRemoved` when the store is not attached, or what a store throws.
  package init(of store: any PersistentStore, in coordinator: PersistentStoreCoordinator) throws {
    let attached = try coordinator.requireAttached(store)
    let search = DanglingSearch(store: attached, list: coordinator.route())
    self.init(try search.run(), of: attached, coordinator: coordinator)
  }

  private init(
    _ references: [DanglingReference], of store: AttachedStore,
    coordinator: PersistentStoreCoordinator
  ) {
    self.references = references
    self.store = store
    self.coordinator = coordinator
  }

  /// The position of the first reference.
  public var startIndex: Int { 0 }
  /// The position behind the last one.
  public var endIndex: Int { references.count }
  /// The reference at a position.
  public subscript(position: Int) -> DanglingReference { references[position] }

  /// Returns some of the references, to be cleared.
  ///
  /// - Parameter isIncluded: Which ones.
  public func filter(
    _ isIncluded: (DanglingReference) throws -> Bool
  ) rethrows -> DanglingReferences {
    let wanted: [DanglingReference] = try references.filter(isIncluded)
    return DanglingReferences(wanted, of: store, coordinator: coordinator)
  }

  /// Clears the references: to-one relationships become nil, links are removed. Contexts are not told, as of a batch
  /// request; what was changed since the references were listed is left as it is.
  ///
  /// - Returns: How many references were cleared.
  /// - Throws: `readOnlyStore`, or what the store throws; nothing is cleared then.
  /// - Complexity: Two round trips.
  @discardableResult public func nullify() throws -> Int {
    guard !references.isEmpty else { return 0 }
    var count = 0
    let outcome = try coordinator.commitBatch(origin: StoreChangeSet.Origin()) {
      count = 0
      var changes = BatchChanges()
      let updates = try self.updates(counting: &count)
      let links = links()
      count += links.count
      changes.add(store) { part in
        part.updated = updates
        part.links = links
      }
      return changes
    }
    guard case .done = outcome else {
      throw PersistenceError(
        .storeBusy, "Others changed the records again and again.", store: store.displayName)
    }
    return count
  }

  private func updates(counting count: inout Int) throws -> [RowUpdate] {
    var slots: [Int64: [(slot: RowSlot, position: RowSlot?, key: Int64)]] = [:]
    for reference in references {
      guard case .toOne(let slot) = reference.relationship.storage else { continue }
      slots[reference.source.key, default: []]
        .append((slot, reference.relationship.positionSlot, reference.key))
    }
    guard !slots.isEmpty else { return [] }
    return try store.storedRows(forKeys: slots.keys.sorted()).compactMap { base in
      let row = base.copy(version: base.version &+ 1)
      for (slot, position, key) in slots[base.key] ?? [] where base.reference(slot) == key {
        row.setNull(slot)
        if let position { row.setNull(position) }
        count += 1
      }
      let changed = row.changedSlots(from: base)
      return changed.isEmpty
        ? nil : RowUpdate(row: row, baseVersion: base.version, changedSlots: changed)
    }
  }

  private func links() -> [LinkChange] {
    references.compactMap { reference in
      guard case .links(let table, let isForward) = reference.relationship.storage else {
        return nil
      }
      return LinkChange(
        table: table, source: isForward ? reference.source.key : reference.key,
        destination: isForward ? reference.key : reference.source.key, kind: .unlink)
    }
  }
}

extension RelationshipDescription {
  /// The slot that orders the sources of a to-one relationship at their destination.
  fileprivate var positionSlot: RowSlot? {
    guard case .inverseOfToOne(_, let position)? = maintainedInverse?.storage else { return nil }
    return position
  }
}
