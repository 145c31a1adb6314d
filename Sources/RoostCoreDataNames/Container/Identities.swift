// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostCoordinator
public import RoostModel
public import RoostObjects
public import RoostQuery

// The basics that every object of Core Data inherits from `NSObject`: identity equality and printing. Programs
// compare contexts, put them into sets, and print them.

#if canImport(Darwin)
/// A class whose instances are compared by identity.
public protocol NSObjectIdentity:
  AnyObject, Hashable, CustomStringConvertible, CustomDebugStringConvertible
{}
#else
/// A class whose instances are compared by identity. It inherits Foundation's `NSObjectProtocol`, so that managed
/// object classes can conform to program protocols that inherit it.
public protocol NSObjectIdentity:
  NSObjectProtocol, Hashable, CustomStringConvertible, CustomDebugStringConvertible
{}
#endif

extension NSObjectIdentity {
  /// Returns whether two variables hold the same object.
  public static func == (left: Self, right: Self) -> Bool { left === right }

  /// Hashes the object's identity.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(ObjectIdentifier(self))
  }

  /// The hash of the object's identity.
  public var hash: Int { ObjectIdentifier(self).hashValue }

  /// Returns whether a value is this object.
  public func isEqual(_ object: Any?) -> Bool { object as AnyObject? === self }

  /// Returns whether the object is an instance of a class or of one of its subclasses.
  public func isKind(of aClass: AnyClass) -> Bool {
    var own: AnyClass? = type(of: self)
    while let current = own, current != aClass { own = _getSuperclass(current) }
    return own != nil
  }

  /// Returns whether the object is an instance of exactly a class.
  public func isMember(of aClass: AnyClass) -> Bool { type(of: self) == aClass }

  /// Returns the object.
  public func `self`() -> Self { self }

  /// Returns whether the object is a proxy: always false.
  public func isProxy() -> Bool { false }

  /// The class and the address.
  public var description: String { "<\(classAndAddress)>" }

  /// The same as ``description``.
  public var debugDescription: String { description }

  /// The name of the class, with Core Data's prefix if it is one of Roost's, and the address.
  var classAndAddress: String {
    let reflected = String(reflecting: type(of: self))
    let name = String(describing: type(of: self))
    let prefix = reflected.hasPrefix("Roost") && !name.hasPrefix("NS") ? "NS" : ""
    let address = String(UInt(bitPattern: ObjectIdentifier(self)), radix: 16)
    return "\(prefix)\(name): 0x\(address)"
  }
}

extension ManagedObject: NSObjectIdentity {}

extension ManagedObjectContext: NSObjectIdentity {}
extension ManagedObjectModel: NSObjectIdentity {}
extension PersistentStoreCoordinator: NSObjectIdentity {}
extension MergePolicy: NSObjectIdentity {}
extension FetchRequest: NSObjectIdentity {}
extension NSPersistentContainer: NSObjectIdentity {}
extension NSPersistentStoreDescription: NSObjectIdentity {}
extension EntityDescription: NSObjectIdentity {}
extension PropertyDescription: NSObjectIdentity {}

extension ManagedObjectContext {
  /// The class and the name, or the address.
  public var description: String {
    name.map { "<NSManagedObjectContext: \($0)>" } ?? "<\(classAndAddress)>"
  }
}

extension EntityDescription {
  /// The class, the address, the name and the class of the objects.
  public var description: String {
    "(<\(classAndAddress)>) name \(name ?? "nil"), managedObjectClassName "
      + "\(managedObjectClassName ?? "nil"), isAbstract \(isAbstract)"
  }
}

extension PropertyDescription {
  /// The class, the address, the name and the entity.
  public var description: String {
    "(<\(classAndAddress)>) name \(name), isOptional \(isOptional), isTransient \(isTransient), "
      + "entity \(ownEntity?.name ?? "nil")"
  }
}
