// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostMigration
import RoostModel
import RoostStore

extension MigrationManager {
  /// Migrates a store of the source model to a store of the destination model.
  ///
  /// - Parameters:
  ///   - sourceURL: The source store.
  ///   - sStoreType: Its type, such as `NSSQLiteStoreType`.
  ///   - sOptions: Its options.
  ///   - mappings: The mapping model.
  ///   - dURL: The destination store, which is created, or to which the objects are added.
  ///   - dStoreType: Its type.
  ///   - dOptions: Its options.
  /// - Throws: `NSError`; the source is never changed.
  public func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    try asFoundation {
      guard let mappings else {
        throw PersistenceError(
          .migrationMissingMappingModel,
          "A migration from one place to another needs a mapping model.")
      }
      let source = try NSPersistentStoreDescription.making(sourceURL, sStoreType, sOptions)
      let destination = try NSPersistentStoreDescription.making(dURL, dStoreType, dOptions)
      try migrateStore(source, mapping: mappings, to: destination)
    }
  }

  /// Migrates a store of the source model to a store of the destination model.
  ///
  /// - Throws: `NSError`; the source is never changed.
  public func migrateStore(
    from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
    options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel,
    to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
    options destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrateStore(
      from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
      toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
      destinationOptions: destinationOptions)
  }
}

extension NSPersistentStoreDescription {
  fileprivate static func making(
    _ url: URL, _ type: String, _ options: [AnyHashable: Any]?
  ) throws -> PersistentStoreDescription {
    let description = NSPersistentStoreDescription(url: url)
    description.type = type
    var result = try description.makeDescription()
    for (key, value) in try MetadataValue.options(options) {
      try result.setOption(value, forKey: key)
    }
    return result
  }
}
