// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
import RoostStore

extension PersistentStoreCoordinator {
  /// Makes a coordinator for a model, which is in use from now on. An invalid model stops the program.
  ///
  /// - Parameters:
  ///   - model: The model. Its classes are looked up in the module of the caller.
  ///   - fileID: The caller.
  public convenience init(managedObjectModel model: NSManagedObjectModel, fileID: String = #fileID)
  {
    ClassNames.find(in: model, from: fileID)
    do {
      try self.init(usable: model)
    } catch {
      preconditionFailure("\(error)")
    }
    ClassNames.note(model)
    post(NSPersistentStore.make)
  }

  /// Adds a store.
  ///
  /// - Parameters:
  ///   - storeType: `NSSQLiteStoreType`, `NSInMemoryStoreType` or the name of a registered type.
  ///   - configuration: The name of the configuration that the store holds; nil for all entities.
  ///   - storeURL: The file; nil for a store without a URL.
  ///   - options: Options by their keys, such as `NSReadOnlyPersistentStoreOption`.
  /// - Throws: `NSError`; the coordinator is unchanged then.
  @discardableResult
  public func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    let description = NSPersistentStoreDescription()
    description.type = storeType
    description.configuration = configuration
    description.url = storeURL
    return try asFoundation {
      let stages = NSPersistentStoreStagedMigrationManagerOptionKey
      description.setOption(options?[stages], forKey: stages)
      var store = try description.makeDescription()
      for (key, value) in try MetadataValue.options(
        options?.filter { $0.key != AnyHashable(stages) })
      {
        try store.setOption(value, forKey: key)
      }
      return NSPersistentStore.of(try store.add(to: self), in: self).keep(options)
    }
  }
}
