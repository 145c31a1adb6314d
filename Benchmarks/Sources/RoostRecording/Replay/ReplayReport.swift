// SPDX-License-Identifier: Apache-2.0

/// The result of a replay: the number, the durations and the amount of data of each kind of call.
///
/// ```swift
/// let report = try Recording.replay(file, on: .inMemory())
/// for kind in report.kinds { print(kind.name, kind.microseconds.count) }
/// ```
public struct ReplayReport: Sendable {
  /// The calls by kind, in a fixed order, without those that did not occur.
  public internal(set) var kinds: [Kind] = []
  /// Calls that returned another number of rows than when they were recorded.
  public internal(set) var differences = 0
  /// Saves that conflicted although they did not when they were recorded.
  public internal(set) var conflicts = 0
  /// Whether the recording is incomplete: the program ended without closing its store, or the file was truncated.
  public internal(set) var isCutOff = true
  /// Whether the replay was cancelled before the end of the recording.
  public internal(set) var isInterrupted = false
  /// The number of calls made.
  public var calls: Int { kinds.reduce(0) { $0 + $1.microseconds.count } }
  /// The type of the store that was recorded.
  public internal(set) var recordedStoreType = ""

  /// Calls of one kind; each was one round trip.
  public struct Kind: Sendable {
    /// `fetch`, `rows`, `destinations`, `reserve` or `commit`.
    public let name: String
    /// The duration of each call in the replay.
    public internal(set) var microseconds: [Double] = []
    /// The duration of each call when it was recorded.
    public internal(set) var recordedMicroseconds: [Double] = []
    /// The number of rows returned or records written.
    public internal(set) var rows = 0
    /// The approximate number of bytes of their values.
    public internal(set) var bytes = 0
  }

  mutating func add(_ call: RecordedCall, microseconds: Double, rows: Int, bytes: Int) {
    if !kinds.contains(where: { $0.name == call.kind }) {
      kinds.append(Kind(name: call.kind))
      kinds.sort { Self.place($0) < Self.place($1) }
    }
    guard let index = kinds.firstIndex(where: { $0.name == call.kind }) else { return }
    kinds[index].microseconds.append(microseconds)
    kinds[index].recordedMicroseconds.append(call.microseconds)
    kinds[index].rows += rows
    kinds[index].bytes += bytes
    if call.kind != "commit", rows != call.rows { differences += 1 }
  }

  private static func place(_ kind: Kind) -> Int {
    RecordedCall.kinds.firstIndex(of: kind.name) ?? .max
  }
}
