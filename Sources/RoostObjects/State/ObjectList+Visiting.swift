// SPDX-License-Identifier: Apache-2.0

// A save iterates over its objects many times, mostly to test a flag: counting a reference each time would cost more
// than the test.
extension ContiguousArray where Element == ManagedObject? {
  /// Calls `body`, which must not change the array, with each non-nil object, without reference counting.
  @inline(__always)
  func forEachHeld(_ body: (ManagedObject) throws -> Void) rethrows {
    try withUnsafeBytes { bytes in
      // An optional reference is its address, and so is an unmanaged one; the array retains the objects meanwhile.
      for reference in bytes.bindMemory(to: Unmanaged<ManagedObject>?.self) {
        try reference?._withUnsafeGuaranteedRef { try body($0) }
      }
    }
  }
}

extension ContiguousArray where Element == ManagedObject {
  /// Calls `body`, which must not change the array, with each object, without reference counting.
  @inline(__always)
  func forEachHeld(_ body: (ManagedObject) throws -> Void) rethrows {
    try withUnsafeBytes { bytes in
      // A reference is its address, and so is an unmanaged one; the array retains the objects meanwhile.
      for reference in bytes.bindMemory(to: Unmanaged<ManagedObject>.self) {
        try reference._withUnsafeGuaranteedRef { try body($0) }
      }
    }
  }
}
