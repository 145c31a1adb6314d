// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// Warns of what is legal and probably a mistake: in the log of the store, and in a debug build on the standard error
/// stream when the log has no handler.
enum Remarks {
  private static let told = Mutex<Set<String>>([])

  /// Says what a model allows and yet is seldom meant, when its first store is added.
  static func tell(of model: ManagedObjectModel, to log: StoreLog) {
    for warning in model.findWarnings() { tell(warning, to: log) }
  }

  /// Says something; to the standard error stream only once.
  static func tell(_ remark: String, to log: StoreLog) {
    log.remark(remark)
    #if DEBUG
    guard !log.isRead else { return }
    guard told.withLock({ $0.insert(remark).inserted }) else { return }
    FileHandle.standardError.write(Data("Roost: \(remark)\n".utf8))
    #endif
  }
}
