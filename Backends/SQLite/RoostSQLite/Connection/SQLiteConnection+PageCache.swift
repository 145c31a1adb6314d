// SPDX-License-Identifier: Apache-2.0

import CSQLite

/// The adaptive size of a connection's page cache.
///
/// Pages of single look-ups are likely to be needed again. Pages that a table scan reads are not: caching them would
/// take as much memory as the table, up to the whole cache, without a benefit.
struct PageCacheBound {
  /// The number of scanned records since the last look-up.
  fileprivate var passed = 0
  /// The regular `cache_size` of the connection: pages, or KiB when it is negative. Nil unless the cache is smaller at
  /// present.
  fileprivate var whole: Int64?

  /// The number of scanned records from which on the cache is reduced.
  static let patience = 4_096
  /// The lower limit of the cache size during scans, in KiB.
  fileprivate static let passageRoom: Int64 = 2_048
}

extension SQLiteConnection {
  /// Counts records of a scan, and reduces the cache after many of them. Pages that are cached already stay.
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

  /// Restores the regular cache size, because single records are looked up.
  func noteLookUp() throws {
    pageCache.passed = 0
    guard let whole = pageCache.whole else { return }
    try execute("PRAGMA cache_size=\(whole)")
    pageCache.whole = nil
  }

  /// The size of the cached pages in bytes.
  var keptBytes: Int64 {
    var current: Int32 = 0
    var highest: Int32 = 0
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
    return Int64(current)
  }
}
