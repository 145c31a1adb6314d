// SPDX-License-Identifier: Apache-2.0

import RoostModel

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
