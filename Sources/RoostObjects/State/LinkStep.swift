// SPDX-License-Identifier: Apache-2.0

/// One step in which a relationship was changed, on one of its sides: what an undo goes back.
enum LinkStep {
  /// A to-one relationship pointed at another object before.
  case pointed(ManagedObject, Int, ManagedObject?)
  /// A to-many relationship got a destination, which may have been removed before.
  case added(ManagedObject, Int, ManagedObject, wasRemoved: Bool)
  /// A to-many relationship lost a destination, which stood at a place where there is an order, and may have been added
  /// before.
  case removed(ManagedObject, Int, ManagedObject, Int?, wasAdded: Bool)
  /// An ordered relationship had its destinations in another order.
  case ordered(ManagedObject, Int, ContiguousArray<ManagedObject>)

  /// Whose relationship it is, and its ordinal.
  var place: (owner: ManagedObject, ordinal: Int) {
    switch self {
    case .pointed(let owner, let ordinal, _), .added(let owner, let ordinal, _, _),
      .removed(let owner, let ordinal, _, _, _), .ordered(let owner, let ordinal, _):
      (owner, ordinal)
    }
  }

  /// Whether one of the objects is the owner or the destination.
  func concerns(_ objects: Set<ObjectIdentifier>) -> Bool {
    if objects.contains(ObjectIdentifier(place.owner)) { return true }
    switch self {
    case .added(_, _, let object, _), .removed(_, _, let object, _, _), .pointed(_, _, let object?):
      return objects.contains(ObjectIdentifier(object))
    default: return false
    }
  }
}
