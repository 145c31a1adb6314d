// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery

// Requests that read some properties of objects only (B132): the stores return columns, as for dictionaries, and the
// objects are faults with these properties.
extension Fetcher {
  /// Returns partial objects; nil when the request reads whole rows.
  func fetchPartially<T>(
    _ request: FetchRequest<T>, _ resolved: ResolvedFetch, _ delivery: FetchDelivery
  ) throws -> [ManagedObject]? {
    // Columns come from the stores and do not include a parent's changes (B202).
    guard delivery.namesProperties, context.parentContext == nil,
      delivery.returnsObjectsAsFaults, delivery.includesPropertyValues,
      !delivery.shouldRefreshRefetchedObjects
    else { return nil }
    var asked = resolved
    guard case .columns(var columns) = try resolveColumns(request).result else { return nil }
    columns.columns.insert(PartialReading.identity(of: resolved.entity), at: 0)
    columns.distinct = false
    asked.result = .columns(columns)
    guard case .tuples(let values, let width) = try ask(asked, for: request), width > 0 else {
      return []
    }
    context.statistics.rowsFetched += values.count / width
    return materialize(PartialReading(columns: columns, values: values, width: width))
  }

  private func materialize(_ reading: PartialReading) -> [ManagedObject] {
    let group = reading.group
    context.registry.reserve(group.ids.count)
    return group.ids.map { id in
      let object = context.object(with: id)
      if object.isFault, object.row == nil { object.fetchGroup = group }
      return object
    }
  }
}

/// The columns read for partial objects.
private struct PartialReading {
  let columns: ResolvedColumns
  let values: [Value]
  let width: Int

  /// The column with an object's identity.
  static func identity(of entity: EntityDescription) -> ResolvedColumns.Column {
    ResolvedColumns.Column(
      name: "SELF",
      expression: .path(
        ResolvedPath(root: .object, relationships: [], end: .object, rootEntity: entity)),
      isAggregate: false, type: .objectID)
  }

  /// The fetch group of the objects, with the row of each.
  var group: PartialRows {
    var ids: [ObjectID] = []
    var rows: [ObjectID: Row] = [:]
    var slots: [ObjectIdentifier: [RowSlot?]] = [:]
    for start in stride(from: 0, to: values.count, by: width) {
      guard case .objectID(let id) = values[start] else { continue }
      let entity = ObjectIdentifier(id.entity)
      let places = slots[entity] ?? columns.columns.map { slot(of: $0, in: id.entity) }
      slots[entity] = places
      let row = Row(layout: id.entity.layout, key: id.key, version: 0)
      for (offset, slot) in places.enumerated() where slot != nil {
        if let slot { PartialReading.store(values[start + offset], row, slot) }
      }
      ids.append(id)
      rows[id] = row
    }
    let masks = slots.mapValues { slots in
      var mask = PropertyMask()
      for case let slot? in slots { mask.insert(slot.index) }
      return mask
    }
    return PartialRows(rows: rows, slots: masks, ids: ids)
  }

  /// Returns the slot whose value is in a column; nil for a value from another record.
  private func slot(
    of column: ResolvedColumns.Column, in entity: EntityDescription
  ) -> RowSlot? {
    if let relationship = entity.relationshipsByName[column.name] {
      // A record of another store has a number in this one, which the column does not have.
      guard case .toOne(let slot) = relationship.storage, !relationship.leadsAcrossStores else {
        return nil
      }
      return slot
    }
    return entity.layout.slot(named: column.name)
  }

  private static func store(_ value: Value, _ row: Row, _ slot: RowSlot) {
    switch value {
    case .null: row.setNull(slot)
    case .objectID(let id) where slot.kind == .reference: row.setInteger(id.key, at: slot)
    default:
      // The stores return the types of the columns, which are those of the slots.
      try? row.setValue(value, at: slot)
    }
  }
}
