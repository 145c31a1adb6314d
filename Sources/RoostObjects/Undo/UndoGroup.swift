// SPDX-License-Identifier: Apache-2.0

/// How to take one thing back.
struct UndoAction {
  let target: ObjectIdentifier
  let perform: () -> Void
}

/// What is undone together.
final class UndoGroup {
  enum Item {
    case action(UndoAction)
    case group(UndoGroup)
  }

  var items: [Item] = []
  var name = ""
  var isDiscardable = false

  /// The actions of this group and of those inside it, the last one first.
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

  /// Takes out the last group inside this one.
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
