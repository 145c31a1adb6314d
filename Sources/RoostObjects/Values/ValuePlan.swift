// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// The attributes that make up the values of an entity class; created once for each class.
///
/// They are the persistent attributes that are not derived.
final class ValuePlan: Sendable {
  struct Attribute: Sendable {
    /// The index of the property in the class.
    let number: Int
    let name: String
    let declaration: AttributeDeclaration
    /// The codec that converts objects to bytes; nil for a type that a row holds directly.
    let codec: TransformableCodec?

    var isOptional: Bool { declaration.isOptional || declaration.options.contains(.optional) }
    var hasDefault: Bool { declaration.makeDefault != nil }

    /// The elements of a composite.
    var elements: [Attribute] {
      declaration.composite?.elements.compactMap { element in
        guard case .attribute(let attribute) = element.content else { return nil }
        return Attribute(number: 0, name: element.name, declaration: attribute)
      } ?? []
    }

    init(number: Int, name: String, declaration: AttributeDeclaration) {
      self.number = number
      self.name = name
      self.declaration = declaration
      codec =
        declaration.transformerName.map { .named($0, orOf: declaration.codec) } ?? declaration.codec
    }

    /// Takes the value of an element from those of a composite, which come in order.
    func takeValue(from values: inout ArraySlice<Value>) -> Value {
      guard let composite = declaration.composite else { return values.popFirst() ?? .null }
      let count = composite.leaves.count
      defer { values = values.dropFirst(count) }
      return .elements(Array(values.prefix(count)))
    }
  }

  let attributes: [Attribute]
  /// The constant initial values, by property index.
  private let constants: [Value]
  /// The initial values that are computed for each object.
  private let renewed: [(number: Int, make: @Sendable () -> Value)]

  private static let plans = Mutex<[ObjectIdentifier: ValuePlan]>([:])

  private init(_ objectClass: ManagedObject.Type) {
    let declaration = objectClass._entityDeclaration
    var attributes: [Attribute] = []
    var constants = [Value](repeating: .null, count: declaration?.propertyNames.count ?? 0)
    var renewed: [(number: Int, make: @Sendable () -> Value)] = []
    for number in constants.indices {
      guard let property = declaration?.property(numbered: number),
        case .attribute(let attribute) = property.content, attribute.derivation == nil,
        !attribute.options.contains(.transient)
      else { continue }
      attributes.append(Attribute(number: number, name: property.name, declaration: attribute))
      if let make = property.makeRenewedDefault {
        renewed.append((number, make))
      } else if let value = property.initialValue {
        constants[number] = value
      }
    }
    self.attributes = attributes
    self.constants = constants
    self.renewed = renewed
  }

  /// The plan of a class with `@Entity`.
  static func plan(of objectClass: ManagedObject.Type) -> ValuePlan {
    let id = ObjectIdentifier(objectClass)
    if let known = plans.withLock({ $0[id] }) { return known }
    // Initial values are expressions of the program, which may call this function: evaluate them outside of the lock.
    let made = ValuePlan(objectClass)
    return plans.withLock { plans in
      if let known = plans[id] { return known }
      plans[id] = made
      return made
    }
  }

  /// The number of properties of the class, including relationships and inherited ones.
  var propertyCount: Int { constants.count }

  /// Returns the initial values by property index, computed where they are not constant.
  func makeInitialValues() -> [Value] {
    var values = constants
    for initial in renewed { values[initial.number] = initial.make() }
    return values
  }

  func attribute(numbered number: Int) -> Attribute? {
    attributes.first { $0.number == number }
  }
}
