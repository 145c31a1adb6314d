// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// A struct whose properties are the elements of a composite attribute. `@Composite` adds the conformance.
///
/// ```swift
/// @Composite struct Address: Hashable {
///   var street: String = ""
///   var city: String?
/// }
/// ```
public protocol CompositeValue: CompositeNaming {
  /// The declaration of the elements.
  static var _composite: CompositeDeclaration { get }
  /// Reads the elements, in the order of their declaration.
  init(_elements: inout CompositeReader)
  /// Writes the elements, in the order of their declaration.
  func _write(to elements: inout CompositeWriter)
}

extension CompositeValue {
  /// The names that lead to each element that is no composite itself.
  public static var _elementPaths: [[String]] { _composite.leaves.map(\.path) }

  /// The values of these elements.
  public var _elementValues: [Value] {
    var writer = CompositeWriter()
    _write(to: &writer)
    return writer.values
  }

  /// Creates the struct of the values of its elements; of missing ones, it has the initial values.
  init(elementValues: [Value]) {
    var reader = CompositeReader(elementValues)
    self.init(_elements: &reader)
  }
}

extension Value {
  /// The value of a composite attribute in a list of attribute values: those of its elements in the order of the class,
  /// or null when all of them are nil.
  static func elements(_ values: [Value]) -> Value {
    values.allSatisfy(\.isNull) ? .null : .list(values)
  }

  /// The value of an element of a composite; the value itself without an index.
  func value(ofElement index: Int?) -> Value {
    guard let index else { return self }
    guard case .list(let values) = self else { return .null }
    return values[index]
  }

  /// The values of a composite's elements in the order of the class.
  func elementValues(_ count: Int) -> [Value] {
    if case .list(let values) = self { return values }
    return Array(repeating: .null, count: count)
  }
}
