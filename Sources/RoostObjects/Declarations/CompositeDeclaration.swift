// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The declaration of a composite by `@Composite`: its elements in order.
///
/// ```swift
/// CompositeDeclaration(
///   Address.self,
///   elements: [.property("street", .of(String.self, default: "")), .property("city", .of(String?.self))])
/// ```
public struct CompositeDeclaration: Sendable {
  /// An element that is no composite itself.
  struct Leaf: Sendable {
    /// The names that lead to it.
    var path: [String]
    let declaration: AttributeDeclaration
  }

  /// The struct.
  let type: any CompositeValue.Type
  /// The elements in source order.
  let elements: [PropertyDeclaration]
  /// The elements of all levels that are no composites, in order: those that have slots.
  let leaves: [Leaf]

  /// Declares a composite.
  ///
  /// - Parameters:
  ///   - type: The struct.
  ///   - elements: Its elements: attributes, or other composites.
  public init(_ type: any CompositeValue.Type, elements: [PropertyDeclaration]) {
    self.type = type
    self.elements = elements
    leaves = elements.flatMap { element -> [Leaf] in
      guard case .attribute(let declaration) = element.content else { return [] }
      guard let inner = declaration.composite else {
        return [Leaf(path: [element.name], declaration: declaration)]
      }
      return inner.leaves.map { leaf in
        Leaf(path: [element.name] + leaf.path, declaration: leaf.declaration)
      }
    }
  }

  /// The dotted names of the slots in an attribute with a name.
  func slotNames(of attribute: String) -> [String] {
    leaves.map { leaf in ([attribute] + leaf.path).joined(separator: ".") }
  }

  /// Returns the dotted names of the leaves in an attribute with a name that satisfy a condition.
  func elements(
    of attribute: String, where condition: (AttributeDeclaration) -> Bool
  ) -> [String] {
    zip(leaves, slotNames(of: attribute)).filter { condition($0.0.declaration) }.map { $0.1 }
  }
}

// MARK: - Values by name

extension CompositeDeclaration {
  /// Returns the values of the leaves of a value with elements by name, as validation and keyed access have it.
  func leafValues(of value: Value) -> [Value] {
    leaves.map { leaf in
      leaf.path.reduce(value) { value, name in
        guard case .composite(let elements) = value else { return .null }
        return elements[name] ?? .null
      }
    }
  }

  /// Returns the value with elements by name; null when all of them are nil.
  func value(ofLeaves values: [Value]) -> Value {
    var rest = values[...]
    return value(taking: &rest)
  }

  private func value(taking rest: inout ArraySlice<Value>) -> Value {
    var named: [String: Value] = [:]
    for element in elements {
      guard case .attribute(let declaration) = element.content else { continue }
      let value = declaration.composite?.value(taking: &rest) ?? rest.popFirst() ?? .null
      if !value.isNull { named[element.name] = value }
    }
    return named.isEmpty ? .null : .composite(named)
  }
}

// MARK: - Descriptions

extension CompositeDeclaration {
  /// Creates the descriptions of the elements.
  func makeElements() -> [PropertyDescription] {
    elements.map { element in
      switch element.content {
      case .attribute(let declaration): declaration.description(named: element.name)
      // The validation of the model reports it.
      case .relationship(let declaration): declaration.description(named: element.name)
      }
    }
  }
}

extension CompositeAttributeDescription {
  /// Gives the elements the initial values of a property, and makes them optional if the property is.
  ///
  /// - Parameters:
  ///   - initial: The value of each leaf; nil when the property has no initial value.
  func complete(isOptional: Bool, initial: [Value]?) {
    let leaves = leafAttributes
    if isOptional {
      for case let element as AttributeDescription in allElements { element.isOptional = true }
    }
    if isOptional || initial != nil {
      for (index, leaf) in leaves.enumerated() { leaf.defaultConstant = initial?[index] ?? .null }
    }
    // A composite is nil when all elements are: without an element that needs a value, that is a value like any other.
    self.isOptional = leaves.allSatisfy(\.isOptional)
  }
}

extension PropertyDeclaration {
  /// The declaration of the elements, for a composite attribute.
  var composite: CompositeDeclaration? {
    guard case .attribute(let attribute) = content else { return nil }
    return attribute.composite
  }

  /// The initial values that are computed for each object, with the dotted names of elements.
  var renewedDefaults: [(name: String, make: @Sendable () -> Value)] {
    if let make = makeRenewedDefault { return [(name, make)] }
    guard case .attribute(let attribute) = content, let composite = attribute.composite,
      !attribute.mayBeNil, attribute.makeDefault == nil
    else { return [] }
    return composite.elements.flatMap(\.renewedDefaults).map { ("\(name).\($0.name)", $0.make) }
  }
}
