// SPDX-License-Identifier: Apache-2.0

/// An object whose record the next save compares.
struct WatchedObject {
  let object: ManagedObject
  /// Whether the save compares it for that reason alone, and counts its version up.
  var isLocked = false
}
