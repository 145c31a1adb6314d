// SPDX-License-Identifier: Apache-2.0

/// One step of a relationship change, on one side; undo reverses it.
enum LinkStep {
  /// A to-one relationship had another destination before.
  case pointed(ManagedObject, Int, ManagedObject?)
  /// A to-many relationship got a destination, which may have been a pending removal before.
  case added(ManagedObject, Int, ManagedObject, wasRemoved: Bool)
  /// A to-many relationship lost a destination: its index, if ordered, and whether it was a pending addition before.
  case removed(ManagedObject, Int, ManagedObject, Int?, wasAdded: Bool)
  /// An ordered relationship had another order.
  case ordered(ManagedObject, Int, ContiguousArray<ManagedObject>)

  /// The owner of the relationship and the relationship's ordinal.
  var place: (owner: ManagedObject, ordinal: Int) {
    switch self {
    case .pointed(let owner, let ordinal, _), .added(let owner, let ordinal, _, _),
      .removed(let owner, let ordinal, _, _, _), .ordered(let owner, let ordinal, _):
      (owner, ordinal)
    }
  }

  /// Whether reverting the step needs the order of all destinations.
  var needsOrder: Bool {
    switch self {
    case .ordered: true
    case .removed(_, _, _, let place, _): place != nil
    default: false
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
