// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Reading for those who can be told what went wrong. Accessors, which cannot, call the forms that note it.
extension ManagedObject {
  /// The memory of the values, read if need be; nil when the record is gone.
  final func readMemory() throws(PersistenceError) -> UnsafeMutableRawPointer? {
    if let memory { return memory }
    guard !flags.contains(.inaccessible), let context else { return fire() }
    return try context.loader.readFault(self)
  }
}
