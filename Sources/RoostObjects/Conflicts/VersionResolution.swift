// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Brings an object whose record was changed or removed meanwhile to a state that can be saved.
struct VersionResolution {
  let object: ManagedObject
  /// The record as it is now; nil when it is gone.
  let current: Row?

  /// Applies a policy; the error policy changes nothing.
  ///
  /// - Throws: What a store throws that has to be asked for it.
  func apply(_ type: MergePolicyType) throws {
    guard type != .errorMergePolicyType else { return }
    guard let current else {
      try applyToGone(type)
      return
    }
    if object.flags.contains(.deleted) {
      // Deleted here, changed there (B184).
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

  /// The record is gone (B183).
  private func applyToGone(_ type: MergePolicyType) throws {
    if object.flags.contains(.deleted) {
      // Gone as it should be.
      object.flags.insert(.inaccessible)
    } else if type.favorsObject {
      try object.restoring.resurrect()
    } else {
      object.restoring.becomeDeletedBelow()
    }
  }
}
