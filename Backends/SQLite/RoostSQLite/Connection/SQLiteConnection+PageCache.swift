// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// How many pages of its file a connection keeps in memory.
///
/// Pages that are looked up here and there are looked up again. Those that requests only pass, on their way through a
/// table, are not: keeping them would cost as much memory as the table, up to the whole cache, for nothing.
struct PageCacheBound {
  /// How many records were passed since one was looked up.
  fileprivate var passed = 0
  /// The regular `cache_size` of the connection: pages, or KiB when it is negative. Nil unless the cache is smaller at
  /// the moment.
  fileprivate var whole: Int64?

  /// How many records are passed before that makes a difference.
  static let patience = 4_096
  /// The KiB that pages take which are only passed.
  fileprivate static let passageRoom: Int64 = 2_048
}

extension SQLiteConnection {
  /// Says that records are passed which are next to each other. What is kept at the moment stays.
  func notePassage(of records: Int) throws {
    pageCache.passed += records
    guard pageCache.passed >= PageCacheBound.patience, pageCache.whole == nil,
      sqlite3_txn_state(handle, nil) != SQLITE_TXN_WRITE
    else { return }
    let whole = try number("PRAGMA cache_size") ?? 0
    let kept = whole < 0 ? -whole : whole * (try number("PRAGMA page_size") ?? 0) / 1_024
    let bound = max(keptBytes / 1_024, PageCacheBound.passageRoom)
    guard bound < kept else { return }
    try execute("PRAGMA cache_size=-\(bound)")
    pageCache.whole = whole
  }

  /// Says that records are looked up here and there.
  func noteLookUp() throws {
    pageCache.passed = 0
    guard let whole = pageCache.whole else { return }
    try execute("PRAGMA cache_size=\(whole)")
    pageCache.whole = nil
  }

  /// The bytes that the pages in memory take.
  var keptBytes: Int64 {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
    return Int64(current)
  }
}
