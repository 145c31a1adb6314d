// SPDX-License-Identifier: Apache-2.0

import Foundation

// Defaults, and the rules that the compiler makes of bounds, lengths and patterns: predicates whose warnings are Core
// Data's error numbers. They are converted back to bounds, so that a model is the same whether read compiled or from
// its source.
extension CompiledModelReader {
  func setRules(
    of attribute: AttributeDescription, _ object: KeyedArchive.Object
  ) throws(PersistenceError) {
    if let value = try defaultValue(object) {
      guard let fitting = value.coerced(to: attribute.type) else {
        throw archive.fault(object, "has a default that is no \(attribute.type)")
      }
      attribute.defaultConstant = fitting
    }
    let predicates = try archive.members("NSValidationPredicates", of: object)
    let warnings = try archive.members("NSValidationWarnings", of: object)
    guard predicates.count == warnings.count else {
      throw archive.fault(object, "has \(predicates.count) rules and \(warnings.count) warnings")
    }
    var rest: [(predicate: any ModelPredicate, warning: ValidationWarning)] = []
    for (predicate, warning) in zip(predicates, warnings) {
      guard case .object(let rule) = predicate else {
        throw archive.fault(object, "has a rule that is no predicate")
      }
      if case .integer(let number) = warning, try setBound(of: attribute, rule, Int(number)) {
        continue
      }
      let parsed = try parse(try conditions.predicate(rule), rule) { try parser.predicate($0) }
      switch warning {
      case .integer(let number): rest.append((parsed, .code(Int(number))))
      case .string(let text): rest.append((parsed, .message(text)))
      default: throw archive.fault(object, "has a warning that is neither a text nor a number")
      }
    }
    attribute.validations = rest
  }

  /// Sets a bound from a rule; returns false for other rules.
  private func setBound(
    of attribute: AttributeDescription, _ rule: KeyedArchive.Object, _ code: Int
  ) throws(PersistenceError) -> Bool {
    guard rule.className == "NSComparisonPredicate",
      let right = try archive.child("NSRightExpression", of: rule),
      right.className == "NSConstantValueExpression"
    else { return false }
    let constant = try plainValue(try archive.value("NSConstantValue", of: right), right)
    switch (code, constant) {
    case (1610, let value?), (1630, let value?):
      attribute.maxValue = value.coerced(to: attribute.type)
    case (1620, let value?), (1640, let value?):
      attribute.minValue = value.coerced(to: attribute.type)
    case (1660, .integer(let length)?): attribute.maxLength = Int(length)
    case (1670, .integer(let length)?): attribute.minLength = Int(length)
    case (1680, .string(let pattern)?): attribute.regularExpression = pattern
    default: return false
    }
    return true
  }

  private func defaultValue(_ object: KeyedArchive.Object) throws(PersistenceError) -> Value? {
    try plainValue(try archive.value("NSDefaultValue", of: object), object)
  }

  /// Converts an archived value; nil for none, and for instances of the program's own classes, which are noted.
  private func plainValue(
    _ value: KeyedArchive.Value, _ owner: KeyedArchive.Object
  ) throws(PersistenceError) -> Value? {
    switch value {
    case .null: return nil
    case .boolean(let truth): return .boolean(truth)
    case .integer(let number): return .integer(number)
    case .real(let number): return .double(number)
    case .date(let seconds): return .date(Date(timeIntervalSinceReferenceDate: seconds))
    case .data(let bytes): return .data(Data(bytes))
    case .string(let text): return .string(text)
    case .object(let object): return try foundationValue(object, owner)
    }
  }

  private func foundationValue(
    _ object: KeyedArchive.Object, _ owner: KeyedArchive.Object
  ) throws(PersistenceError) -> Value? {
    switch object.className {
    case "NSDecimalNumber", "NSDecimalNumberPlaceholder": return .decimal(try decimal(object))
    case "NSUUID":
      if case .data(let bytes) = try archive.value("NS.uuidbytes", of: object), bytes.count == 16 {
        return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
      }
    case "NSURL":
      if let text = try archive.text("NS.relative", of: object), let url = URL(string: text) {
        return .uri(url)
      }
    default:
      model.readingNotes.append(
        archive.fault(owner, "has a value of the class \(object.className), which is left out")
          .message)
      return nil
    }
    throw archive.fault(object, "is damaged")
  }

  /// Reads a decimal, which Foundation archives as its parts: eight 16-bit numbers, the exponent and the sign.
  private func decimal(_ object: KeyedArchive.Object) throws(PersistenceError) -> Decimal {
    guard case .data(let bytes) = try archive.value("NS.mantissa", of: object), bytes.count == 16,
      let exponent = try archive.number("NS.exponent", of: object), (-128...127).contains(exponent),
      let length = try archive.number("NS.length", of: object), (0...8).contains(length)
    else { throw archive.fault(object, "is no decimal") }
    let isLittleEndian = try archive.number("NS.mantissa.bo", of: object) ?? 1 == 1
    var result = Decimal(0)
    for place in (0..<length).reversed() {
      let (first, second) = (UInt16(bytes[2 * place]), UInt16(bytes[2 * place + 1]))
      let digit = isLittleEndian ? second << 8 | first : first << 8 | second
      result = result * 65_536 + Decimal(digit)
    }
    if result.isZero { return result }
    var scaled = Decimal(
      sign: try archive.isSet("NS.negative", of: object) ? .minus : .plus, exponent: exponent,
      significand: result)
    NSDecimalCompact(&scaled)
    guard !scaled.isNaN else { throw archive.fault(object, "is no decimal") }
    return scaled
  }
}
