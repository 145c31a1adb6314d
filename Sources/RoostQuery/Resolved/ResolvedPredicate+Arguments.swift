// SPDX-License-Identifier: Apache-2.0

package import RoostModel

// The values of a resolved condition, from left to right. Recursive by the depth of the tree, which was checked.
extension ResolvedPredicate {
  /// A value, and the path it is compared with.
  package struct ArgumentPlace {
    package let value: Value
    package let path: ResolvedPath
  }

  /// The values of a condition that consists of comparisons of paths with values; nil for other conditions.
  package var argumentPlaces: [ArgumentPlace]? {
    var places: [ArgumentPlace] = []
    return collectArguments(into: &places) ? places : nil
  }

  private func collectArguments(into places: inout [ArgumentPlace]) -> Bool {
    switch self {
    case .constant: return true
    case .comparison(let comparison):
      guard case .path(let path) = comparison.left else { return false }
      switch comparison.right {
      case .constant(let value): places.append(ArgumentPlace(value: value, path: path))
      case .list(let values):
        places.append(contentsOf: values.map { ArgumentPlace(value: $0, path: path) })
      default: return false
      }
      return true
    case .and(let parts), .or(let parts):
      return parts.allSatisfy { $0.collectArguments(into: &places) }
    case .not(let part): return part.collectArguments(into: &places)
    }
  }

  /// Returns the condition with its values replaced by those from the front of a list.
  func replacingArguments(with arguments: inout ArraySlice<Value>) -> ResolvedPredicate {
    switch self {
    case .constant: return self
    case .comparison(var comparison):
      switch comparison.right {
      case .constant: comparison.right = .constant(arguments.popFirst() ?? .null)
      case .list(let values):
        comparison.right = .list(Array(arguments.prefix(values.count)))
        arguments = arguments.dropFirst(values.count)
      default: break
      }
      return .comparison(comparison)
    case .and(let parts): return .and(parts.map { $0.replacingArguments(with: &arguments) })
    case .or(let parts): return .or(parts.map { $0.replacingArguments(with: &arguments) })
    case .not(let part): return .not(part.replacingArguments(with: &arguments))
    }
  }
}
