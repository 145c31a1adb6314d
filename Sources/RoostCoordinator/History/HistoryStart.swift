// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// A point in the history of the stores.
package enum HistoryStart: Sendable {
  /// A token; nil for the beginning.
  case token(PersistentHistoryToken?)
  /// A time.
  case time(Date)
  /// A transaction, which applies to its store only.
  case transaction(PersistentHistoryTransaction)
}
