// SPDX-License-Identifier: Apache-2.0

/// The state of one relationship of an object.
enum LinkState {
  /// Not loaded: the destinations are in the row or in the store.
  case unloaded
  /// The destination of a to-one relationship.
  case toOne(ManagedObject?)
  /// The destinations of a to-many relationship; before they are loaded, only the additions and removals.
  case toMany(ToManyLinks)

  var isUnloaded: Bool {
    switch self {
    case .unloaded: true
    case .toOne: false
    case .toMany(let links): !links.isLoaded
    }
  }
}

// Objects without a context have no list for iterative release.
extension ManagedObject {
  /// Releases objects iteratively: releasing a chain of a million objects recursively would overflow the stack.
  static func release(_ objects: consuming ContiguousArray<ManagedObject>) {
    while var object = objects.popLast() {
      guard object.context == nil, isKnownUniquelyReferenced(&object) else { continue }
      objects.append(contentsOf: object.editor.takeDestinations())
    }
  }
}
