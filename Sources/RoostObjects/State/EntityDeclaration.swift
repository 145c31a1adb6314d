// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The declaration of an entity by `@Entity`: its name, its superclass, its properties.
///
/// The macro generates it, and ``ManagedObjectModel`` creates an entity from it; a class without the macro can
/// provide one by hand.
///
/// ```swift
/// Person._entityDeclaration?.propertyNames  // ["email", "name", "department"]
/// ```
public struct EntityDeclaration: Sendable {
  /// The entity's name.
  public let name: String
  /// The class.
  public let objectClass: ManagedObject.Type
  /// The class of the superentity; nil for the root of a hierarchy.
  public let superclass: ManagedObject.Type?
  /// The properties that the class adds to those of its superclass, in source order.
  public let properties: [PropertyDeclaration]
  /// The names of all properties, those of the superclass first; the class's accessors use the indices.
  public let propertyNames: [String]

  /// Whether the class, or one above it, overrides `validate(_:forKey:)`.
  let hasOwnValidation: Bool
  /// The properties that have a method `validate<Key>`, those of the superclass included.
  let allValidatedKeys: Set<String>
  let isAbstract: Bool
  let originalName: String?
  let versionHashModifier: String?
  let uniqueness: [[String]]
  let indexes: [[String]]
  let configurations: [String]
  let userInfo: [String: any Sendable]

  /// Declares an entity; the parameters are those of `@Entity`.
  ///
  /// - Parameters:
  ///   - className: The name of the class, which is the entity's unless `name` is another.
  ///   - objectClass: The class.
  ///   - superclass: The class of the superentity.
  ///   - ownValidation: Whether the class overrides `validate(_:forKey:)`.
  ///   - uniquePaths: The properties that `#Unique` lists.
  ///   - indexPaths: The properties that `#Index` lists.
  ///   - validatedKeys: The properties for which the class has a method `validate<Key>`.
  ///   - properties: The class's own properties.
  public init(
    _ className: String, class objectClass: ManagedObject.Type,
    superclass: ManagedObject.Type? = nil, name: String? = nil, abstract: Bool = false,
    originalName: String? = nil, versionHashModifier: String? = nil, uniqueness: [[String]] = [],
    indexes: [[String]] = [], configurations: [String] = [],
    userInfo: [String: any Sendable] = [:], ownValidation: Bool = false,
    uniquePaths: [[String]] = [], indexPaths: [[String]] = [], validatedKeys: Set<String> = [],
    properties: [PropertyDeclaration]
  ) {
    self.name = name ?? className
    self.objectClass = objectClass
    self.superclass = superclass
    self.properties = properties
    let inherited = superclass?._entityDeclaration?.propertyNames ?? []
    propertyNames = inherited + properties.map(\.name)
    hasOwnValidation = ownValidation || superclass?._entityDeclaration?.hasOwnValidation ?? false
    allValidatedKeys = validatedKeys.union(superclass?._entityDeclaration?.allValidatedKeys ?? [])
    isAbstract = abstract
    self.originalName = originalName
    self.versionHashModifier = versionHashModifier
    self.uniqueness = uniqueness + uniquePaths
    self.indexes = indexes + indexPaths
    self.configurations = configurations
    self.userInfo = userInfo
  }

  /// The default values that are computed for each object, by the names of properties and of elements, inherited ones
  /// included.
  var renewedDefaults: [(name: String, make: @Sendable () -> Value)] {
    (superclass?._entityDeclaration?.renewedDefaults ?? [])
      + properties.flatMap(\.renewedDefaults)
  }

  /// Returns the declaration of a composite attribute's elements; nil when no property with the name is one.
  func composite(named name: String) -> CompositeDeclaration? {
    propertyNames.firstIndex(of: name).flatMap { property(numbered: $0)?.composite }
  }

  /// Returns the property with an index, inherited ones included; nil beyond the last.
  func property(numbered number: Int) -> PropertyDeclaration? {
    var declaration = self
    while true {
      let inherited = declaration.propertyNames.count - declaration.properties.count
      if number >= inherited {
        let index = number - inherited
        return index < declaration.properties.count ? declaration.properties[index] : nil
      }
      guard let next = declaration.superclass?._entityDeclaration else { return nil }
      declaration = next
    }
  }
}
