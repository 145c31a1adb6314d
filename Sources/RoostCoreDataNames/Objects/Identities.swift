// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery

// What every object of Core Data is by birth: equal to itself alone, and printable. Programs compare contexts, put them
// into sets, and print them.

/// A class whose instances are equal when they are the same one.
public protocol NSObjectIdentity: AnyObject, Hashable {}

extension NSObjectIdentity {
  /// Whether two variables hold the same object.
  public static func == (left: Self, right: Self) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// The hash of the object's identity.
  public var hash: Int { ObjectIdentifier(self).hashValue }

  /// Whether something is this object.
  public func isEqual(_ object: Any?) -> Bool { object as AnyObject? === self }
}

extension ManagedObjectContext: NSObjectIdentity {}
extension ManagedObjectModel: NSObjectIdentity {}
extension PersistentStoreCoordinator: NSObjectIdentity {}
extension MergePolicy: NSObjectIdentity {}
extension FetchRequest: NSObjectIdentity {}
extension NSPersistentContainer: NSObjectIdentity {}
extension NSPersistentStoreDescription: NSObjectIdentity {}

// Sendable: Core Data's promise, which the program keeps by `perform`. Who imports the names without prefix has the
// compiler's proof instead.
extension ManagedObjectContext: @unchecked Sendable {}

extension ManagedObjectContext: CustomStringConvertible {
  /// The class and the name, or the address.
  public var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<NSManagedObjectContext: \(name ?? "0x\(address)")>"
  }
}
