// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Typed access to a value; nil when it has another type.
extension Value {
  var asInteger: Int64? {
    if case .integer(let number) = self { return number }
    return nil
  }

  var asTruth: Int64? {
    if case .boolean(let truth) = self { return truth ? 1 : 0 }
    return nil
  }

  var asDouble: Double? {
    if case .double(let number) = self { return number }
    return nil
  }

  var asSeconds: Double? {
    if case .date(let date) = self { return date.timeIntervalSinceReferenceDate }
    return nil
  }

  var asString: String? {
    if case .string(let text) = self { return text }
    return nil
  }

  var asUUID: UUID? {
    if case .uuid(let uuid) = self { return uuid }
    return nil
  }
}
