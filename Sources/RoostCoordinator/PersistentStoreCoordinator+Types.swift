// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostStore

extension PersistentStoreCoordinator {
  /// The store types that are registered by name.
  public static var registeredStoreTypes: [String: PersistentStoreType] { StoreTypeRegistry.all }

  /// Registers a store type under its name, replacing any type with that name.
  ///
  /// - Parameter type: The type.
  public static func registerStoreType(_ type: PersistentStoreType) {
    StoreTypeRegistry.set(type, named: type.rawValue)
  }

  /// Registers a store type under a name, or removes the name.
  ///
  /// > Core Data: this is `registerStoreClass(_:type:)`; stores are opened by a type here, not by a class.
  ///
  /// - Parameters:
  ///   - type: The type; nil to remove the name.
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
