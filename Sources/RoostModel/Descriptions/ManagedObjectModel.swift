// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The data model of a program: its entities, configurations and fetch request templates.
///
/// A model is mutable until a coordinator uses it; then every setter of it and of its parts traps. To change a model
/// in use, ``copy()`` it, edit the copy and use it with a new coordinator.
///
/// ```swift
/// let person = EntityDescription(name: "Person")
/// person.properties = [AttributeDescription(name: "name", type: .string)]
/// let model = ManagedObjectModel(entities: [person])
/// try model.check()
/// ```
public final class ManagedObjectModel: ModelPart, @unchecked Sendable {
  // Sendable: written only while the model is built; `isFrozen` refuses writes once the model is in use, and freezing
  // itself happens under a lock.

  /// All entities, including subentities.
  public var entities: [EntityDescription] = [] {
    willSet { willChange() }
    didSet { adoptEntities(insteadOf: oldValue) }
  }
  /// Labels of the version; they never decide whether a store fits.
  public var versionIdentifiers: Set<String> = [] { willSet { willChange() } }
  /// Localised names by `Entity/Person`, `Property/name/Entity/Person`, `ErrorString/...`.
  public var localizationDictionary: [String: String] = [:] { willSet { willChange() } }

  /// Notes about parts that were ignored when the model was read from a file, one sentence each: leftovers of Xcode's
  /// editor without influence on the data, and inverses that cannot be maintained. The log of each store of the model
  /// shows them.
  public package(set) var readingNotes: [String] = []

  var entitiesByConfiguration: [String: [EntityDescription]] = [:] {
    willSet { willChange("configurations") }
  }
  var templates: [String: any ModelFetchRequest] = [:] {
    willSet { willChange("fetchRequestTemplatesByName") }
  }

  let freezing = Mutex<Void>(())
  private let frozen = Atomic<Bool>(false)
  var compiled: CompiledModel?

  /// Makes an empty model.
  public init() {}

  /// Makes a model from entities.
  public init(entities: [EntityDescription]) {
    self.entities = entities
    adoptEntities(insteadOf: [])
  }

  deinit {
    let identifier = ObjectIdentifier(self)
    var owned = entities.filter { $0.modelOwner.isOwned(by: identifier) }
    isFrozen = false
    compiled = nil
    templates = [:]
    entitiesByConfiguration = [:]
    for entity in owned { entity.modelOwner.forget(identifier) }
    entities = []
    RetiredEntities.retire(&owned)
  }

  /// Whether the model is in use, so that it cannot be changed.
  public internal(set) var isFrozen: Bool {
    get { frozen.load(ordering: .acquiring) }
    set { frozen.store(newValue, ordering: .releasing) }
  }

  /// The entities by name.
  public var entitiesByName: [String: EntityDescription] {
    // Another thread may be freezing the model; the compiled form is available once `isFrozen` is set.
    if isFrozen, let compiled { return compiled.entitiesByName }
    return Dictionary(
      entities.compactMap { entity in entity.name.map { ($0, entity) } },
      uniquingKeysWith: { first, _ in first })
  }

  private func adoptEntities(insteadOf old: [EntityDescription]) {
    let identifier = ObjectIdentifier(self)
    for entity in old { entity.modelOwner.forget(identifier) }
    for entity in entities where !entity.isFrozen { entity.modelOwner.set(self) }
    let members = Set(entities.map(ObjectIdentifier.init))
    for (name, configured) in entitiesByConfiguration {
      entitiesByConfiguration[name] = configured.filter { members.contains(ObjectIdentifier($0)) }
    }
  }
}

// MARK: - Changing

extension ManagedObjectModel {
  /// Checks that the model can be changed.
  ///
  /// - Throws: `modelInUse` when a coordinator uses the model.
  @_disfavoredOverload
  public func checkEditable() throws {
    try checkEditable("The model")
  }

  /// Runs `body`, which changes the model, unless the model is in use.
  ///
  /// - Throws: `modelInUse` when a coordinator uses the model, and the errors of `body`.
  public func edit<Result>(_ body: (ManagedObjectModel) throws -> Result) throws -> Result {
    try checkEditable()
    return try body(self)
  }
}

extension ManagedObjectModel: Hashable {
  /// Whether two models are defined alike: equal entities, configurations, templates, version identifiers and
  /// localised names. Use `===` to ask whether two variables hold the same model.
  ///
  /// - Complexity: O(1) for the same model; otherwise linear in the number of properties.
  public static func == (left: ManagedObjectModel, right: ManagedObjectModel) -> Bool {
    left === right || left.isEqualDefinition(to: right)
  }

  /// Hashes the names of the entities.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(Set(entities.map(\.name)))
  }
}

extension ManagedObjectModel: Sequence {
  /// Iterates over the entities.
  public func makeIterator() -> IndexingIterator<[EntityDescription]> {
    entities.makeIterator()
  }
}
