// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// The model's rules for attributes: present, in bounds, of the right pattern, and what predicates say (B150).
enum AttributeRules {
  static func check(
    _ value: Value, of attribute: AttributeDescription, in object: ManagedObject
  ) throws(PersistenceError) {
    if case .null = value {
      guard attribute.isOptional || attribute.isTransient else {
        throw failure(
          .validationMissingMandatoryProperty, "%@ needs a value.", value,
          attribute, object)
      }
      return
    }
    try checkContent(value, of: attribute, in: object)
    if let composite = attribute as? CompositeAttributeDescription,
      case .composite(let elements) = value
    {
      for element in composite.elementAttributes {
        try check(elements[element.name] ?? .null, of: element, in: object)
      }
    }
    try checkBounds(value, of: attribute, in: object)
    try checkPredicates(value, of: attribute, in: object)
  }

  /// What no store may ever hold: NaN, NUL, a number beyond its width.
  private static func checkContent(
    _ value: Value, of attribute: AttributeDescription, in object: ManagedObject
  ) throws(PersistenceError) {
    do {
      _ = try ValueCheck.check(value, for: attribute)
      // A store keeps bytes: they are made here, where it is known whose they are (B64).
      if case .transformable(let stored) = value, attribute.isStored { _ = try stored.bytes() }
    } catch {
      throw failure(error.code, error.message, value, attribute, object)
    }
  }

  private static func checkBounds(
    _ value: Value, of attribute: AttributeDescription, in object: ManagedObject
  ) throws(PersistenceError) {
    switch value {
    case .integer, .double, .decimal:
      if let least = attribute.minValue, ValueOrder.compare(value, least) == .less {
        throw failure(
          .validationNumberTooSmall, "%@ is too small.", value, attribute, object)
      }
      if let most = attribute.maxValue, ValueOrder.compare(value, most) == .greater {
        throw failure(
          .validationNumberTooLarge, "%@ is too large.", value, attribute, object)
      }
    case .date:
      if let first = attribute.minValue, ValueOrder.compare(value, first) == .less {
        throw failure(
          .validationDateTooSoon, "%@ is too early.", value, attribute, object)
      }
      if let last = attribute.maxValue, ValueOrder.compare(value, last) == .greater {
        throw failure(
          .validationDateTooLate, "%@ is too late.", value, attribute, object)
      }
    case .string(let text):
      try checkString(text, of: attribute, in: object)
    default:
      break
    }
  }

  private static func checkString(
    _ text: String, of attribute: AttributeDescription, in object: ManagedObject
  ) throws(PersistenceError) {
    if let least = attribute.minLength, text.count < least {
      throw failure(
        .validationStringTooShort, "%@ needs %d characters.", .string(text),
        attribute, object, [least])
    }
    if let most = attribute.maxLength, text.count > most {
      throw failure(
        .validationStringTooLong, "%@ allows %d characters.", .string(text),
        attribute, object, [most])
    }
    if let pattern = attribute.regularExpression, try !matches(text, pattern) {
      throw failure(
        .validationStringPatternMatching, "%@ does not match its pattern.",
        .string(text), attribute, object)
    }
  }

  private static func matches(
    _ text: String, _ pattern: String
  ) throws(PersistenceError) -> Bool {
    do {
      return try StringMatcher.matches(text, pattern: pattern)
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }

  /// A predicate of the model. Those of a model in use are parsed; a coordinator has seen to that.
  private static func parsed(
    _ predicate: any ModelPredicate
  ) throws(PersistenceError) -> FetchPredicate {
    do {
      return try FetchPredicate(predicate)
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }

  private static func checkPredicates(
    _ value: Value, of attribute: AttributeDescription, in object: ManagedObject
  ) throws(PersistenceError) {
    for (index, predicate) in attribute.validationPredicates.enumerated() {
      let predicate = try parsed(predicate)
      if try ValuePredicate(predicate: predicate).isSatisfied(by: value, in: object) { continue }
      let warnings = attribute.validationWarnings
      var message = "%@ is not valid."
      if index < warnings.count, case .message(let text) = warnings[index] {
        message = ValidationMessages(entity: object.entity).warning(text)
      }
      var error = failure(.managedObjectValidation, message, value, attribute, object)
      error.predicateFormat = predicate.predicateFormat
      throw error
    }
  }

  private static func failure(
    _ code: PersistenceError.Code, _ message: String, _ value: Value,
    _ attribute: AttributeDescription, _ object: ManagedObject, _ numbers: [Int] = []
  ) -> PersistenceError {
    PersistenceError(
      code, ValidationMessages(entity: object.entity).sentence(message, attribute, numbers),
      entityName: object.entity.name,
      // An element of a composite has the dotted name of its slot.
      key: attribute.slot.map { object.binding.layout.names[$0.index] } ?? attribute.name,
      value: value.isNull ? nil : value, objectIDs: [object.identity])
  }
}
