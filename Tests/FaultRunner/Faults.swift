// SPDX-License-Identifier: Apache-2.0

import FaultShim
import Foundation

/// The calls that can be made to fail.
enum FaultKind: Int32, CaseIterable, Sendable {
  case open, read, write, sync, truncate, rename, unlink, look, map, lock, allocate
  case connect, send, receive, poll
  /// Messages between a client and its server after which, or in the middle of which, the wire is cut.
  case asked, answered, askedHalf, answeredHalf

  /// What the calls fail with; -1 is a write of half of the bytes, or the end of what a server says.
  var errors: [Int32] {
    switch self {
    case .open: [EIO, EMFILE, ENOMEM]
    case .read, .sync, .truncate, .look: [EIO]
    case .write: [EIO, ENOSPC, -1]
    case .rename, .unlink: [EIO]
    case .map: [ENOMEM]
    case .lock: [EIO, ENOLCK]
    case .allocate, .poll: [ENOMEM]
    case .connect: [ECONNREFUSED, ENOENT, EAGAIN]
    case .send: [EPIPE, ECONNRESET]
    case .receive: [ECONNRESET, ETIMEDOUT, -1]
    case .asked, .answered, .askedHalf, .answeredHalf: [ECONNRESET]
    }
  }

  /// Those that are calls to the system.
  static let calls = allCases.filter { $0 != .allocate && !$0.isCut }
  /// Those that are messages.
  static let cuts = allCases.filter(\.isCut)

  /// Whether the wire is cut.
  var isCut: Bool { rawValue >= FaultKind.asked.rawValue }
}

/// One failure: the n-th call of a kind, and all later ones too if it is sticky; of messages the next three.
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
    if fault.kind.isCut {
      // A request is tried again on a second connection, and a save asks on a third how it ended.
      return MessageRelay.shared.plan(fault.kind, fault.number, times: fault.isSticky ? 4 : 1)
    }
    fault_plan(fault.kind.rawValue, fault.number, fault.error, fault.isSticky ? 1 : 0)
  }
  static func clear() {
    fault_clear()
    MessageRelay.shared.clear()
  }
  static func count() {
    fault_count()
    MessageRelay.shared.clear()
  }
  static func calls(_ kind: FaultKind) -> Int {
    kind.isCut ? MessageRelay.shared.messages(kind) : fault_calls(kind.rawValue)
  }
  /// Lets the power fail after some operations of a record, until ``clear()``.
  static func powerOff(after operations: Int) { fault_power_off_after(operations) }
  static var isWithoutPower: Bool { fault_is_without_power() != 0 }
  /// What was written and said since the beginning of the record.
  static var operations: Int { fault_operations() }
  static var failures: Int { fault_failures() + MessageRelay.shared.cuts }
}
