// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

/// How much of a store's history is kept. What is older, and the oldest of what is too much, is removed by itself after
/// commits, but for what a consumer has not acknowledged.
///
/// ```swift
/// var description = PersistentStoreDescription.sqlite(at: url)
/// description.historyRetention = HistoryRetention(days: 7, count: 10_000)
/// ```
public struct HistoryRetention: Sendable, Hashable {
  var limits: HistoryLimits

  /// Makes limits; a transaction that is beyond one of them is removed.
  ///
  /// - Parameters:
  ///   - days: How old a transaction may become, in days; nil for any age.
  ///   - count: How many transactions there may be; nil for any number.
  ///   - bytes: How many bytes they may have; nil for any number.
  public init(days: Double? = nil, count: Int? = nil, bytes: Int? = nil) {
    limits = HistoryLimits(days: days, count: count, bytes: bytes)
  }

  /// 30 days and 64 MiB: what holds where nothing is said.
  public static var standard: HistoryRetention { HistoryRetention(.standard) }

  /// Everything is kept until it is deleted by a request.
  public static var unlimited: HistoryRetention { HistoryRetention(HistoryLimits()) }

  init(_ limits: HistoryLimits) {
    self.limits = limits
  }

  /// How old a transaction may become, in days; nil for any age.
  public var days: Double? {
    get { limits.days }
    set { limits.days = newValue }
  }
  /// How many transactions there may be; nil for any number.
  public var count: Int? {
    get { limits.count }
    set { limits.count = newValue }
  }
  /// How many bytes they may have; nil for any number.
  public var bytes: Int? {
    get { limits.bytes }
    set { limits.bytes = newValue }
  }
}

extension StoreOption {
  /// How much of the store's history is kept, in each process by its own option: false for everything, or a dictionary
  /// of `days`, `count` and `bytes`; 30 days and 64 MiB. ``HistoryRetention`` says it typed.
  public static var historyRetention: String { HistoryLimits.option }
}

extension PersistentStoreDescription {
  /// How much of the store's history is kept; ``HistoryRetention/standard`` unless set. A limit that is not above zero
  /// is refused with `invalidValue` when the store is added.
  ///
  /// ```swift
  /// description.historyRetention = .unlimited
  /// ```
  public var historyRetention: HistoryRetention {
    get { HistoryRetention((try? HistoryLimits(options[HistoryLimits.option])) ?? .standard) }
    set { options[HistoryLimits.option] = newValue.limits.value }
  }
}
