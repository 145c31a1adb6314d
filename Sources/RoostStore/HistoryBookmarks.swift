// SPDX-License-Identifier: Apache-2.0

/// The bookmarks of a store's history: the positions of its named followers.
///
/// ```swift
/// try store.history?.changeBookmarks { $0["indexer"] = HistoryBookmark(position: position, time: now) }
/// ```
public struct HistoryBookmarks: Sendable, Hashable {
  var entries: [String: HistoryBookmark] = [:]
  /// Whether bookmarks were lost, for example by damage. Then a follower without a bookmark may be one whose bookmark
  /// was lost.
  public var isIncomplete = false

  /// Makes an empty value.
  public init() {}

  /// The names, in order.
  public var names: [String] { entries.keys.sorted() }

  /// The bookmark of a name; nil for none.
  public subscript(name: String) -> HistoryBookmark? {
    get { entries[name] }
    set { entries[name] = newValue }
  }
}

/// The bookmark of one follower of a history.
///
/// ```swift
/// let bookmark = HistoryBookmark(position: transaction.position, time: now)
/// ```
public struct HistoryBookmark: Sendable, Hashable {
  /// The position up to which everything was acknowledged; nil for nothing.
  public var position: StorePosition?
  /// When the follower was last heard of, in seconds since 2001-01-01 00:00 UTC.
  public var time: Double
  /// Whether transactions that were not acknowledged may have been removed: the follower was silent for too long.
  public var isDropped: Bool

  /// Makes a bookmark.
  ///
  /// - Parameters:
  ///   - position: The position up to which everything was acknowledged; nil for nothing.
  ///   - time: When the follower was last heard of.
  ///   - isDropped: Whether the follower was silent for too long.
  public init(position: StorePosition?, time: Double, isDropped: Bool = false) {
    self.position = position
    self.time = time
    self.isDropped = isDropped
  }
}
