// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import RoostModel
import RoostObjects
import RoostQuery

extension SortOrdering {
  /// Compares two objects that Foundation's collections sort: managed objects by their properties, dictionaries by
  /// the values of the key, as a dictionary fetch returns them, and values themselves for the key `self`.
  ///
  /// Other objects stop the program: they would silently stay unsorted.
  func compareAny(_ left: Any, to right: Any) -> ComparisonResult {
    if let left = left as? ManagedObject, let right = right as? ManagedObject {
      return orEnd { try compare(left, to: right) }
    }
    let order = compare(value(of: left), value(of: right))
    return switch ascending ? order : order.reversed {
    case .less: .orderedAscending
    case .equal: .orderedSame
    case .greater: .orderedDescending
    }
  }

  private func compare(_ left: Value, _ right: Value) -> ValueOrder {
    if let search {
      return ValueOrder.compare(score(of: left, search), score(of: right, search))
    }
    guard case .string(let first) = left, case .string(let second) = right else {
      return ValueOrder.compare(left, right)
    }
    let result: ComparisonResult
    switch comparator {
    case .binary: return ValueOrder.compare(left, right)
    case .caseInsensitive:
      return ValueOrder.compare(
        .string(StringFolding.fold(first, .caseInsensitive)),
        .string(StringFolding.fold(second, .caseInsensitive)))
    case .localized: result = first.compare(second, locale: .current)
    case .localizedStandard: result = first.localizedStandardCompare(second)
    }
    return switch result {
    case .orderedAscending: .less
    case .orderedSame: .equal
    case .orderedDescending: .greater
    }
  }

  private func score(of value: Value, _ search: SearchQuery) -> Value {
    if case .string(let text) = value { .double(search.score(of: text)) } else { .double(0) }
  }

  private func value(of any: Any) -> Value {
    if key.lowercased() == "self", let value = Value(any: any) { return value }
    if let entries = any as? [String: Any], let value = Value(any: entries[key]) { return value }
    preconditionFailure("A \(type(of: any)) has no value for \(key) that can be sorted.")
  }
}
#endif
