// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension FetchFunction {
  /// Makes the function for `@count`, `@sum` and so on.
  init?(collectionOperator: String) {
    switch collectionOperator {
    case "@count": self = .count
    case "@sum": self = .sum
    case "@avg", "@average": self = .average
    case "@min": self = .minimum
    case "@max": self = .maximum
    default: return nil
    }
  }
}
