// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// The store types that can be named by a string.
  public static var registeredStoreTypes: [String: PersistentStoreType] { StoreTypeRegistry.all }

  /// Makes a store type known by its name, instead of one that had the name.
  ///
  /// - Parameter type: The type.
  public static func registerStoreType(_ type: PersistentStoreType) {
    StoreTypeRegistry.set(type, named: type.rawValue)
  }

  /// Makes a store type known by a name, or a name unknown.
  ///
  /// > Core Data: this is `registerStoreClass(_:type:)`; what opens a store is a type here, not a class.
  ///
  /// - Parameters:
  ///   - type: The type; nil to forget the name.
  ///   - name: The name.
  public static func registerStoreType(_ type: PersistentStoreType?, forStoreType name: String) {
    StoreTypeRegistry.set(type, named: name)
  }

  /// Returns the store type with a name.
  ///
  /// - Parameter name: The name.
  /// - Throws: ``PersistenceError`` with code `persistentStoreInvalidType` when there is none.
  public static func registeredStoreType(named name: String) throws -> PersistentStoreType {
    try StoreTypeRegistry.type(named: name)
  }
}
