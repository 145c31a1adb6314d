// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Warns about legal but probably mistaken usage: in the log of the store, and in a debug build on the standard error
/// stream when the log has no handler.
enum ModelWarnings {
  private static let told = Mutex<Set<String>>([])

  /// Reports the model's warnings, when its first store is added.
  static func tell(of model: ManagedObjectModel, to log: StoreLog) {
    for warning in model.findWarnings() { tell(warning, to: log) }
  }

  /// Reports a remark; on the standard error stream only once.
  static func tell(_ remark: String, to log: StoreLog) {
    log.remark(remark)
    #if DEBUG
    guard !log.isRead else { return }
    guard told.withLock({ $0.insert(remark).inserted }) else { return }
    FileHandle.standardError.write(Data("Roost: \(remark)\n".utf8))
    #endif
  }
}
