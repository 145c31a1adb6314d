// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Says what a model allows and yet is seldom meant, when its first store is added: to the log of the store, and in a
/// debug build to the standard error stream where nobody listens to the log.
enum ModelRemarks {
  private static let told = Mutex<Set<String>>([])

  static func tell(of model: ManagedObjectModel, to log: StoreLog) {
    for warning in model.findWarnings() {
      if log.isOn {
        log.remark(warning)
        continue
      }
      #if DEBUG
      guard told.withLock({ $0.insert(warning).inserted }) else { continue }
      FileHandle.standardError.write(Data("Roost: \(warning)\n".utf8))
      #endif
    }
  }
}
