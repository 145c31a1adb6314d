// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects

/// Generates attribute values of objects: reproducible, and different for each object.
struct FixtureValues {
  /// The number of the object, from 1.
  let number: Int

  /// Sets each attribute to a value that breaks no rule, if one is found. Otherwise the attribute keeps its default.
  ///
  /// - Parameter isSparse: Whether optional attributes are left empty.
  func fill(_ object: ManagedObject, isSparse: Bool) throws {
    for attribute in object.entity.attributesInOrder
    where !(attribute is DerivedAttributeDescription) {
      if isSparse, attribute.isOptional {
        try object.setValue(nil, forKey: attribute.name)
        continue
      }
      for candidate in candidates(attribute) {
        var value = candidate
        guard (try? object.validateValue(&value, forKey: attribute.name)) != nil else { continue }
        try object.setValue(value, forKey: attribute.name)
        break
      }
    }
  }

  /// Returns values to try in order; the first one that breaks no rule is used.
  private func candidates(_ attribute: AttributeDescription) -> [Value] {
    if let composite = attribute as? CompositeAttributeDescription {
      return [.composite(elements(of: composite))]
    }
    return switch attribute.type {
    case .integer16, .integer32, .integer64: integers(attribute)
    case .double, .float: doubles(attribute)
    case .decimal: decimals(attribute)
    case .boolean: [.boolean(number.isMultiple(of: 2)), .boolean(!number.isMultiple(of: 2))]
    case .date: dates(attribute)
    case .string: FixtureTexts(attribute, number).candidates.map(Value.string)
    case .binaryData: [.data(Data("\(attribute.name) \(number)".utf8))]
    case .uuid: [.uuid(uuid)]
    case .uri: uri(attribute).map { [.uri($0)] } ?? []
    // The program's own types have values that only the program can make.
    default: []
    }
  }

  private func elements(of composite: CompositeAttributeDescription) -> [String: Value] {
    var elements: [String: Value] = [:]
    for case let element as AttributeDescription in composite.elements {
      elements[element.name] = candidates(element).first
    }
    return elements
  }

  private func integers(_ attribute: AttributeDescription) -> [Value] {
    var numbers = [Int64(number)]
    switch (integer(attribute.minValue), integer(attribute.maxValue)) {
    case (let least?, let most?) where least <= most:
      let (width, isWide) = most.subtractingReportingOverflow(least)
      numbers.append(isWide || width == .max ? least : least + Int64(number) % (width + 1))
    case (let least?, nil):
      numbers.append(least.addingReportingOverflow(Int64(number)).partialValue)
      numbers.append(least)
    case (nil, let most?):
      numbers.append(most.subtractingReportingOverflow(Int64(number)).partialValue)
      numbers.append(most)
    default: break
    }
    return numbers.map(Value.integer) + [.integer(0), attribute.defaultConstant]
  }

  private func integer(_ value: Value?) -> Int64? {
    if case .integer(let number)? = value { return number }
    return double(value).flatMap { Int64(exactly: $0.rounded(.towardZero)) }
  }

  private func doubles(_ attribute: AttributeDescription) -> [Value] {
    let least = double(attribute.minValue)
    let most = double(attribute.maxValue)
    return ([Double(number) + 0.5] + between(least, most)).map(Value.double)
      + [.double(0), attribute.defaultConstant]
  }

  private func decimals(_ attribute: AttributeDescription) -> [Value] {
    let inBounds = between(double(attribute.minValue), double(attribute.maxValue))
    return [.decimal(Decimal(number) + Decimal(sign: .plus, exponent: -2, significand: 25))]
      + inBounds.map { .decimal(Decimal($0)) }
      + [attribute.minValue, attribute.maxValue].compactMap { $0 }
      + [.decimal(0), attribute.defaultConstant]
  }

  private func dates(_ attribute: AttributeDescription) -> [Value] {
    let day = 86_400.0
    let seconds =
      [Double(number) * day] + between(double(attribute.minValue), double(attribute.maxValue))
    return seconds.map { .date(Date(timeIntervalSinceReferenceDate: $0)) }
      + [attribute.minValue, attribute.maxValue].compactMap { $0 } + [attribute.defaultConstant]
  }

  /// Returns numbers between optional bounds.
  private func between(_ least: Double?, _ most: Double?) -> [Double] {
    switch (least, most) {
    case (let least?, let most?):
      // A share that differs for each number, and is exact in binary.
      let share = Double(number % 64) / 64
      return [least + (most - least) * share, least, most]
    case (let least?, nil): return [least + Double(number), least]
    case (nil, let most?): return [most - Double(number), most]
    case (nil, nil): return []
    }
  }

  private func double(_ value: Value?) -> Double? {
    switch value {
    case .integer(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): DecimalParts.double(number)
    case .date(let date): date.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  private var uuid: UUID {
    let (high, low) = (UInt8(truncatingIfNeeded: number >> 8), UInt8(truncatingIfNeeded: number))
    return UUID(uuid: (0, 0, 0, 0, 0, 0, 0x40, 0, 0x80, 0, 0, 0, 0, 0, high, low))
  }

  private func uri(_ attribute: AttributeDescription) -> URL? {
    let name = attribute.name.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "uri"
    return URL(string: "https://example.org/\(name)/\(number)")
  }
}
