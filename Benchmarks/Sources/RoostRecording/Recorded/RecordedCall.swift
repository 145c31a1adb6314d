// SPDX-License-Identifier: Apache-2.0

/// A line of a recording: a store request, its duration, and the size of its result.
struct RecordedCall: Codable {
  var request: Request
  /// The duration of the call in the recorded store.
  var microseconds: Double
  /// The number of rows, keys or tuples returned, or of records written.
  var rows: Int
  /// Whether the store answered the whole request, without a residual predicate for the shared evaluator.
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
  /// The number of following lines with the store's initial content, rows and links.
  var contentLines: Int
}
