// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The common base of attributes, relationships and fetched properties.
///
/// A description is mutable until a coordinator uses its model; then its setters trap. Call
/// ``ManagedObjectModel/checkEditable()`` before you change a model that may be in use.
///
/// ```swift
/// let name = AttributeDescription(name: "name", type: .string)
/// name.isOptional = false
/// person.properties = [name]
/// ```
public class PropertyDescription: ModelPart, @unchecked Sendable {
  // Sendable: written only while the model is built; `isFrozen` refuses writes once the model is in use.

  /// The name, unique among the properties of the entity and of its superentities.
  @exclusivity(unchecked) public final var name: String { willSet { willChange() } }
  /// Whether a nil value, or no destination, is allowed in a store; true unless set.
  @exclusivity(unchecked) public final var isOptional = true { willSet { willChange() } }
  /// Whether the property is managed, validated and undoable, but never stored.
  @exclusivity(unchecked) public final var isTransient = false { willSet { willChange() } }
  /// The program's own data for the property; not part of the version hash.
  @_disfavoredOverload
  public final var userInfo: [String: any Sendable] {
    get { keptUserInfo.withLock { $0 } }
    set {
      willChange()
      keptUserInfo.withLock { $0 = newValue }
    }
  }
  /// The storage of ``userInfo``; behind a lock, because `RoostCoreDataNames` can change it in a model in use, too.
  final let keptUserInfo = Mutex<[String: any Sendable]>([:])
  /// A text that is part of the version hash, for changes that the hash does not cover.
  public final var versionHashModifier: String? { willSet { willChange() } }
  /// Whether Core Spotlight indexes the property; kept for models made with Xcode.
  public final var isIndexedBySpotlight = false { willSet { willChange() } }

  final var explicitRenamingIdentifier: String? { willSet { willChange("renamingIdentifier") } }
  final var validations: [(predicate: any ModelPredicate, warning: ValidationWarning)] = [] {
    willSet { willChange("validationPredicates") }
  }
  final var owner = OwnerReference<EntityDescription>()

  final var isFrozen = false
  /// The slot in the rows of the entity and its subentities, when the model is in use; nil for a to-many relationship,
  /// a fetched property, and a composite, whose elements have slots.
  @exclusivity(unchecked) public final internal(set) var slot: RowSlot?
  final var frozenVersionHash: Data?

  init(name: String) {
    self.name = name
  }

  /// The entity that declares the property; nil while it has none.
  @_disfavoredOverload
  public final var entity: EntityDescription? { owner.owner }

  /// The name that the property has in other versions of the model; its name unless set.
  public final var renamingIdentifier: String? {
    get { explicitRenamingIdentifier ?? name }
    set { explicitRenamingIdentifier = newValue }
  }

  /// Returns a description with the same settings that belongs to no entity and can be changed.
  public final func copy() -> PropertyDescription {
    let copy = copyWithoutElements()
    if let composite = self as? CompositeAttributeDescription,
      let compositeCopy = copy as? CompositeAttributeDescription
    {
      composite.copyElements(into: compositeCopy)
    }
    return copy
  }

  final func copyWithoutElements() -> PropertyDescription {
    let copy = makeCopy()
    copy.isOptional = isOptional
    copy.isTransient = isTransient
    copy.userInfo = userInfo
    copy.versionHashModifier = versionHashModifier
    copy.isIndexedBySpotlight = isIndexedBySpotlight
    copy.explicitRenamingIdentifier = explicitRenamingIdentifier
    copy.validations = validations
    return copy
  }

  /// Makes a description of the same class with its own settings.
  func makeCopy() -> PropertyDescription {
    PropertyDescription(name: name)
  }

  /// Forbids further changes.
  func freeze() {
    frozenVersionHash = makeVersionHash()
    isFrozen = true
  }

  /// Computes the version hash.
  func makeVersionHash() -> Data {
    VersionHash.propertyPrefix(self)
  }
}

// MARK: - Validation rules

extension PropertyDescription {
  /// The predicates that a value must satisfy when it is saved.
  @_disfavoredOverload
  public final var validationPredicates: [any ModelPredicate] {
    validations.map(\.predicate)
  }

  /// The warnings for values that the predicate of the same index refuses.
  @_disfavoredOverload
  public final var validationWarnings: [ValidationWarning] {
    validations.map(\.warning)
  }

  /// Sets the predicates that a value must satisfy, and the warnings for values that do not.
  ///
  /// - Throws: `invalidModel` when the counts differ, `modelInUse` when the model is in use; nothing changes
  ///   then.
  public final func setValidationPredicates(
    _ predicates: [any ModelPredicate], withValidationWarnings warnings: [ValidationWarning]
  ) throws {
    try checkEditable("The property “\(name)”")
    guard predicates.count == warnings.count else {
      throw PersistenceError(
        .invalidModel,
        "\(predicates.count) validation predicates need as many warnings, not \(warnings.count).",
        entityName: entity?.name, key: name)
    }
    validations = Array(zip(predicates, warnings)).map { (predicate: $0, warning: $1) }
  }
}

// MARK: - Identity

extension PropertyDescription: Hashable {
  /// Whether two variables hold the same description.
  public static func == (left: PropertyDescription, right: PropertyDescription) -> Bool {
    left === right
  }

  /// Hashes the description's identity.
  public final func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }
}
