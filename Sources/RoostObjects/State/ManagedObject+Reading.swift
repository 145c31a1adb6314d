// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Reads for throwing callers. Accessors, which cannot throw, call the variants that record the error.
extension ManagedObject {
  /// Returns the memory of the values, reading them if needed; nil when the record is gone.
  final func readMemory() throws(PersistenceError) -> UnsafeMutableRawPointer? {
    if let memory { return memory }
    guard !flags.contains(.inaccessible), let context else { return fire() }
    return try context.loader.readFault(self)
  }
}
