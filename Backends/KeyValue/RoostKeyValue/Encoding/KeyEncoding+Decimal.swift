// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel

extension KeyEncoding {
  /// Appends a decimal: its ``DecimalCode``, with an end that a positive one does not have by itself.
  package static func appendDecimal(_ value: Decimal, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: DecimalCode.maximumByteCount) { code in
      let count = DecimalCode.encode(value, into: code)
      bytes.append(contentsOf: code[..<count])
      if count > 1, !value.isSignMinus { bytes.append(0) }
    }
  }
}
