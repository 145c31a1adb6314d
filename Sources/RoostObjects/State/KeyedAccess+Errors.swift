// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension KeyedAccess {
  func unknownKey(_ key: String) -> PersistenceError {
    PersistenceError(
      .unknownKey, "\(owner.entity.name ?? "The entity") has no property \(key).",
      entityName: owner.entity.name, key: key, objectIDs: [owner.identity])
  }
}
