// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Looks up the addresses of a host. `getaddrinfo` has no time-out, so it runs on a thread of its own, which is
/// abandoned when the time is over.
enum HostLookup {
  private final class Answer: Sendable {
    let addresses = Mutex<[String]?>(nil)
    let arrival = DispatchSemaphore(value: 0)
  }

  /// Returns the addresses in the order in which they are to be tried; empty when there are none, nil when the time is
  /// over.
  static func addresses(of host: String, deadline: Deadline) -> [String]? {
    let answer = Answer()
    let thread = Thread {
      let found = look(up: host)
      answer.addresses.withLock { $0 = found }
      answer.arrival.signal()
    }
    thread.start()
    _ = answer.arrival.wait(timeout: .now() + deadline.remaining)
    return answer.addresses.withLock { $0 }
  }

  private static func look(up host: String) -> [String] {
    var hints = addrinfo()
    #if canImport(Darwin)
    hints.ai_socktype = SOCK_STREAM
    #else
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    #endif
    var list: UnsafeMutablePointer<addrinfo>?
    guard getaddrinfo(host, nil, &hints, &list) == 0 else { return [] }
    defer { freeaddrinfo(list) }
    var addresses: [String] = []
    var next = list
    while let entry = next?.pointee {
      var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
      let code = getnameinfo(
        entry.ai_addr, entry.ai_addrlen, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
      if code == 0 {
        let bytes = text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        let address = String(decoding: bytes, as: UTF8.self)
        if !addresses.contains(address) { addresses.append(address) }
      }
      next = entry.ai_next
    }
    return addresses
  }
}
