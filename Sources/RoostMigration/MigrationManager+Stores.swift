// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
public import RoostStore

extension MigrationManager {
  /// Makes a store of the destination model out of one of the source model.
  ///
  /// The destination is made if it is missing; one of the destination model that is there gets the new objects besides
  /// its own, all or none. Where one entity becomes one other in a destination that is made, objects keep the numbers
  /// of their IDs. No class of the program is used: all objects are plain `ManagedObject`s.
  ///
  /// - Parameters:
  ///   - sourceURL: The store that is read, of any type.
  ///   - sourceType: Its type.
  ///   - sourceOptions: Its options.
  ///   - mapping: What becomes of what.
  ///   - destinationURL: The store that is written.
  ///   - destinationType: Its type, which may be another one.
  ///   - destinationOptions: Its options.
  /// - Throws: ``PersistenceError`` with code `migrationMissingMappingModel` when the mapping model is of other
  ///   versions of the models, `entityMigrationPolicy` when a policy throws, or an expression calls a function that is
  ///   not there, `unknownKey` or `invalidPredicate` for another expression that cannot be evaluated,
  ///   `migrationManagerSourceStore` and `migrationManagerDestinationStore` when a store cannot be opened, validation
  ///   errors, `migrationConstraintViolation`, or the error of ``cancelMigrationWithError(_:)``. The source is never
  ///   changed.
  /// - Complexity: Each object is read twice and written at most twice, 512 at a time; memory for these, for the keys
  ///   of one entity and for 16 bytes an object. A destination that was there already is written in one transaction,
  ///   whose objects are all in memory.
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

  /// Makes a store of the destination model out of one of the source model; both are described.
  ///
  /// ```swift
  /// try manager.migrateStore(.sqlite(at: url), mapping: mapping, to: .postgresql(uri, schema: "hr"))
  /// ```
  /// - Parameters:
  ///   - source: The store that is read.
  ///   - mapping: What becomes of what. Mappings of entities that are in other configurations are passed over.
  ///   - destination: The store that is written.
  /// - Throws: What ``migrateStore(from:type:options:mapping:to:type:options:)`` throws.
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

  /// Carries a request out.
  ///
  /// - Returns: What told whether others wrote the source; nil where nobody can tell.
  @discardableResult
  final func carryOut(_ request: MigrationRequest) throws -> String? {
    beginAnew()
    defer { reset() }
    try checkCancellation()
    let run = try MigrationRun(request, manager: self)
    self.run = run
    var isComplete = false
    defer { run.stores.close(isComplete: isComplete) }
    try request.inspect(StoreCensus(run.stores.source))
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
