// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// Converts the input of a batch insert to rows.
struct BatchInsertResolution {
  let request: BatchInsertRequest
  let context: ManagedObjectContext

  func resolve() throws -> BatchInsert {
    let entity = try context.fetcher.entity(named: request.entityName, orGiven: request.entity)
    guard !entity.isAbstract else {
      throw PersistenceError(
        .abstractEntity, "\(request.entityName) is abstract.", entityName: entity.name)
    }
    var batch = BatchInsert(
      entity: entity,
      affectedStores: try context.fetcher.stores(named: request.affectedStoreIdentifiers),
      origin: context.origin)
    let binding = EntityBinding.binding(of: entity)
    for values in request.objectsToInsert ?? [] {
      batch.records.append(try record(of: values, binding))
    }
    if let handler = request.dictionaryHandler {
      var values: [String: Any] = [:]
      while !handler(&values) {
        batch.records.append(try record(of: values, binding))
        values = [:]
      }
    }
    if let handler = request.managedObjectHandler {
      try addRecords(of: handler, entity, binding, to: &batch)
    }
    return batch
  }

  private func record(
    of values: [String: Any], _ binding: EntityBinding
  ) throws -> BatchInsert.Record {
    var record = BatchInsert.Record(row: binding.makeDefaultRow(), slots: [])
    for (name, value) in values {
      let attribute = try binding.entity.batchAttribute(named: name)
      for part in try attribute.parts(of: attribute.makeValue(from: value)) {
        try record.row.setValue(part.value, at: part.slot)
        record.slots.append(part.slot)
      }
    }
    return record
  }

  private func addRecords(
    of handler: (ManagedObject) -> Bool, _ entity: EntityDescription, _ binding: EntityBinding,
    to batch: inout BatchInsert
  ) throws {
    while true {
      let object = binding.objectClass.init(entity: entity, insertInto: nil)
      if handler(object) { return }
      var values: [String: Any] = [:]
      for attribute in binding.attributes where attribute.isStored {
        let value = object.values.attributeValue(of: attribute)
        guard attribute.slots.contains(where: { object.changedSlots.contains($0.index) }) else {
          continue
        }
        values[attribute.name] = value
      }
      batch.records.append(try record(of: values, binding))
    }
  }
}
