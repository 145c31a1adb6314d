// SPDX-License-Identifier: Apache-2.0

/// How reads of several stores see saves over several stores by other coordinators and processes.
///
/// ```swift
/// coordinator.readsAcrossStores = .wholeSaves
/// ```
public enum ReadsAcrossStores: Sendable, Hashable {
  /// Each store is read as it is: for a short time, one may show a save that another one does not show yet. Saves of
  /// the same coordinator are always seen whole.
  case eachStore
  /// A save is seen in all stores or in none. Each read of several stores costs two or three small questions more to
  /// each of them, and is repeated while others write meanwhile.
  case wholeSaves
}
