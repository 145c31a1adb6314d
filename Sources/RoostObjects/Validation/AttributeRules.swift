// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// The model's rules for attributes: presence, bounds, pattern, and predicates (B150).
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
    // A value may break several rules: all failures are reported.
    var failures: [PersistenceError] = []
    try checkBounds(value, of: attribute, in: object, &failures)
    try checkPredicates(value, of: attribute, in: object, &failures)
    if !failures.isEmpty { throw SaveValidation.summary(failures) }
  }

  /// Rejects values that no store can hold: NaN, NUL, a number beyond its width.
  private static func checkContent(
    _ value: Value, of attribute: AttributeDescription, in object: ManagedObject
  ) throws(PersistenceError) {
    do {
      _ = try ValueCheck.check(value, for: attribute)
      // A store holds bytes: they are created here, where an error can name the object (B64).
      if case .transformable(let stored) = value, attribute.isStored { _ = try stored.bytes() }
    } catch {
      throw failure(error.code, error.message, value, attribute, object)
    }
  }

  private static func checkBounds(
    _ value: Value, of attribute: AttributeDescription, in object: ManagedObject,
    _ failures: inout [PersistenceError]
  ) throws(PersistenceError) {
    switch value {
    case .integer, .double, .decimal:
      if let least = attribute.minValue, ValueOrder.compare(value, least) == .less {
        failures.append(
          failure(.validationNumberTooSmall, "%@ is too small.", value, attribute, object))
      }
      if let most = attribute.maxValue, ValueOrder.compare(value, most) == .greater {
        failures.append(
          failure(.validationNumberTooLarge, "%@ is too large.", value, attribute, object))
      }
    case .date:
      if let first = attribute.minValue, ValueOrder.compare(value, first) == .less {
        failures.append(
          failure(.validationDateTooSoon, "%@ is too early.", value, attribute, object))
      }
      if let last = attribute.maxValue, ValueOrder.compare(value, last) == .greater {
        failures.append(
          failure(.validationDateTooLate, "%@ is too late.", value, attribute, object))
      }
    case .string(let text):
      try checkString(text, of: attribute, in: object, &failures)
    default:
      break
    }
  }

  private static func checkString(
    _ text: String, of attribute: AttributeDescription, in object: ManagedObject,
    _ failures: inout [PersistenceError]
  ) throws(PersistenceError) {
    if let least = attribute.minLength, text.count < least {
      failures.append(
        failure(
          .validationStringTooShort, "%@ needs %d characters.", .string(text), attribute, object,
          [least]))
    }
    if let most = attribute.maxLength, text.count > most {
      failures.append(
        failure(
          .validationStringTooLong, "%@ allows %d characters.", .string(text), attribute, object,
          [most]))
    }
    if let pattern = attribute.regularExpression, try !matches(text, pattern) {
      failures.append(
        failure(
          .validationStringPatternMatching, "%@ does not match its pattern.", .string(text),
          attribute, object))
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

  /// Returns a predicate of the model. The coordinator has parsed those of a model in use.
  private static func parsed(
    _ predicate: any ModelPredicate
  ) throws(PersistenceError) -> FetchPredicate {
    do {
      return try FetchPredicate(predicate)
    } catch {
      throw PersistenceError.wrapping(error)
    }
  }

  /// Checks the rules that are predicates. A warning is the message of the failure, or its number.
  private static func checkPredicates(
    _ value: Value, of attribute: AttributeDescription, in object: ManagedObject,
    _ failures: inout [PersistenceError]
  ) throws(PersistenceError) {
    for (predicate, warning) in zip(attribute.validationPredicates, attribute.validationWarnings) {
      let predicate = try parsed(predicate)
      if try ValuePredicate(predicate: predicate).isSatisfied(by: value, in: object) { continue }
      var code = PersistenceError.Code.managedObjectValidation
      var message = "%@ is not valid."
      switch warning {
      case .message(let text): message = ValidationMessages(entity: object.entity).warning(text)
      case .code(let number): code = PersistenceError.Code(rawValue: number)
      }
      var error = failure(code, message, value, attribute, object)
      error.predicateFormat = predicate.predicateFormat
      failures.append(error)
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
