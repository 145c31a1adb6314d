// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

/// Limits of a store's history. Older or excess transactions are removed automatically after commits, except those
/// that a consumer has not acknowledged.
///
/// The store keeps the limits: a program that adds it with limits sets them for all programs that add it later without
/// any. Programs that have the store open already keep to the limits with which they opened it, so until they open it
/// again the strictest limits decide.
///
/// ```swift
/// var description = PersistentStoreDescription.sqlite(at: url)
/// description.historyRetention = HistoryRetention(days: 7, count: 10_000)
/// ```
public struct HistoryRetention: Sendable, Hashable {
  var limits: HistoryLimits

  /// Makes limits; a transaction that exceeds one of them is removed.
  ///
  /// - Parameters:
  ///   - days: The maximum age of a transaction, in days; nil for no limit.
  ///   - count: The maximum number of transactions; nil for no limit.
  ///   - bytes: The maximum size in bytes; nil for no limit.
  public init(days: Double? = nil, count: Int? = nil, bytes: Int? = nil) {
    limits = HistoryLimits(days: days, count: count, bytes: bytes)
  }

  /// 30 days and 64 MiB: the default.
  public static var standard: HistoryRetention { HistoryRetention(.standard) }

  /// No limits: transactions are kept until a request deletes them.
  public static var unlimited: HistoryRetention { HistoryRetention(HistoryLimits()) }

  init(_ limits: HistoryLimits) {
    self.limits = limits
  }

  /// The maximum age of a transaction, in days; nil for no limit.
  public var days: Double? {
    get { limits.days }
    set { limits.days = newValue }
  }
  /// The maximum number of transactions; nil for no limit.
  public var count: Int? {
    get { limits.count }
    set { limits.count = newValue }
  }
  /// The maximum size in bytes; nil for no limit.
  public var bytes: Int? {
    get { limits.bytes }
    set { limits.bytes = newValue }
  }
}

extension StoreOption {
  /// The limits of the store's history: false for no limits, or a dictionary of `days`, `count` and `bytes`. The store
  /// keeps them, also for programs that add it without the option; 30 days and 64 MiB where none has set any.
  /// ``HistoryRetention`` is the typed form.
  public static var historyRetention: String { HistoryLimits.option }
}

extension PersistentStoreDescription {
  /// The limits of the store's history. Unless they are set, those that the store keeps from an earlier setting apply;
  /// ``HistoryRetention/standard`` where there is none, which is also what this returns. A limit that is not above
  /// zero is refused with `invalidValue` when the store is added.
  ///
  /// ```swift
  /// description.historyRetention = .unlimited
  /// ```
  public var historyRetention: HistoryRetention {
    get { HistoryRetention((try? HistoryLimits(options[HistoryLimits.option])) ?? .standard) }
    set { options[HistoryLimits.option] = newValue.limits.value }
  }
}
