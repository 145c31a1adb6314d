// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a test waited for has not come. A test that waits without a limit never ends, and takes the processors and the
/// locks of all others as long as it polls.
public struct WaitedTooLong: Error, CustomStringConvertible {
  public let description: String

  init(_ place: String, _ line: Int) {
    description =
      "After \(Int(waitingLimit)) s the condition of \(place):\(line) does not hold yet."
  }
}

/// How many seconds a test waits: much longer than a loaded machine needs.
public let waitingLimit: TimeInterval = 300

/// Polls a condition each millisecond until it holds.
///
/// - Throws: `WaitedTooLong` when it does not hold within five minutes; the condition's own error.
public func waitUntil(
  place: String = #fileID, line: Int = #line, _ condition: @autoclosure () throws -> Bool
) throws {
  let start = ContinuousClock.now
  while try !condition() {
    guard start.duration(to: .now) < .seconds(waitingLimit) else {
      throw WaitedTooLong(place, line)
    }
    Thread.sleep(forTimeInterval: 0.001)
  }
}

/// Polls a condition each millisecond until it holds; other tasks may use the thread meanwhile.
///
/// - Throws: `WaitedTooLong` when it does not hold within five minutes; the condition's own error.
public func waitUntil(
  place: String = #fileID, line: Int = #line, _ condition: @autoclosure () throws -> Bool
) async throws {
  let start = ContinuousClock.now
  while try !condition() {
    guard start.duration(to: .now) < .seconds(waitingLimit) else {
      throw WaitedTooLong(place, line)
    }
    try await Task.sleep(for: .milliseconds(1))
  }
}
