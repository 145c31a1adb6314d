// SPDX-License-Identifier: Apache-2.0

/// What a read of several stores sees of saves over several stores that other coordinators and processes make.
///
/// ```swift
/// coordinator.readsAcrossStores = .wholeSaves
/// ```
public enum ReadsAcrossStores: Sendable, Hashable {
  /// Each store as it is: for a moment, one may show a save that another one does not show yet. Saves of the same
  /// coordinator are seen whole all the same.
  case eachStore
  /// A save is seen in all stores or in none. Each read of several stores costs two or three small questions more to
  /// each of them, and is repeated while others write meanwhile.
  case wholeSaves
}
