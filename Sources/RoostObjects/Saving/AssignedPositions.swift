// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The positions that a running save has assigned to the destinations of ordered relationships. They are taken back
/// when the save is refused: a later save would store an order that the program does not see.
struct AssignedPositions {
  private struct Entry {
    let member: ManagedObject
    let slot: RowSlot
    let list: ToManyLinks
    /// The position in the member's row before.
    let earlier: Int64?
    /// Whether the position was changed before.
    let wasChanged: Bool
    /// Whether the member had no changes before.
    let wasClean: Bool
    /// Whether the current event had touched the member before.
    let wasInEvent: Bool
  }

  /// Whether positions are recorded; a checkpoint of the graph restores what is assigned after it.
  var isRecording = true
  private var lists: ContiguousArray<ToManyLinks> = []
  private var entries: ContiguousArray<Entry> = []

  /// Assigns positions to the members of a list, to be saved with it.
  mutating func assign(_ positions: [Int64], to list: ToManyLinks) {
    if isRecording { lists.append(list) }
    list.assignedPositions = positions
  }

  /// Writes a position into the row of a member, whose values are read.
  mutating func write(
    _ position: Int64, into member: ManagedObject, at slot: RowSlot, of list: ToManyLinks
  ) {
    let earlier = member.row.flatMap { $0.isNull(slot) ? nil : $0.integer(slot) }
    let entry = Entry(
      member: member, slot: slot, list: list, earlier: earlier,
      wasChanged: member.changedSlots.contains(slot.index), wasClean: !member.hasChanges,
      wasInEvent: member.flags.contains(.inEvent))
    guard let memory = member.willWrite(slot) else { return }
    RowMemory.store(position, memory, slot)
    if isRecording { entries.append(entry) }
  }

  /// Takes back the positions that were not saved. Those of a list that a part of the save has written stay: its
  /// members are changed, and the next save writes them.
  func takeBack(in context: ManagedObjectContext) {
    for list in lists where list.hasChanges { list.assignedPositions = [] }
    var untouched = Set<ObjectIdentifier>()
    for entry in entries.reversed() where entry.list.hasChanges {
      let member = entry.member
      guard member.context === context, member.changedSlots.contains(entry.slot.index) else {
        continue
      }
      member.makeRowOwn()
      if let earlier = entry.earlier {
        member.row?.setInteger(earlier, at: entry.slot)
      } else {
        member.row?.setNull(entry.slot)
      }
      if !entry.wasChanged { member.changedSlots.remove(entry.slot.index) }
      guard entry.wasClean, member.flags.contains(.updated), !member.hasPersistentChangedValues
      else { continue }
      member.restoring.forgetChanges()
      if !entry.wasInEvent { untouched.insert(ObjectIdentifier(member)) }
    }
    if !untouched.isEmpty { context.changes.withdraw(untouched) }
  }
}
