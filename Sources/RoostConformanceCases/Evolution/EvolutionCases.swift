// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects

/// Stores that follow their model to another version.
enum EvolutionCases {
  static let all: [ConformanceCase] =
    attributes + types + entities + hierarchies + toOnes + links + orders + uniqueness + refusals
    + openings + policies + deferred + transforms + sharedColumns + unhashed + merging + stages
    + plans + programs + interrupted + waiting + derivedValues + defaultValues + mapped + reordered
    + numbers + eachType + moves + combined + constraints + meanwhile

  /// A version with the entity of ``EvolutionThings``.
  static func things(
    _ name: String = "Thing", _ edit: @Sendable (EntityDescription) -> Void = { _ in }
  ) -> ModelSketch {
    var sketch = ModelSketch()
    sketch.add(name, EvolutionThings.attributes())
    edit(sketch[name])
    return sketch
  }

  /// Two versions of one entity with difficult values.
  static func pair(
    to edit: @escaping @Sendable (EntityDescription) -> Void,
    from: @escaping @Sendable (EntityDescription) -> Void = { _ in },
    fill: @escaping EvolutionPair.Step = { try EvolutionThings.fill($0) },
    expect: @escaping EvolutionPair.Step = { try EvolutionThings.expect($0) },
    exceedsOld: Bool = false
  ) -> EvolutionPair {
    EvolutionPair(
      old: { $0 = things("Thing", from) }, new: { $0 = things("Thing", edit) }, fill: fill,
      expectation: expect, exceedsOld: exceedsOld)
  }
}

extension EntityDescription {
  /// The attribute with a name.
  func attribute(_ name: String) -> AttributeDescription {
    guard
      let attribute = declaredProperties.first(where: { $0.name == name })
        as? AttributeDescription
    else { preconditionFailure("The entity has no attribute \(name).") }
    return attribute
  }

  /// Gives a property another name, and the renaming identifier by which it is known.
  func rename(_ name: String, to newName: String) {
    guard let property = declaredProperties.first(where: { $0.name == name }) else {
      preconditionFailure("The entity has no property \(name).")
    }
    property.name = newName
    property.renamingIdentifier = name
  }

  /// Removes a property.
  func drop(_ name: String) {
    declaredProperties.removeAll { $0.name == name }
  }
}
