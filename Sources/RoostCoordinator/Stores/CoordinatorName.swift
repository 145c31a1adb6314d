// SPDX-License-Identifier: Apache-2.0

import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The UUID under which a coordinator is registered with a decider. It says in which process of which machine the
/// coordinator runs: a program that is started again can tell at once that the one before it has ended, and that what
/// it left undecided can be rolled back.
///
/// It holds a hash of the machine's start, the number of the process, and 56 random bits. A wrong verdict does no
/// harm: a coordinator that is taken for dead is refused when it decides, and saves again.
enum CoordinatorName {
  private static let machineBytes = 5
  private static let processBytes = MemoryLayout<Int32>.size

  /// Returns a new name for a coordinator of a process.
  static func make(
    process: Int32 = ProcessInfo.processInfo.processIdentifier
  ) -> UUID {
    guard let machineHash else { return UUID() }
    var uuid = UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: machineHash + bytes(of: process)) }
    return UUID(uuid: uuid)
  }

  /// Whether the process of a coordinator is known to have ended. False also for one of another machine, or one that
  /// ran before this machine was started.
  static func hasEnded(_ name: UUID) -> Bool {
    let named = withUnsafeBytes(of: name.uuid) { Array($0) }
    guard let machineHash, named.prefix(machineBytes) == machineHash[...] else { return false }
    let process = named[machineBytes..<machineBytes + processBytes].reduce(Int32(0)) {
      $0 << 8 | Int32($1)
    }
    // A process of a container often has the number of the one before it.
    guard process != ProcessInfo.processInfo.processIdentifier else {
      return !SaveRegistry.isUsed(name)
    }
    return process > 0 && kill(process, 0) != 0 && errno == ESRCH
  }

  private static func bytes(of process: Int32) -> [UInt8] {
    withUnsafeBytes(of: process.bigEndian) { Array($0) }
  }

  /// The hash of the machine's start; nil where that is unknown.
  private static let machineHash: [UInt8]? = {
    guard let machine else { return nil }
    var hash: UInt64 = 0xcbf2_9ce4_8422_2325
    for byte in machine.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
    return withUnsafeBytes(of: hash.bigEndian) { Array($0.suffix(machineBytes)) }
  }()

  /// The identifier of the start of the machine, and on Linux the processes that see each other's numbers.
  private static var machine: String? {
    #if os(Linux)
    guard
      let start = try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8),
      let processes = try? FileManager.default.destinationOfSymbolicLink(
        atPath: "/proc/self/ns/pid")
    else { return nil }
    return start + processes
    #elseif canImport(Darwin)
    var size = 0
    guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 1 else {
      return nil
    }
    var bytes = [UInt8](repeating: 0, count: size)
    guard sysctlbyname("kern.bootsessionuuid", &bytes, &size, nil, 0) == 0 else { return nil }
    return String(decoding: bytes, as: UTF8.self)
    #else
    return nil
    #endif
  }
}
