// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension SaveEngine {
  /// Replaces a temporary ID with a permanent one; the object can still be found by the old one.
  func becomePermanent(_ object: ManagedObject, _ id: ObjectID) {
    guard object.identity.isTemporaryID else { return }
    context.registry.remove(object)
    let temporary = object.identity
    temporary.becamePermanent(id)
    if context.inbox.hasChildren { context.inbox.announce(permanentIDsOf: [temporary]) }
    object.identity = id
    context.registry.insert(object)
    if !context.saving.assignments.isEmpty {
      context.saving.assignments[ObjectIdentifier(object)] = nil
    }
  }
}
