// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
public import RoostStore

extension MigrationManager {
  /// Makes a store of the destination model from a store of the source model.
  ///
  /// The destination is created if it is missing; an existing one of the destination model gets the new objects in
  /// addition to its own, all or none. Where one entity becomes one other in a new destination, objects keep the keys
  /// of their IDs. No class of the program is used: all objects are plain `ManagedObject`s.
  ///
  /// - Parameters:
  ///   - sourceURL: The store that is read, of any type.
  ///   - sourceType: Its type.
  ///   - sourceOptions: Its options.
  ///   - mapping: The mapping model.
  ///   - destinationURL: The store that is written.
  ///   - destinationType: Its type, which may differ from the source's.
  ///   - destinationOptions: Its options.
  /// - Throws: ``PersistenceError`` with code `migrationMissingMappingModel` when the mapping model is for other
  ///   versions of the models, `entityMigrationPolicy` when a policy throws, or an expression calls an unknown
  ///   function, `unknownKey` or `invalidPredicate` for another expression that cannot be evaluated,
  ///   `migrationManagerSourceStore` and `migrationManagerDestinationStore` when a store cannot be opened, validation
  ///   errors, `migrationConstraintViolation`, or the error of ``cancelMigrationWithError(_:)``. The source is never
  ///   changed.
  /// - Complexity: Each object is read twice and written at most twice, 512 at a time; memory for these, for the keys
  ///   of one entity and for 16 bytes an object. An existing destination is written in one transaction, whose objects
  ///   are all in memory.
  @_disfavoredOverload
  public final func migrateStore(
    from sourceURL: URL, type sourceType: PersistentStoreType,
    options sourceOptions: [String: MetadataValue] = [:], mapping: MappingModel,
    to destinationURL: URL, type destinationType: PersistentStoreType,
    options destinationOptions: [String: MetadataValue] = [:]
  ) throws {
    try migrateStore(
      Self.description(sourceURL, sourceType, sourceOptions), mapping: mapping,
      to: Self.description(destinationURL, destinationType, destinationOptions))
  }

  /// Makes a store of the destination model from a store of the source model; both are given by descriptions.
  ///
  /// ```swift
  /// try manager.migrateStore(.sqlite(at: url), mapping: mapping, to: .postgresql(uri, schema: "hr"))
  /// ```
  /// - Parameters:
  ///   - source: The store that is read.
  ///   - mapping: The mapping model. Mappings of entities in other configurations are ignored.
  ///   - destination: The store that is written.
  /// - Throws: The errors of ``migrateStore(from:type:options:mapping:to:type:options:)``.
  public final func migrateStore(
    _ source: PersistentStoreDescription, mapping: MappingModel,
    to destination: PersistentStoreDescription
  ) throws {
    let request = MigrationRequest(
      source: source, destination: destination, sourceModel: sourceModel,
      destinationModel: destinationModel, mapping: mapping)
    if usesStoreSpecificMigrationManager, mapping.isInferred {
      let copy = FollowingCopy(request: request, manager: self)
      if try copy.isPossible() {
        beginAnew()
        defer { reset() }
        return try copy.run()
      }
    }
    try carryOut(request)
  }

  /// Performs a request.
  ///
  /// - Returns: The change mark of the source from before it was read; nil where the store has none.
  @discardableResult
  final func carryOut(_ request: MigrationRequest) throws -> String? {
    beginAnew()
    defer { reset() }
    try checkCancellation()
    let run = try MigrationRun(request, manager: self)
    self.run = run
    var isComplete = false
    defer { run.stores.close(isComplete: isComplete) }
    let census = StoreCensus(run.stores.source)
    try MappingLosses(
      mapping: request.mapping, source: run.stores.source.store.schema.entities,
      destination: request.destinationModel
    ).refuseAbstract(census)
    try request.inspect(census)
    // Policies may use either context as its queue's owner, or call its methods for work on the queue.
    try run.stores.destinationContext.performAndWait {
      try run.stores.sourceContext.performAndWait { try run.perform() }
    }
    isComplete = true
    return run.stores.firstMark
  }

  private static func description(
    _ url: URL, _ type: PersistentStoreType, _ options: [String: MetadataValue]
  ) throws -> PersistentStoreDescription {
    var description = PersistentStoreDescription(type: type, url: url)
    for (name, value) in options { try description.setOption(value, forKey: name) }
    try description.checkOptions()
    return description
  }
}
