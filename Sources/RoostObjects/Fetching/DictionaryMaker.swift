// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Creates the dictionaries of a dictionary fetch.
struct DictionaryMaker {
  private let columns: [ResolvedColumns.Column]
  /// The index of each column by its name: every dictionary without nil values is mapped from this one, so that no
  /// name is hashed again.
  private let places: [String: Int]

  init(_ columns: ResolvedColumns) {
    self.columns = columns.columns
    places = Dictionary(
      columns.columns.enumerated().map { ($1.name, $0) }, uniquingKeysWith: { $1 })
  }

  /// Returns the dictionary of one result; nil values are absent (B131).
  func dictionary(of values: ArraySlice<Value>) -> [String: Any] {
    guard places.count == columns.count, !values.contains(where: \.isNull) else {
      return gathered(values)
    }
    var isWhole = true
    let dictionary = places.mapValues { place -> Any in
      guard let value = value(place, values) else {
        isWhole = false
        return place
      }
      return value
    }
    return isWhole ? dictionary : gathered(values)
  }

  private func gathered(_ values: ArraySlice<Value>) -> [String: Any] {
    var dictionary: [String: Any] = [:]
    for (place, column) in columns.enumerated() {
      if let value = value(place, values) { dictionary[column.name] = value }
    }
    return dictionary
  }

  private func value(_ place: Int, _ values: ArraySlice<Value>) -> Any? {
    values[values.startIndex + place].shown(as: columns[place].type).anyValue
  }
}
