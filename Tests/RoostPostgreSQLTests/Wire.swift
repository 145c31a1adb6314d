// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import TestWaiting

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A proxy on 127.0.0.1 between a client and a server, which can cut or stall the connection.
final class Wire: @unchecked Sendable {
  // Sendable: the listener is set in `init`, everything else is behind `state`.

  /// The treatment of data that the client sends.
  enum Decision {
    case forward
    /// Both connections are closed before the server receives the data.
    case cut
    /// The server receives the data and responds; the client is cut off without a response.
    case forwardAndCut
    /// No data is forwarded from now on.
    case hold
    /// The client gets a given response instead of the server's, and is cut off.
    case answer([UInt8])
  }

  let port: Int
  private let listener: Int32
  private let target: Int
  private let state: Mutex<State>

  private struct State {
    var judge: @Sendable ([UInt8]) -> Decision
    var isHeld = false
    var connections = 0
  }

  /// - Parameters:
  ///   - host: The IPv4 address to listen on, as a number.
  ///   - port: The port that it listens on; 0 for any.
  ///   - target: The port of the server; 0 for none: clients get no response.
  ///   - judge: Returns the treatment of the data that a client sends.
  init(
    to target: Int, at host: UInt32 = 0x7F00_0001, port wanted: Int = 0,
    judge: @escaping @Sendable ([UInt8]) -> Decision = { _ in .forward }
  ) throws {
    self.target = target
    state = Mutex(State(judge: judge))
    let listener = Self.makeSocket()
    self.listener = listener
    var address = Self.address(wanted, host)
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let bound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(listener, $0, size) == 0 && listen(listener, 16) == 0
          && getsockname(listener, $0, &size) == 0
      }
    }
    guard bound else { throw POSIXError(.EADDRINUSE) }
    port = Int(UInt16(bigEndian: address.sin_port))
    Thread { [self] in accept() }.start()
  }

  /// The number of clients that have connected.
  var connections: Int { state.withLock { $0.connections } }

  func setJudge(_ judge: @escaping @Sendable ([UInt8]) -> Decision) {
    state.withLock { $0.judge = judge }
  }

  /// Resumes forwarding. Stalled data is lost.
  func release() {
    state.withLock { $0.isHeld = false }
  }

  private static func makeSocket() -> Int32 {
    #if canImport(Darwin)
    socket(AF_INET, SOCK_STREAM, 0)
    #else
    socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  private static func address(_ port: Int, _ host: UInt32 = 0x7F00_0001) -> sockaddr_in {
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(port).bigEndian
    address.sin_addr.s_addr = host.bigEndian
    return address
  }

  private func accept() {
    while true {
      #if canImport(Darwin)
      let client = Darwin.accept(listener, nil, nil)
      #else
      let client = Glibc.accept(listener, nil, nil)
      #endif
      guard client >= 0 else { return }
      state.withLock { $0.connections += 1 }
      guard target > 0 else {
        // Without a server the judge can only return a response.
        Thread { [self] in hear(client) }.start()
        continue
      }
      let server = Self.makeSocket()
      var address = Self.address(target)
      let isConnected = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          connect(server, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
      }
      guard isConnected else {
        close(client)
        close(server)
        continue
      }
      Thread { [self] in serve(client, server) }.start()
    }
  }

  /// Reads the client's data, and responds `N` to a request for TLS if the judge forwards it; otherwise it stays
  /// silent.
  private func hear(_ client: Int32) {
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = recv(client, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      let decision = state.withLock { $0.judge }(Array(buffer[..<count]))
      if case .forward = decision { _ = send(client, "N", 1, Int32(MSG_NOSIGNAL)) }
      if case .answer(let answer) = decision {
        Self.sendAll(client, answer[...])
        break
      }
    }
    close(client)
  }

  private func serve(_ client: Int32, _ server: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    loop: while true {
      var entries = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      poll(&entries, 2, 50)
      if state.withLock({ $0.isHeld }) {
        // Stalled data never arrives, not even after forwarding resumes.
        try? waitUntil(!state.withLock { $0.isHeld })
        break
      }
      if entries[1].revents != 0 {
        let count = recv(server, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        Self.sendAll(client, buffer[..<count])
      }
      if entries[0].revents != 0 {
        let count = recv(client, &buffer, buffer.count, 0)
        guard count > 0 else { break }
        switch state.withLock({ $0.judge })(Array(buffer[..<count])) {
        case .forward: Self.sendAll(server, buffer[..<count])
        case .cut: break loop
        case .answer(let answer):
          Self.sendAll(client, answer[...])
          break loop
        case .forwardAndCut:
          Self.sendAll(server, buffer[..<count])
          Self.awaitAnswer(server)
          break loop
        case .hold:
          Self.sendAll(server, buffer[..<count])
          state.withLock { $0.isHeld = true }
        }
      }
    }
    close(client)
    close(server)
  }

  /// Waits for the server's ReadyForQuery message.
  private static func awaitAnswer(_ server: Int32) {
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(server, &buffer, buffer.count, 0)
      guard count > 0 else { return }
      // ReadyForQuery: `Z`, the length 5, and the state of the transaction.
      if count >= 6, buffer[count - 6] == UInt8(ascii: "Z"), buffer[count - 2] == 5 { return }
    }
  }

  private static func sendAll(_ socket: Int32, _ bytes: ArraySlice<UInt8>) {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        let count = send(socket, bytes.baseAddress! + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return }
        sent += count
      }
    }
  }
}

extension [UInt8] {
  /// Returns whether the bytes contain a text.
  func has(_ text: String) -> Bool {
    let wanted = Array(text.utf8)
    guard count >= wanted.count else { return false }
    return (0...(count - wanted.count)).contains { Array(self[$0..<($0 + wanted.count)]) == wanted }
  }
}
