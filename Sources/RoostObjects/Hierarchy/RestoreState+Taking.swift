// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RestoreState {
  /// Takes back a pending deletion: the object keeps its values in memory, and is related again to what the delete
  /// rules have severed it from.
  func revive() {
    // Before the delete rules are applied, the relationships are as the program has set them.
    let severed = owner.flags.contains(.propagated) ? severedLinks() : []
    owner.context?.changes.forget(owner)
    if owner.snapshot == nil, !owner.isFault {
      owner.context?.changes.noteInsertion(of: owner)
    } else {
      owner.noteChange()
    }
    relate(severed)
  }

  /// Takes back a deletion that is not saved yet, because the program inserts the object again.
  func reinsert() {
    guard let context = owner.context else { return }
    guard !owner.flags.contains(.inaccessible) else {
      return context.readErrors.refuse(ManagedObjectContext.missingRecord(owner.identity))
    }
    guard owner.flags.contains(.deleted) else { return context.changes.noteInsertion(of: owner) }
    context.changes.begin(owner)
    revive()
    if !owner.hasPersistentChangedValues { forgetChanges() }
  }

  /// Moves a child's additions, in the child's order, behind all other destinations, if their order differs.
  func reorderAdditions(
    _ relationship: RelationshipDescription, _ added: [ManagedObject]
  ) {
    let links = owner.related.toManyLinks(relationship)
    let wanted = Set(added.map(ObjectIdentifier.init))
    let current = links.isLoaded ? links.members : ContiguousArray(links.added)
    let now = current.filter { wanted.contains(ObjectIdentifier($0)) }
    guard now.count == added.count, !now.elementsEqual(added, by: ===) else { return }
    guard links.isLoaded else { return links.reorderAdditions(added) }
    var ordered = ContiguousArray(current.filter { !wanted.contains(ObjectIdentifier($0)) })
    ordered.append(contentsOf: added)
    owner.editor.setDestinations(relationship, ordered)
  }

  /// Applies a child's order to the destinations; those that the child does not know come last.
  func reorder(_ relationship: RelationshipDescription, _ order: [ObjectID]) {
    let members = owner.related.destinations(relationship)
    var places: [ObjectID: Int] = [:]
    for (place, id) in order.enumerated() { places[id] = place }
    let sorted = members.enumerated().sorted { left, right in
      let (first, second) = (places[left.element.identity], places[right.element.identity])
      return (first ?? .max, left.offset) < (second ?? .max, right.offset)
    }
    owner.editor.setDestinations(relationship, ContiguousArray(sorted.map(\.element)))
  }
}
