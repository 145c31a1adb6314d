// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension SaveEngine {
  /// Redirects all relationships to the replacements made while conflicts were resolved.
  ///
  /// - Complexity: O(registered objects and their relationships), no query.
  func finishReplacing() {
    guard !context.saving.replacements.isEmpty else { return }
    let finished = context.saving.replacements
    context.saving.replacements = Replacements()
    for object in context.registry.all where !object.links.isEmpty && !finished.isGone(object) {
      finished.apply(to: object)
    }
  }

  /// Redirects an object's relationships to the replacements, on both sides, before its relationships are changed
  /// further.
  func catchUp(_ object: ManagedObject) {
    guard !context.saving.replacements.isEmpty else { return }
    context.saving.replacements.apply(to: object)
    let predecessors = context.saving.replacements.predecessors(of: object)
    for relationship in object.binding.relationships {
      guard let inverse = relationship.maintainedInverse else { continue }
      for destination in object.related.destinationsAtHand(relationship)
      where !destination.links.isEmpty {
        switch destination.links[inverse.ordinal] {
        case .toOne(let back?):
          destination.links[inverse.ordinal] = .toOne(
            context.saving.replacements.successor(of: back))
        case .toMany(let known):
          for old in predecessors { known.substitute(old, by: object) }
        default: break
        }
      }
    }
  }
}
