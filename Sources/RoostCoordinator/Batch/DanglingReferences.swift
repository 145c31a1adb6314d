// SPDX-License-Identifier: Apache-2.0

public import RoostModel
package import RoostStore

/// A reference of a saved object to a record of another store that cannot be reached.
///
/// ```swift
/// for reference in try coordinator.danglingReferences(in: notes) {
///   print("\(reference.source) \(reference.relationship.name): \(reference.cause)")
/// }
/// ```
public struct DanglingReference: Sendable {
  /// The reason why the destination cannot be reached.
  ///
  /// ```swift
  /// let lost = references.filter { $0.cause == .recordGone }
  /// ```
  public enum Cause: Sendable, Hashable {
    /// The destination's store is not attached to the coordinator.
    case storeNotAttached
    /// The destination's record no longer exists.
    case recordGone
  }

  /// The object that holds the reference.
  public let source: ObjectID
  /// The relationship that leads to the destination.
  public let relationship: RelationshipDescription
  /// The destination, which cannot be reached.
  public let destination: ObjectID
  /// The reason why it cannot be reached.
  public let cause: Cause
  /// The foreign number of the destination in the source's store.
  let key: Int64
}

/// The references of a store to records that cannot be reached, in no particular order.
///
/// ```swift
/// let dangling = try coordinator.danglingReferences(in: notes)
/// if !dangling.isEmpty { try dangling.nullify() }
/// ```
public struct DanglingReferences: RandomAccessCollection, Sendable {
  private let references: [DanglingReference]
  private let coordinator: PersistentStoreCoordinator
  private let store: AttachedStore

  /// Finds the dangling references of a store.
  ///
  /// - Throws: `storeRemoved` when the store is not attached, or the error of a store.
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
  /// The position after the last reference.
  public var endIndex: Int { references.count }
  /// The reference at a position.
  public subscript(position: Int) -> DanglingReference { references[position] }

  /// Returns the references that satisfy a condition, so that only they are cleared.
  ///
  /// - Parameter isIncluded: The condition.
  public func filter(
    _ isIncluded: (DanglingReference) throws -> Bool
  ) rethrows -> DanglingReferences {
    let wanted: [DanglingReference] = try references.filter(isIncluded)
    return DanglingReferences(wanted, of: store, coordinator: coordinator)
  }

  /// Clears the references: to-one relationships become nil, links are removed. As with a batch request, contexts are
  /// not informed; references that have changed since they were listed are left alone.
  ///
  /// - Returns: The number of cleared references.
  /// - Throws: `readOnlyStore`, or the error of the store; nothing is cleared then.
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
  /// The slot with the position of a to-one relationship's source in the ordered inverse.
  fileprivate var positionSlot: RowSlot? {
    guard case .inverseOfToOne(_, let position)? = maintainedInverse?.storage else { return nil }
    return position
  }
}
