// SPDX-License-Identifier: Apache-2.0

/// An object whose record the next save compares.
struct WatchedObject {
  let object: ManagedObject
  /// Whether the save compares the record only because of a lock, and increments its version.
  var isLocked = false
}
