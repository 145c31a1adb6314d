// SPDX-License-Identifier: Apache-2.0

/// The public types that need no example, because programs do not write their names: only the compiler or other
/// layers use them. The list can only shrink.
enum TypesWithoutExample {
  static let allowed: [String: Set<String>] = [
    "Sources/RoostCoreDataNames/Foundation/FoundationSorting.swift": ["KeyedSortDescriptor"],
    "Sources/RoostCoreDataNames/Container/Identities.swift": ["NSObjectIdentity"],
    "Sources/RoostModel/Identity/IDScope.swift": ["IDScope"],
    "Sources/RoostModel/Rows/Row+Slots.swift": ["URIBox"],
    "Sources/RoostModel/Rows/Row.swift": ["RowHeader", "RowStorage"],
    "Sources/RoostObjects/Declarations/ManagedObject+ConvertedAttributes.swift": [
      "OptionalTransformableAccess", "TransformableAccess",
    ],
    "Sources/RoostObjects/Declarations/PropertyType+Conversions.swift": [
      "TransformablePropertyType", "UnknownPropertyType",
    ],
  ]
}
