// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What an object begins with: as the object of a record that its context is just making, or as a new one.
struct ObjectStart {
  let binding: EntityBinding
  let table: SlotTable
  let identity: ObjectID
  private let row: Row?
  private let company: ObjectCompany?
  private let isNew: Bool

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
      isNew = false
      return
    }
    binding = EntityBinding.binding(of: entity)
    table = binding.slotTable(for: objectClass)
    identity = IDScope.makeTemporaryID(for: entity)
    row = binding.makeDefaultRow()
    company = nil
    isNew = true
  }

  /// Gives the object its row, and a new one to its context.
  @inline(__always) func give(to object: ManagedObject, in context: ManagedObjectContext?) {
    if !table.isInCells { object.flags = .scattered }
    object.row = row
    if isNew {
      object.memory = row?.base
      if let context { context.register(inserting: object) }
      return
    }
    object.snapshot = row
    object.group = company
    object.context = context
  }
}
