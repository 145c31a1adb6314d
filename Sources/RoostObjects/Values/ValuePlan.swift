// SPDX-License-Identifier: Apache-2.0

import RoostModel
import Synchronization

/// The attributes of an entity class that its values consist of; made once for a class.
///
/// An attribute is part of them when stores keep it and do not compute it.
final class ValuePlan: Sendable {
  struct Attribute: Sendable {
    /// The place of the property in the class.
    let number: Int
    let name: String
    let declaration: AttributeDeclaration
    /// How objects become bytes; nil for what a row holds as it is.
    let codec: TransformableCodec?

    var isOptional: Bool { declaration.isOptional || declaration.options.contains(.optional) }
    var hasDefault: Bool { declaration.makeDefault != nil }
  }

  let attributes: [Attribute]
  /// The initial values that are the same for each object, by the numbers of the properties.
  private let constants: [Value]
  /// The initial values that are made anew.
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
      let codec =
        attribute.transformerName.map { .named($0, orOf: attribute.codec) } ?? attribute.codec
      attributes.append(
        Attribute(number: number, name: property.name, declaration: attribute, codec: codec))
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
    // Initial values are expressions of the program, which may come here, too: not behind the lock.
    let made = ValuePlan(objectClass)
    return plans.withLock { plans in
      if let known = plans[id] { return known }
      plans[id] = made
      return made
    }
  }

  /// How many properties the class has, relationships and inherited ones included.
  var propertyCount: Int { constants.count }

  /// The initial values by the numbers of the properties, made anew where they have to be.
  func makeInitialValues() -> [Value] {
    var values = constants
    for initial in renewed { values[initial.number] = initial.make() }
    return values
  }

  func attribute(numbered number: Int) -> Attribute? {
    attributes.first { $0.number == number }
  }
}
