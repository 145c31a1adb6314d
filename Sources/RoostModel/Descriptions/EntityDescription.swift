// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Describes an entity: its properties, its place in a hierarchy, its indexes and its uniqueness constraints.
///
/// A description is mutable until a coordinator uses its model; then its setters trap.
///
/// ```swift
/// let person = EntityDescription(name: "Person")
/// person.properties = [AttributeDescription(name: "name", type: .string)]
/// let employee = EntityDescription(name: "Employee")
/// person.subentities = [employee]
/// let model = ManagedObjectModel(entities: [person, employee])
/// ```
public final class EntityDescription: ModelPart, @unchecked Sendable {
  // Sendable: written only while the model is built; `isFrozen` refuses writes once the model is in use.

  /// The name, unique in the model.
  public var name: String? { willSet { willChange() } }
  /// The name of the class of the instances; `ManagedObject` unless set.
  @_disfavoredOverload
  public var managedObjectClassName = "ManagedObject" { willSet { willChange() } }
  /// The class of the instances, because Linux cannot look up a class by name; nil for `ManagedObject`.
  public var managedObjectClass: AnyClass? {
    willSet { willChange() }
    didSet {
      if let managedObjectClass { managedObjectClassName = String(describing: managedObjectClass) }
    }
  }
  /// Whether the entity has no instances of its own.
  public var isAbstract = false { willSet { willChange() } }
  /// The program's own data for the entity; not part of the version hash.
  @_disfavoredOverload
  public var userInfo: [String: any Sendable] {
    get { keptUserInfo.withLock { $0 } }
    set {
      willChange()
      keptUserInfo.withLock { $0 = newValue }
    }
  }
  /// The storage of ``userInfo``; behind a lock, because `RoostCoreDataNames` can change it in a model in use, too.
  let keptUserInfo = Mutex<[String: any Sendable]>([:])
  /// A text that is part of the version hash, for changes that the hash does not cover.
  public var versionHashModifier: String? { willSet { willChange() } }
  /// The attributes of each unique constraint; subentities inherit them. The constraints of superentities are in
  /// ``allUniquenessConstraints``.
  @_disfavoredOverload
  public var uniquenessConstraints: [[String]] = [] { willSet { willChange() } }
  /// The entity's own indexes. Editing the hierarchy afterwards drops them.
  public var indexes: [FetchIndexDescription] = [] {
    willSet { willChange() }
    didSet { adoptIndexes(insteadOf: oldValue) }
  }
  /// The entities that inherit from this one directly. Setting them drops the indexes of the hierarchy.
  public var subentities: [EntityDescription] = [] {
    willSet { willChange() }
    didSet { adoptSubentities(insteadOf: oldValue) }
  }
  /// The properties that the entity adds to those of its superentity. Setting them drops the indexes of the hierarchy.
  public var declaredProperties: [PropertyDescription] = [] {
    willSet { willChange("properties") }
    didSet {
      // A property of a model in use cannot move: this entity gets a copy.
      if declaredProperties.contains(where: { $0.isFrozen && $0.entity !== self }) {
        declaredProperties = declaredProperties.map {
          $0.isFrozen && $0.entity !== self ? $0.copy() : $0
        }
      }
      adoptProperties(insteadOf: oldValue)
    }
  }
  /// The display name expression for Core Spotlight; kept for models made with Xcode.
  public var coreSpotlightDisplayNameExpression: (any ModelExpression)? {
    willSet { willChange() }
  }

  var explicitRenamingIdentifier: String? { willSet { willChange("renamingIdentifier") } }
  @exclusivity(unchecked) var modelOwner = OwnerReference<ManagedObjectModel>()
  var parent = OwnerReference<EntityDescription>()
  var isFrozen = false
  /// Whether changes of properties and subentities keep the indexes of the hierarchy.
  private var keepsIndexes = false
  var frozenVersionHash: Data?
  /// The entity's related entities at the time when its model was deallocated.
  var former = FormerRelatives()
  /// The copies that the entity refers to after its model was deallocated.
  var remains: ManagedObjectModel?
  @exclusivity(unchecked) var compiled: CompiledEntity?
  @exclusivity(unchecked) var compiledLayout: RowLayout?
  @exclusivity(unchecked) var compiledDefaults: Row?
  /// Data that the object graph computes once for an entity in use.
  package let runtime = OnceReference()

  /// Makes an entity without a name that belongs to no model yet.
  public init() {}

  /// Makes an entity that belongs to no model yet.
  @_disfavoredOverload
  package init(name: String?) {
    self.name = name
  }

  deinit {
    let identifier = ObjectIdentifier(self)
    for property in declaredProperties {
      property.owner.forget(identifier)
      guard let composite = property as? CompositeAttributeDescription else { continue }
      for element in composite.allElements { element.owner.forget(identifier) }
    }
    for index in indexes { index.owner.forget(identifier) }
    for subentity in subentities { subentity.parent.forget(identifier) }
    // Release the subentity copies before the model that owns them.
    if remains != nil { whileEditable { replaceSubentities([]) } }
  }

  /// The model; nil while the entity has none.
  public var managedObjectModel: ManagedObjectModel? { modelOwner.owner }

  /// The entity that this one inherits from; nil for the root of a hierarchy. Set by ``subentities`` of the
  /// superentity.
  public var superentity: EntityDescription? { parent.owner }

  /// The name that the entity has in other versions of the model; its name unless set.
  public var renamingIdentifier: String? {
    get { explicitRenamingIdentifier ?? name }
    set { explicitRenamingIdentifier = newValue }
  }
}

// MARK: - Ownership

extension EntityDescription {
  private func adoptProperties(insteadOf old: [PropertyDescription]) {
    let identifier = ObjectIdentifier(self)
    for property in old { property.owner.forget(identifier) }
    for property in declaredProperties { property.owner.set(self) }
    if keepsIndexes { return }
    dropIndexesOfHierarchy()
  }

  private func adoptSubentities(insteadOf old: [EntityDescription]) {
    let identifier = ObjectIdentifier(self)
    for subentity in old { subentity.parent.forget(identifier) }
    for subentity in subentities { subentity.parent.set(self) }
    if keepsIndexes { return }
    for entity in old { entity.dropIndexesOfHierarchy() }
    dropIndexesOfHierarchy()
  }

  private func adoptIndexes(insteadOf old: [FetchIndexDescription]) {
    let identifier = ObjectIdentifier(self)
    for index in old { index.owner.forget(identifier) }
    for index in indexes { index.owner.set(self) }
  }

  /// Drops the indexes of every entity of the hierarchy, because the hierarchy has changed (B12).
  private func dropIndexesOfHierarchy() {
    for entity in topmostEntity.withDescendants where !entity.indexes.isEmpty {
      entity.indexes = []
    }
  }
}

extension EntityDescription {
  /// Sets the subentities without dropping the indexes of the hierarchy, which the caller makes afterwards. This
  /// avoids a search of the whole hierarchy for each of its entities.
  func replaceSubentities(_ entities: [EntityDescription]) {
    keepsIndexes = true
    subentities = entities
    keepsIndexes = false
  }

  /// Replaces the properties by others of the same names, and keeps the indexes.
  func replaceProperties(_ properties: [PropertyDescription]) {
    keepsIndexes = true
    declaredProperties = properties
    keepsIndexes = false
  }
}

// MARK: - Equality

extension EntityDescription: Hashable {
  /// Whether two entities are defined alike: names, classes, properties with their rules, indexes, user info, and the
  /// names of the entities above and below them. Use `===` to ask whether two variables hold the same description.
  ///
  /// - Complexity: O(1) for the same description; otherwise linear in the number of properties and indexes.
  public static func == (left: EntityDescription, right: EntityDescription) -> Bool {
    left === right || left.isEqualDefinition(to: right)
  }

  /// Hashes the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(name)
  }
}
