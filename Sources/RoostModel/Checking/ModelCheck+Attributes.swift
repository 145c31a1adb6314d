// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ModelCheck {
  /// Attributes: type, default, bounds.
  mutating func checkAttribute(_ attribute: AttributeDescription, of entity: EntityDescription) {
    checkType(of: attribute, key: attribute.name, entity)
    checkBounds(of: attribute, key: attribute.name, entity)
    checkElementType(of: attribute, key: attribute.name, entity)
    if let composite = attribute as? CompositeAttributeDescription {
      checkElements(of: composite, entity)
    }
    checkDefault(of: attribute, key: attribute.name, entity)
    if let derived = attribute as? DerivedAttributeDescription {
      if derived.derivationExpression == nil {
        report("A derived attribute needs an expression.", entity, attribute.name)
      }
      if derived.isTransient {
        report(
          "A derived attribute is computed by the store and cannot be transient.", entity,
          attribute.name)
      }
    }
  }

  private mutating func checkType(
    of attribute: AttributeDescription, key: String, _ entity: EntityDescription
  ) {
    switch attribute.type {
    case .undefined where !attribute.isTransient:
      report("A stored attribute needs a type.", entity, key)
    case .objectID:
      report("An attribute cannot be an object ID; use a relationship.", entity, key)
    case .composite where !(attribute is CompositeAttributeDescription):
      report("A composite attribute needs a CompositeAttributeDescription.", entity, key)
    case .composite, .undefined: break
    case _ where attribute is CompositeAttributeDescription:
      report("The type of a composite attribute must stay composite.", entity, key)
    case let type where type.slotKind == nil:
      report("The attribute type \(type.rawValue) is not known.", entity, key)
    default: break
    }
  }

  private mutating func checkElementType(
    of attribute: AttributeDescription, key: String, _ entity: EntityDescription
  ) {
    guard let type = attribute.elementType else { return }
    if attribute.type != .transformable || attribute.valueTransformerName != nil {
      report(
        "Only a transformable attribute without a transformer's name has elements.", entity, key)
    }
    if !TransformableElements.types.contains(type) {
      report("The elements of an attribute cannot be of the type \(type).", entity, key)
    }
  }

  private mutating func checkDefault(
    of attribute: AttributeDescription, key: String, _ entity: EntityDescription
  ) {
    // Encodability is checked on save, because its codec may be registered later.
    if attribute.takesAnyDefault, attribute.defaultObject != nil { return }
    if let problem = attribute.defaultTypeProblem {
      report("The default value, a \(problem), is no \(attribute.type).", entity, key)
      return
    }
    do throws(PersistenceError) {
      _ = try ValueCheck.check(attribute.defaultConstant, for: attribute)
    } catch {
      report("The default value is refused: \(error.message)", entity, key)
    }
  }

  private mutating func checkBounds(
    of attribute: AttributeDescription, key: String, _ entity: EntityDescription
  ) {
    let type = attribute.type
    var bounds: [Value] = []
    for bound in [attribute.minValue, attribute.maxValue].compactMap({ $0 }) {
      guard type.isNumeric || type == .date else {
        report("Smallest and largest values are for numbers and dates.", entity, key)
        break
      }
      guard let value = bound.coerced(to: type), !value.isNull else {
        report("A bound is no \(type).", entity, key)
        continue
      }
      bounds.append(value)
    }
    if bounds.count == 2, ValueOrder.compare(bounds[0], bounds[1]) == .greater {
      report("The smallest value is larger than the largest.", entity, key)
    }
    if type != .string,
      attribute.minLength != nil || attribute.maxLength != nil
        || attribute.regularExpression != nil
    {
      report("Lengths and patterns are for strings.", entity, key)
    }
    if attribute.isSearchable, type != .string || attribute.isTransient {
      report("Only texts that are stored can be searchable.", entity, key)
    }
    if let minimum = attribute.minLength, minimum < 0 {
      report("The smallest length is negative.", entity, key)
    }
    if let maximum = attribute.maxLength, maximum < attribute.minLength ?? 0 {
      report("The largest length is smaller than the smallest.", entity, key)
    }
    if let pattern = attribute.regularExpression,
      (try? WholePattern.compile(pattern)) == nil
    {
      report("The pattern is no regular expression.", entity, key)
    }
  }
}

// MARK: - Composites

extension ModelCheck {
  /// Elements of a composite: attributes only, with a type, not kept outside, each in one place (B6).
  private mutating func checkElements(
    of root: CompositeAttributeDescription, _ entity: EntityDescription
  ) {
    var seen: Set<ObjectIdentifier> = [ObjectIdentifier(root)]
    var open: [(composite: CompositeAttributeDescription, path: String, depth: Int)] = [
      (root, root.name, 1)
    ]
    while let (composite, path, depth) = open.popLast() {
      if composite.elements.isEmpty { report("The composite has no elements.", entity, path) }
      if depth > CompositeAttributeDescription.largestDepth {
        report("Composites are nested too deep.", entity, root.name)
        continue
      }
      var names: Set<String> = []
      for element in composite.elements {
        let key = "\(path).\(element.name)"
        if let fault = ModelName.fault(in: element.name) {
          report("The element's name \(fault).", entity, key)
        }
        if !names.insert(element.name).inserted {
          report("Two elements have the name “\(element.name)”.", entity, key)
        }
        guard let attribute = element as? AttributeDescription else {
          report("The elements of a composite must be attributes.", entity, key)
          continue
        }
        let isNew = seen.insert(ObjectIdentifier(attribute)).inserted
        if !isNew || attribute.composite.owner !== composite || attribute.owner.owner != nil {
          report("The element stands in another place too.", entity, key)
          continue
        }
        checkElement(attribute, key: key, entity)
        checkElementType(of: attribute, key: key, entity)
        if let inner = attribute as? CompositeAttributeDescription {
          open.append((inner, key, depth + 1))
        }
      }
    }
  }

  private mutating func checkElement(
    _ element: AttributeDescription, key: String, _ entity: EntityDescription
  ) {
    checkType(of: element, key: key, entity)
    checkBounds(of: element, key: key, entity)
    if element.type == .undefined, element.isTransient {
      report("An element needs a type.", entity, key)
    }
    if element.type == .binaryData, element.allowsExternalBinaryDataStorage {
      report("An element cannot be stored outside the record.", entity, key)
    }
    if element is DerivedAttributeDescription {
      report("An element cannot be derived.", entity, key)
    }
    if !(element is CompositeAttributeDescription) {
      checkDefault(of: element, key: key, entity)
    }
  }
}
