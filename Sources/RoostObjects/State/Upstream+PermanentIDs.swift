// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension Upstream {
  /// Takes over the permanent IDs assigned to objects of the parent (B207).
  func learnPermanentIDs() {
    guard context.parentContext != nil, !context.inbox.isEmpty else { return }
    for temporary in context.inbox.takeLearned() {
      guard let object = context.registry.object(for: temporary) else { continue }
      context.saver.becomePermanent(object, temporary.current)
    }
  }
}
