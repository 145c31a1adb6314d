// SPDX-License-Identifier: Apache-2.0

/// The undo of a single registration.
struct UndoAction {
  let target: ObjectIdentifier
  let perform: () -> Void
}

/// A group of registrations that are undone together.
final class UndoGroup {
  enum Item {
    case action(UndoAction)
    case group(UndoGroup)
  }

  var items: [Item] = []
  var name = ""
  var isDiscardable = false

  /// Returns the actions of this group and of nested ones, the last one first.
  func actionsBackwards() -> [UndoAction] {
    var result: [UndoAction] = []
    var rest = items
    while let item = rest.popLast() {
      switch item {
      case .action(let action): result.append(action)
      case .group(let group): rest += group.items
      }
    }
    return result
  }

  /// Removes the last nested group.
  func takeLastGroup() -> UndoGroup? {
    guard case .group(let group) = items.last else { return nil }
    items.removeLast()
    return group
  }

  func removeActions(of target: ObjectIdentifier) {
    items.removeAll { item in
      switch item {
      case .action(let action): return action.target == target
      case .group(let group):
        group.removeActions(of: target)
        return group.items.isEmpty
      }
    }
  }
}
