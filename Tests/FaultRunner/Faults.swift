// SPDX-License-Identifier: Apache-2.0

import FaultShim
import Foundation

/// The calls that can be made to fail.
enum FaultKind: Int32, CaseIterable, Sendable {
  case open, read, write, sync, truncate, rename, unlink, look, map, lock, allocate

  /// What the calls fail with; -1 is a write of half of the bytes.
  var errors: [Int32] {
    switch self {
    case .open: [EIO, EMFILE, ENOMEM]
    case .read, .sync, .truncate, .look: [EIO]
    case .write: [EIO, ENOSPC, -1]
    case .rename, .unlink: [EIO]
    case .map: [ENOMEM]
    case .lock: [EIO, ENOLCK]
    case .allocate: [ENOMEM]
    }
  }

  /// Those that are calls to the system.
  static let calls = allCases.filter { $0 != .allocate }
}

/// One failure: the n-th call of a kind, and all later ones too if it is sticky.
struct Fault: CustomStringConvertible {
  let kind: FaultKind
  let number: Int
  let error: Int32
  let isSticky: Bool

  var description: String {
    "\(kind) \(number) error \(error)\(isSticky ? " sticky" : "")"
  }
}

/// The shim, in Swift's words.
enum Faults {
  static var isSupported: Bool { fault_is_supported() != 0 }
  static func watch(_ folder: String) { fault_watch(folder) }
  static func plan(_ fault: Fault) {
    fault_plan(fault.kind.rawValue, fault.number, fault.error, fault.isSticky ? 1 : 0)
  }
  static func clear() { fault_clear() }
  static func count() { fault_count() }
  static func calls(_ kind: FaultKind) -> Int { fault_calls(kind.rawValue) }
  static var failures: Int { fault_failures() }
}
