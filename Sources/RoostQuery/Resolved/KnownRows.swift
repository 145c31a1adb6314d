// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Rows that the asker of a request has already.
///
/// A store that finds a record in the version of such a row need not read the record's values again. It asks from the
/// thread of the request, in the middle of it.
package protocol KnownRows: Sendable {
  /// The row of a record in a version, if it is at hand without waiting.
  func row(forKey key: Int64, version: Int64) -> Row?
}
