// SPDX-License-Identifier: Apache-2.0

/// What an object knows of one of its relationships.
enum LinkState {
  /// Nothing yet: the row, or the store, knows.
  case unloaded
  /// The destination of a to-one relationship.
  case toOne(ManagedObject?)
  /// The destinations of a to-many relationship, or what was added and removed while they are not loaded.
  case toMany(ToManyLinks)

  var isUnloaded: Bool {
    switch self {
    case .unloaded: true
    case .toOne: false
    case .toMany(let links): !links.isLoaded
    }
  }
}

// Objects without a context have nobody who releases them one after the other.
extension ManagedObject {
  /// Releases objects: a chain of a million that nobody else holds must not go as deep into the stack.
  static func release(_ objects: consuming ContiguousArray<ManagedObject>) {
    while var object = objects.popLast() {
      guard object.context == nil, isKnownUniquelyReferenced(&object) else { continue }
      objects.append(contentsOf: object.editor.takeDestinations())
    }
  }
}
