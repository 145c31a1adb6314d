// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

#if canImport(Glibc)
import Glibc
#else
import Darwin
#endif

/// A proxy between libpq and the server of `DATABASE_URL`, which forwards message by message in both directions, and
/// cuts the connection at some of them.
final class MessageRelay: Sendable {
  static let shared = MessageRelay(ProcessInfo.processInfo.environment["DATABASE_URL"] ?? "")

  /// Whether there is a server.
  let isThere: Bool
  /// The socket folder that clients connect to instead of the server's.
  let folder: String
  let port: Int
  let database: String
  let user: String
  private let target: String
  private let state = Mutex(State())

  private struct State {
    /// The numbers of messages since the last plan, by direction.
    var asked = 0
    var answered = 0
    var kind: FaultKind?
    /// The messages at which the connection is cut.
    var numbers = 0..<0
    var cuts = 0
  }

  /// The treatment of a message.
  private enum Decision { case forward, cutAfter, cutWithin }

  private init(_ uri: String) {
    let parts = URLComponents(string: uri)
    let items = Dictionary(
      (parts?.queryItems ?? []).map { ($0.name, $0.value ?? "") }, uniquingKeysWith: { $1 })
    database = parts.map { String($0.path.dropFirst()) } ?? ""
    user = items["user"] ?? parts?.user ?? ""
    port = items["port"].flatMap(Int.init) ?? 5432
    let host = items["host"] ?? ""
    target = "\(host)/.s.PGSQL.\(port)"
    isThere = host.hasPrefix("/")
    // Only when connections are cut: otherwise the relay would be another source of failures.
    let isUsed = isThere && CommandLine.arguments.dropFirst().first == "cuts"
    folder = isUsed ? Self.ownFolder : host
    if isUsed { begin() }
  }

  /// The folder of the listening socket. The path of a socket must be short.
  private static let ownFolder = FileManager.default.temporaryDirectory
    .appending(path: "relay-\(getpid())").path(percentEncoded: false)

  // MARK: - Control

  /// Cuts the connection at the n-th message of a kind from now on, and at the following ones, `times` in all, so
  /// that retries are cut too.
  func plan(_ kind: FaultKind, _ number: Int, times: Int) {
    state.withLock { $0 = State(kind: kind, numbers: number..<number + times) }
  }

  /// Forwards all messages, and resets the counters.
  func clear() { state.withLock { $0 = State() } }

  func messages(_ kind: FaultKind) -> Int {
    state.withLock { kind == .asked || kind == .askedHalf ? $0.asked : $0.answered }
  }

  /// The number of cuts since the last plan.
  var cuts: Int { state.withLock { $0.cuts } }

  private func decide(isAnswer: Bool) -> Decision {
    state.withLock { state in
      if isAnswer { state.answered += 1 } else { state.asked += 1 }
      guard let kind = state.kind else { return .forward }
      let isOfAnswers = kind == .answered || kind == .answeredHalf
      let number = isAnswer ? state.answered : state.asked
      guard isOfAnswers == isAnswer, state.numbers.contains(number) else { return .forward }
      state.cuts += 1
      return kind == .asked || kind == .answered ? .cutAfter : .cutWithin
    }
  }

  // MARK: - The wire

  private func begin() {
    try? FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let path = "\(folder)/.s.PGSQL.\(port)"
    unlink(path)
    atexit { try? FileManager.default.removeItem(atPath: MessageRelay.ownFolder) }
    let listener = Self.makeSocket()
    guard Self.withAddress(path, { bind(listener, $0, $1) }) == 0, listen(listener, 64) == 0
    else { return Terminal.say("no relay at \(path)") }
    Thread.detachNewThread { [self] in
      while true {
        let client = accept(listener, nil, nil)
        guard client >= 0 else { continue }
        let server = Self.makeSocket()
        guard Self.withAddress(target, { connect(server, $0, $1) }) == 0 else {
          close(client)
          close(server)
          continue
        }
        Thread.detachNewThread { self.serve(client, server) }
      }
    }
  }

  private static func makeSocket() -> Int32 {
    #if canImport(Darwin)
    socket(AF_UNIX, SOCK_STREAM, 0)
    #else
    socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    #endif
  }

  private static func withAddress(
    _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) -> Int32 {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(100)) }
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
      }
    }
  }

  /// Forwards the messages of both sides, until one side closes the connection or it is cut.
  private func serve(_ client: Int32, _ server: Int32) {
    defer {
      close(client)
      close(server)
    }
    // Only the first message of a client has no type byte before its length.
    var asked = MessageBuffer(isBeginning: true)
    var answered = MessageBuffer(isBeginning: false)
    while true {
      var entries = [
        pollfd(fd: client, events: Int16(POLLIN), revents: 0),
        pollfd(fd: server, events: Int16(POLLIN), revents: 0),
      ]
      poll(&entries, 2, -1)
      if entries[1].revents != 0, !pass(server, client, &answered, isAnswer: true) { return }
      if entries[0].revents != 0, !pass(client, server, &asked, isAnswer: false) { return }
    }
  }

  /// Forwards the complete messages.
  ///
  /// - Returns: Whether the connection is still open.
  private func pass(
    _ source: Int32, _ destination: Int32, _ buffer: inout MessageBuffer, isAnswer: Bool
  ) -> Bool {
    guard buffer.fill(source) else { return false }
    while let message = buffer.next() {
      switch decide(isAnswer: isAnswer) {
      case .forward: guard Self.sendAll(destination, message[...]) else { return false }
      case .cutAfter:
        _ = Self.sendAll(destination, message[...])
        return false
      case .cutWithin:
        _ = Self.sendAll(destination, message[..<(message.count / 2)])
        return false
      }
    }
    return true
  }

  private static func sendAll(_ socket: Int32, _ bytes: ArraySlice<UInt8>) -> Bool {
    bytes.withUnsafeBytes { bytes in
      var sent = 0
      while sent < bytes.count {
        guard let start = bytes.baseAddress else { return true }
        let count = send(socket, start + sent, bytes.count - sent, Int32(MSG_NOSIGNAL))
        guard count > 0 else { return false }
        sent += count
      }
      return true
    }
  }
}

/// The bytes of one side, split into messages: a type byte, a length that includes itself, and the content.
private struct MessageBuffer {
  private var bytes: [UInt8] = []
  private var isBeginning: Bool

  init(isBeginning: Bool) {
    self.isBeginning = isBeginning
  }

  /// Reads the available bytes.
  ///
  /// - Returns: False at the end of the stream.
  mutating func fill(_ socket: Int32) -> Bool {
    var piece = [UInt8](repeating: 0, count: 65_536)
    let count = recv(socket, &piece, piece.count, 0)
    guard count > 0 else { return false }
    bytes += piece[..<count]
    return true
  }

  /// Returns the next message, once it is complete.
  mutating func next() -> [UInt8]? {
    let letter = isBeginning ? 0 : 1
    guard bytes.count >= letter + 4 else { return nil }
    let length = bytes[letter..<letter + 4].reduce(0) { $0 << 8 | Int($1) }
    guard bytes.count >= letter + length else { return nil }
    isBeginning = false
    defer { bytes.removeFirst(letter + length) }
    return Array(bytes[..<(letter + length)])
  }
}
