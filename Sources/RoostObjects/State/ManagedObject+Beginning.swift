// SPDX-License-Identifier: Apache-2.0

import RoostModel

// What both initializers go on with once the object is one. An override of theirs finds an object that is complete:
// registered, and with its values.
extension ManagedObject {
  /// Begins as the object of a record, which its context is just making.
  @inline(__always) final func begin(as awaited: AwaitedObject, in context: ManagedObjectContext) {
    if !awaited.slots.isInCells { flags = .scattered }
    contextReference = Unmanaged.passUnretained(context)
    fetchGroup = awaited.group?.takeUnretainedValue()
    if let storage = awaited.row {
      attach(Row(storage: storage.takeUnretainedValue()))
    }
    context.adopt(self)
  }

  /// Makes the ID of a new object.
  @inline(__always) static func makeTemporaryID(
    for entity: EntityDescription, in context: ManagedObjectContext?
  ) -> ObjectID {
    guard let context else { return IDScope.makeTemporaryID(for: entity) }
    return IDScope.makeTemporaryID(for: entity, in: &context.classes.temporaryIDs)
  }

  /// Begins as a path recorder or as a new object.
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
