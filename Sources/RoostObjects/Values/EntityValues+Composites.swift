// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Accessors for the composites among the values. The list has a composite as the list of its elements' values.
extension EntityValues {
  /// Reads a composite attribute.
  public func _get<T: CompositeValue>(_ property: Int) -> T {
    var reader = _list.elements(property, T._composite)
    return reader.read()
  }

  /// Reads an optional composite attribute.
  public func _get<T: CompositeValue>(_ property: Int) -> T? {
    var reader = _list.elements(property, T._composite)
    return reader.read()
  }

  /// Writes a composite attribute.
  public mutating func _set<T: CompositeValue>(_ property: Int, _ value: T) {
    _list.values[property] = .elements(value._elementValues)
  }

  /// Writes an optional composite attribute.
  public mutating func _set<T: CompositeValue>(_ property: Int, _ value: T?) {
    _list.values[property] = .elements(value?._elementValues ?? [])
  }
}

extension AttributeValueList {
  fileprivate func elements(_ property: Int, _ composite: CompositeDeclaration) -> CompositeReader {
    CompositeReader(values[property].elementValues(composite.leaves.count))
  }
}
