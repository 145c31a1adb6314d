// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Describes an attribute that consists of named elements, such as an address.
///
/// In memory the value is a dictionary; each element has a slot of its own, named with a dot: `address.city`. A
/// composite is nil when all of its elements are.
///
/// ```swift
/// let address = CompositeAttributeDescription(name: "address", elements: [
///   AttributeDescription(name: "street", type: .string),
///   AttributeDescription(name: "city", type: .string),
/// ])
/// ```
public final class CompositeAttributeDescription: AttributeDescription, @unchecked Sendable {
  // Sendable: as PropertyDescription: written while the model is built only; `isFrozen` refuses writes afterwards.

  /// The maximum nesting depth of composites.
  static let largestDepth = 32

  /// The elements: attributes, or other composites. Anything else is reported by the model's check.
  public var elements: [PropertyDescription] = [] {
    willSet { willChange() }
    didSet { adoptElements(insteadOf: oldValue) }
  }

  /// Makes a composite attribute without a name and elements.
  public override init() {
    super.init(name: "", type: .composite)
  }

  /// Makes a composite attribute.
  @_disfavoredOverload
  package init(name: String = "", elements: [PropertyDescription] = []) {
    super.init(name: name, type: .composite)
    self.elements = elements
    adoptElements(insteadOf: [])
  }

  deinit {
    let identifier = ObjectIdentifier(self)
    for case let element as AttributeDescription in elements {
      element.composite.forget(identifier)
    }
  }

  private func adoptElements(insteadOf old: [PropertyDescription]) {
    let identifier = ObjectIdentifier(self)
    for case let element as AttributeDescription in old { element.composite.forget(identifier) }
    for case let element as AttributeDescription in elements { element.composite.set(self) }
  }

  override func makeVersionHash() -> Data {
    VersionHash.composite(self)
  }

  override func makeAttribute() -> AttributeDescription {
    CompositeAttributeDescription(name: name)
  }

  /// Copies the elements of `self` into `copy`, including nested ones, without recursion and even for cycles.
  func copyElements(into copy: CompositeAttributeDescription) {
    var copies: [ObjectIdentifier: PropertyDescription] = [ObjectIdentifier(self): copy]
    var open: [(from: CompositeAttributeDescription, to: CompositeAttributeDescription)] = [
      (self, copy)
    ]
    while let (from, to) = open.popLast() {
      to.elements = from.elements.map { element in
        if let known = copies[ObjectIdentifier(element)] { return known }
        let made = element.copyWithoutElements()
        copies[ObjectIdentifier(element)] = made
        if let inner = element as? CompositeAttributeDescription,
          let innerCopy = made as? CompositeAttributeDescription
        {
          open.append((inner, innerCopy))
        }
        return made
      }
    }
  }
}

// MARK: - Leaves

extension CompositeAttributeDescription {
  /// A leaf and its dotted name.
  struct Leaf {
    let name: String
    let attribute: AttributeDescription
  }

  /// The elements of all levels that are not composites, in order. Stops below ``largestDepth``.
  var leaves: [Leaf] {
    var result: [Leaf] = []
    var open: [(name: String, attribute: AttributeDescription, depth: Int)] = [(name, self, 0)]
    while let (name, attribute, depth) = open.popLast() {
      guard let composite = attribute as? CompositeAttributeDescription else {
        result.append(Leaf(name: name, attribute: attribute))
        continue
      }
      guard depth < Self.largestDepth else { continue }
      for case let element as AttributeDescription in composite.elements.reversed() {
        open.append(("\(name).\(element.name)", element, depth + 1))
      }
    }
    return result
  }

  /// The elements of all levels, composites too, each once.
  package var allElements: [PropertyDescription] {
    var result: [PropertyDescription] = []
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(self)]
    var open = elements
    while let element = open.popLast() {
      guard seen.insert(ObjectIdentifier(element)).inserted else { continue }
      result.append(element)
      if let composite = element as? CompositeAttributeDescription { open += composite.elements }
    }
    return result
  }
}
