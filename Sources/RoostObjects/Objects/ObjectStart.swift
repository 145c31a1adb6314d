// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What an object begins with: as the object of a record that its context is just making, as a path recorder, or as a
/// new one.
///
/// An override of the initializer goes on with an object that is complete: registered, and with its values.
struct ObjectStart {
  let binding: EntityBinding
  let table: SlotTable
  let identity: ObjectID
  private let row: Row?
  private let company: ObjectCompany?
  private let role: Role

  private enum Role {
    case ofRecord, recorder, new
  }

  @inline(__always) init(
    of entity: EntityDescription, _ objectClass: ManagedObject.Type,
    in context: ManagedObjectContext?
  ) {
    if let context, let awaited = context.takeAwaited(for: entity) {
      binding = awaited.binding.takeUnretainedValue()
      table = awaited.slots
      identity = ObjectID(scope: awaited.scope.takeUnretainedValue(), key: awaited.key)
      row = awaited.row.map { Row(storage: $0.takeUnretainedValue()) }
      company = awaited.company?.takeUnretainedValue()
      role = .ofRecord
      return
    }
    binding = EntityBinding.binding(of: entity)
    table = binding.slotTable(for: objectClass)
    identity = IDScope.makeTemporaryID(for: entity)
    if entity === RecorderEntity.entity {
      row = nil
      company = PathRecorder(isFollowing: false)
      role = .recorder
      return
    }
    row = binding.makeDefaultRow()
    company = nil
    role = .new
  }

  /// Gives the object its row, and the context its object.
  @inline(__always) func give(to object: ManagedObject, in context: ManagedObjectContext?) {
    if !table.isInCells { object.flags = .scattered }
    object.row = row
    object.group = company
    switch role {
    case .ofRecord:
      object.snapshot = row
      object.context = context
      context?.adopt(object)
    case .recorder:
      object.flags = .recorder
    case .new:
      object.memory = row?.base
      context?.register(inserting: object)
    }
  }
}
