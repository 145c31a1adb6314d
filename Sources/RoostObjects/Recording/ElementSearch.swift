// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostQuery

/// Finds the element of a composite that a key path reads: the only one whose value the key path has, whichever element
/// is given another value.
struct ElementSearch {
  /// An element, or a composite of some of them.
  private struct Node {
    var path: [String]
    /// The indices of its values.
    let range: Range<Int>
    let type: Any.Type
    let isComposite: Bool
    let isOpaque: Bool
    /// Whether it may be nil, or one of the composites around it.
    let isOptional: Bool
  }

  private let valueType: Any.Type
  private var candidates: [Node]

  /// - Parameters:
  ///   - composite: The composite that the key path reads.
  ///   - keyPath: The key path.
  ///   - isOptional: Whether the composite may be nil.
  init(_ composite: CompositeDeclaration, of keyPath: AnyKeyPath, isOptional: Bool) {
    let valueType = type(of: keyPath).valueType
    self.valueType = valueType
    let root = Node(
      path: [], range: 0..<composite.leaves.count, type: composite.type, isComposite: true,
      isOpaque: false, isOptional: isOptional)
    // Nil is lost on the way to a value that cannot be nil, unless the key path says so with a `!`.
    let isWide = PathValues.isOptional(valueType) || KeyPathShape.hasForce(keyPath)
    candidates = ([root] + Self.nodes(of: composite, in: root)).filter { isWide || !$0.isOptional }
  }

  private static func nodes(of composite: CompositeDeclaration, in owner: Node) -> [Node] {
    var first = owner.range.lowerBound
    return composite.elements.flatMap { element -> [Node] in
      guard case .attribute(let declaration) = element.content else { return [] }
      let inner = declaration.composite
      let range = first..<first + (inner?.leaves.count ?? 1)
      first = range.upperBound
      let node = Node(
        path: owner.path + [element.name], range: range,
        type: PathValues.wrapped(inner?.type ?? declaration.valueType), isComposite: inner != nil,
        isOpaque: declaration.isOpaque, isOptional: owner.isOptional || declaration.isOptional)
      return [node] + (inner.map { nodes(of: $0, in: node) } ?? [])
    }
  }

  /// Drops the elements whose values differ from that of the key path.
  mutating func keep(_ result: Any?, of sample: ElementSample) {
    candidates = candidates.filter { isResult(result, $0, sample.values[$0.range]) }
  }

  /// The names that lead to the element; nil when there is no such element, or several.
  var path: [String]? { candidates.count == 1 ? candidates[0].path : nil }

  private func isResult(_ result: Any?, _ node: Node, _ values: ArraySlice<Value>) -> Bool {
    if node.isOpaque { return PathValues.wrapped(valueType) == node.type }
    guard let result = PathValues.unwrapped(result) else { return values.allSatisfy(\.isNull) }
    if node.isComposite {
      guard let composite = result as? any CompositeValue, type(of: result) == node.type else {
        return false
      }
      return isSame(composite, values)
    }
    return Self.stored(result) == values.first
  }

  /// Whether a composite has these values, but for those that a codec encodes.
  private func isSame(_ composite: any CompositeValue, _ values: ArraySlice<Value>) -> Bool {
    let leaves = type(of: composite)._composite.leaves
    return zip(leaves, zip(composite._elementValues, values)).allSatisfy { leaf, pair in
      leaf.declaration.isOpaque || pair.0 == pair.1
    }
  }

  /// The value that a row has for a result.
  private static func stored(_ result: Any) -> Value? {
    if let value = result as? any AttributeValue { return value.attributeValue }
    guard let choice = result as? any RawRepresentable else { return nil }
    return (choice.rawValue as? any AttributeValue)?.attributeValue
  }
}

// MARK: - Key paths of composites

extension ElementSearch {
  /// Returns the names along a key path from a composite; nil when it computes its value.
  static func path(of keyPath: AnyKeyPath, from root: any CompositeValue.Type) -> [String]? {
    let composite = root._composite
    let valueType = type(of: keyPath).valueType
    var search = ElementSearch(composite, of: keyPath, isOptional: false)
    let first = ElementSample(composite, for: valueType, .none)
    for variation in first.variations {
      let sample = ElementSample(composite, for: valueType, variation)
      search.keep(value(of: keyPath, in: root, sample.values), of: sample)
    }
    guard let path = search.path, !path.isEmpty,
      (KeyPathShape.stepCount(of: keyPath) ?? path.count) == path.count
    else { return nil }
    return path
  }

  private static func value<T: CompositeValue>(
    of keyPath: AnyKeyPath, in root: T.Type, _ values: [Value]
  ) -> Any? {
    T(elementValues: values)[keyPath: keyPath]
  }
}

extension CompositeValue {
  /// Returns the names of the elements along a key path from this struct.
  ///
  /// - Parameter keyPath: A key path of elements.
  /// - Throws: The reason, for a key path that computes its value.
  /// - Complexity: The first time a key path is used, it is evaluated some times for each element.
  public static func _elementPath(
    for keyPath: AnyKeyPath
  ) throws(RefusedKeyPath) -> [String] {
    try PathProbe.path(of: keyPath)
  }
}
