// SPDX-License-Identifier: Apache-2.0

import RoostModel

// The common second part of both initializers, after `self` is initialised. An override of an initializer therefore
// sees a complete object: registered, and with its values.
extension ManagedObject {
  /// Initialises the object of a record that its context is creating.
  @inline(__always) final func begin(as awaited: AwaitedObject, in context: ManagedObjectContext) {
    if !awaited.slots.isInCells { flags = .scattered }
    contextReference = Unmanaged.passUnretained(context)
    fetchGroup = awaited.group?.takeUnretainedValue()
    if let storage = awaited.row {
      attach(Row(storage: storage.takeUnretainedValue()))
    }
    context.adopt(self)
  }

  /// Creates the ID of a new object.
  @inline(__always) static func makeTemporaryID(
    for entity: EntityDescription, in context: ManagedObjectContext?
  ) -> ObjectID {
    guard let context else { return IDScope.makeTemporaryID(for: entity) }
    return IDScope.makeTemporaryID(for: entity, in: &context.classes.temporaryIDs)
  }

  /// Initialises a path recorder or a new object.
  @inline(__always) final func begin(_ table: SlotTable, in context: ManagedObjectContext?) {
    if binding.entity === RecorderEntity.entity {
      return recording.begin()
    }
    if !table.isInCells { flags = .scattered }
    let row = binding.makeDefaultRow()
    self.row = row
    memory = row.base
    if let context { context.register(inserting: self) }
  }
}
