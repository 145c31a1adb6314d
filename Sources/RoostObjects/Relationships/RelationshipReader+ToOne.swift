// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension RelationshipReader {
  /// Returns the destination of a to-one relationship.
  func destination(_ ordinal: Int) -> ManagedObject? {
    if Int(owner.soleOrdinal) == ordinal { return owner.soleDestination }
    if !owner.linkTable.isEmpty, case .toOne(let object) = owner.linkTable[ordinal] {
      return object
    }
    return loadDestination(ordinal)
  }

  @inline(never)
  private func loadDestination(_ ordinal: Int) -> ManagedObject? {
    guard let slot = owner.binding.referenceSlots[ordinal] else {
      _ = owner.fire()
      do throws(PersistenceError) {
        return try readTransientDestination(ordinal)
      } catch {
        owner.context?.readErrors.noteReadFailure(error, of: [owner.identity])
        return nil
      }
    }
    if owner.memory == nil, owner.row == nil, let partial = owner.values.partialRow(having: slot) {
      guard let context = owner.context, let key = partial.reference(slot) else { return nil }
      // It is not kept: the row that the fault gets later may have another destination.
      return context.loader.object(forKey: key, of: ordinal, from: owner)
    }
    guard let memory = owner.memory ?? owner.fire() else { return nil }
    let isNull = RowMemory.isNull(memory, slot)
    guard let contextReference = owner.contextReference else {
      if !isNull || owner.changedLinks.contains(ordinal) {
        owner.orphan.requireContext(toRead: owner.binding.relationships[ordinal])
      }
      return nil
    }
    if isNull { return nil }
    // The context clears the reference before it goes away.
    let object = contextReference._withUnsafeGuaranteedRef {
      $0.loader.object(forKey: RowMemory.load(memory, slot), of: ordinal, from: owner)
    }
    owner.editor.keepDestination(object, ordinal)
    return object
  }

  /// Reads a transient destination, which is in no row: the parent's object may have one.
  func readTransientDestination(_ ordinal: Int) throws(PersistenceError) -> ManagedObject? {
    guard let context = owner.context, context.parentContext != nil, owner.isKnownBelow,
      !owner.flags.contains(.inserted)
    else { return nil }
    let relationship = owner.binding.relationships[ordinal]
    do {
      let found = try context.upstream.source().destinations(
        of: relationship, for: [owner.identity])
      context.upstream.learnPermanentIDs()
      let object = found.ids.first.map { context.object(with: $0) }
      owner.editor.setLink(.toOne(object), ordinal)
      return object
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }
}
