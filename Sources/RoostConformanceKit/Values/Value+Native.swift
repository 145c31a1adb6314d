// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

extension Value {
  /// The value as a program passes it.
  package var native: Any? {
    switch self {
    case .null: nil
    case .integer(let number): number
    case .double(let number): number
    case .boolean(let truth): truth
    case .string(let text): text
    case .date(let date): date
    case .data(let data): data
    case .uuid(let uuid): uuid
    case .uri(let url): url
    case .decimal(let number): number
    case .objectID(let id): id
    case .transformable(let content): content.object
    case .list(let values): values
    case .composite(let elements): elements
    }
  }
}
