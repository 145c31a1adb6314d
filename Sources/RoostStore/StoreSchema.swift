// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The part of a model that a store holds, with the entity codes in its keys.
///
/// ```swift
/// let key = RecordKey.make(sequence: 42, entityCode: schema.code(of: person)!)
/// let id = schema.objectID(forKey: key)
/// ```
public final class StoreSchema: Sendable {
  /// The store.
  public let identity: StoreIdentity
  /// The model, frozen.
  public let model: ManagedObjectModel
  /// The entities of the store's configuration, abstract ones included, superentities before subentities.
  public let entities: [EntityDescription]
  /// The tables of links between these entities.
  public let linkTables: [LinkTable]
  private let codes: [ObjectIdentifier: Int]
  private let entitiesByCode: [EntityDescription?]
  private let scopes: [IDScope?]
  private let plan: Result<DerivationPlan, any Error>
  private let makeModelText: @Sendable () throws -> [UInt8]

  /// Makes a schema.
  ///
  /// - Parameters:
  ///   - identity: The store.
  ///   - model: The model, frozen.
  ///   - entities: The entities of the store's configuration, superentities before subentities.
  ///   - linkTables: The tables of links between these entities.
  ///   - codes: The code of each entity by name, from 1 to ``RecordKey/largestEntityCode``. Names without an entity
  ///     belong to removed entities.
  ///   - modelText: Makes the canonical text of the model, for stores that keep it.
  public init(
    identity: StoreIdentity, model: ManagedObjectModel, entities: [EntityDescription],
    linkTables: [LinkTable], codes: [String: Int],
    modelText: @escaping @Sendable () throws -> [UInt8] = { [] }
  ) {
    makeModelText = modelText
    self.identity = identity
    self.model = model
    self.entities = entities
    self.linkTables = linkTables
    plan = Result { try DerivationPlan(entities) }
    var byCode = [EntityDescription?](repeating: nil, count: (codes.values.max() ?? 0) + 1)
    var scopes = [IDScope?](repeating: nil, count: byCode.count)
    var byEntity: [ObjectIdentifier: Int] = [:]
    for entity in entities {
      guard let name = entity.name, let code = codes[name] else { continue }
      byCode[code] = entity
      scopes[code] = IDScope(entity: entity, store: identity)
      byEntity[ObjectIdentifier(entity)] = code
    }
    self.codes = byEntity
    entitiesByCode = byCode
    self.scopes = scopes
  }

  /// Returns the rules of the entities' derived attributes.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema` when one of them has an expression that cannot be kept up to date.
  ///   The coordinator checks it before the store is prepared.
  public func derivations() throws -> DerivationPlan {
    try plan.get()
  }

  /// Returns the canonical text of the model. A store with ``PersistentStore/evolution`` keeps it, and writes it in
  /// the same transaction as the metadata in ``PersistentStore/prepare(_:metadata:)``.
  ///
  /// - Throws: `limitExceeded` for a model of more than 16 MB of text.
  /// - Complexity: O(properties) per call.
  public func modelText() throws -> [UInt8] { try makeModelText() }

  /// Returns the code of an entity; nil when the store does not hold it.
  public func code(of entity: EntityDescription) -> Int? {
    codes[ObjectIdentifier(entity)]
  }

  /// Returns the concrete entity of a record; nil for a record of another store, whose number contains no entity
  /// code.
  public func entity(ofKey key: Int64) -> EntityDescription? {
    guard key >= 0 else { return nil }
    let code = RecordKey.entityCode(of: key)
    return code < entitiesByCode.count ? entitiesByCode[code] : nil
  }

  /// Returns the layout of a record's row.
  public func layout(ofKey key: Int64) -> RowLayout? {
    entity(ofKey: key)?.layout
  }

  /// Returns the ID of a record; nil when the key has no entity of the schema, or belongs to another store.
  public func objectID(forKey key: Int64) -> ObjectID? {
    let code = RecordKey.entityCode(of: key)
    guard key >= 0, code < scopes.count, let scope = scopes[code] else { return nil }
    return ObjectID(scope: scope, key: key)
  }
}
