// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Brings an object whose record was changed or removed by another writer to a state that can be saved.
struct VersionResolution {
  let object: ManagedObject
  /// The current row of the record; nil when it is gone.
  let current: Row?

  /// Applies a policy; the error policy changes nothing.
  ///
  /// - Throws: The error of a store that has to be queried.
  func apply(_ type: MergePolicyType) throws {
    guard type != .errorMergePolicyType else { return }
    guard let current else {
      try applyToGone(type)
      return
    }
    if object.flags.contains(.deleted) {
      // Deleted by this context, changed by another writer (B184).
      if type.favorsObject {
        object.restoring.rebaseDeletion(on: current)
      } else {
        object.restoring.undelete(current)
      }
      return
    }
    switch type {
    case .rollbackMergePolicyType: object.restoring.dropChanges(for: current)
    case .overwriteMergePolicyType: object.restoring.layWhole(over: current)
    case .mergeByPropertyStoreTrumpMergePolicyType:
      object.restoring.layChanges(over: current, winner: .store)
    default: object.restoring.layChanges(over: current, winner: .object)
    }
  }

  /// Applies the policy to a record that is gone (B183).
  private func applyToGone(_ type: MergePolicyType) throws {
    if object.flags.contains(.deleted) {
      // Both sides deleted it.
      object.flags.insert(.inaccessible)
    } else if type.favorsObject {
      try object.restoring.resurrect()
    } else {
      object.restoring.becomeDeletedBelow()
    }
  }
}
