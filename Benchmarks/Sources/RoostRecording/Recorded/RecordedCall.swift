// SPDX-License-Identifier: Apache-2.0

/// A line of a recording: what was asked of the store, how long it took and what came back.
struct RecordedCall: Codable {
  var request: Request
  /// How long the recorded store took.
  var microseconds: Double
  /// Rows, keys or tuples that came back, or records that were written.
  var rows: Int
  /// Whether the store answered alone, and left nothing to the shared evaluator.
  var isWhole = true

  enum Request: Codable {
    case fetch(RecordedFetch)
    case rows(keys: [Int64])
    case destinations(entity: String, relationship: String, sources: [Int64])
    case reserve(first: Int64, count: Int)
    case commit(RecordedChanges)
    /// The last line: the store was closed, after so many calls.
    case end(calls: Int)
  }

  /// The kinds of calls, in the order in which they are shown.
  static let kinds = ["fetch", "rows", "destinations", "reserve", "commit"]

  var kind: String {
    switch request {
    case .fetch: "fetch"
    case .rows: "rows"
    case .destinations: "destinations"
    case .reserve: "reserve"
    case .commit: "commit"
    case .end: "end"
    }
  }
}

/// The first line of a recording.
struct RecordingHead: Codable {
  static let currentFormat = 2

  var format = Self.currentFormat
  /// The type of the store that was recorded.
  var storeType: String
  var model: RecordedModel
  /// The entities by the codes that the recorded keys use.
  var entityCodes: [String: Int]
  /// How many lines with rows and links follow, the content that the store had before.
  var contentLines: Int
}
