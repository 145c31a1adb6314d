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

  /// Whether the object is an instance of a class or of a subclass of it.
  public func isKind(of aClass: AnyClass) -> Bool {
    var own: AnyClass? = type(of: self)
    while let current = own, current != aClass { own = _getSuperclass(current) }
    return own != nil
  }

  /// Whether the object is an instance of a class, and of no subclass of it.
  public func isMember(of aClass: AnyClass) -> Bool { type(of: self) == aClass }
}

extension ManagedObject: NSObjectIdentity {}

extension ManagedObjectContext: NSObjectIdentity {}
extension ManagedObjectModel: NSObjectIdentity {}
extension PersistentStoreCoordinator: NSObjectIdentity {}
extension MergePolicy: NSObjectIdentity {}
extension FetchRequest: NSObjectIdentity {}
extension NSPersistentContainer: NSObjectIdentity {}
extension NSPersistentStoreDescription: NSObjectIdentity {}

extension ManagedObjectContext: CustomStringConvertible {
  /// The class and the name, or the address.
  public var description: String {
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "<NSManagedObjectContext: \(name ?? "0x\(address)")>"
  }
}
