// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// Makes instances of classes of Foundation that have no initializer which could be called.
///
/// Off Apple's systems the initializers of `NSComparisonPredicate` and `NSExpression` are marked unavailable, for
/// subclasses too, and end the program. So an instance of a subclass begins as an instance of another class that has
/// the same stored properties in the same order, and then becomes one of the subclass: the first word of an object
/// names its class.
enum FoundationInstances {
  /// Makes an object an instance of a class whose instances have the same stored properties.
  @inline(never)
  static func turn<Result: AnyObject>(_ object: AnyObject, into type: Result.Type) -> Result {
    precondition(
      size(of: Swift.type(of: object)) == size(of: type),
      "Foundation's classes are not those of the toolchain that this was written for.")
    let word = Unmanaged.passUnretained(object).toOpaque()
    word.storeBytes(of: unsafeBitCast(type as AnyClass, to: UInt.self), as: UInt.self)
    return unsafeDowncast(object, to: type)
  }

  /// The bytes of an instance, as the class says it.
  private static func size(of type: AnyClass) -> UInt32 {
    // After the kind, the superclass, the flags and the address point.
    unsafeBitCast(type, to: UnsafeRawPointer.self).load(fromByteOffset: 24, as: UInt32.self)
  }
}

/// Lets Foundation's compound predicates print and compare themselves as on Apple's systems.
///
/// Off these, `NSCompoundPredicate` inherits `predicateFormat`, `description`, `isEqual(_:)` and `hash` of a predicate
/// that is a truth value, so that all compounds are equal. Programs make instances of the very class, and no extension
/// overrides a method. So the four entries of the class's table of methods become those of a subclass that adds nothing
/// else. It is done once, before the first predicate of this module is made.
enum CompoundMethods {
  static let areSet: Bool = {
    let whole = words(of: PrintedCompoundPredicate.self)
    let plain = words(of: PlainCompoundPredicate.self)
    let own = words(of: NSCompoundPredicate.self)
    let above = words(of: NSPredicate.self)
    let count = min(wordCount(of: NSPredicate.self), wordCount(of: NSCompoundPredicate.self))
    // What the subclass overrides, and Foundation's class inherits.
    let overridden = (0..<count).filter { whole[$0] != plain[$0] && own[$0] == above[$0] }
    guard overridden.count == 4 else { return false }
    for index in overridden { own[index] = whole[index] }
    return true
  }()

  private static func words(of type: AnyClass) -> UnsafeMutablePointer<UInt> {
    unsafeBitCast(type, to: UnsafeMutablePointer<UInt>.self)
  }

  /// How many words the description of a class has from where it is pointed to.
  private static func wordCount(of type: AnyClass) -> Int {
    let base = unsafeBitCast(type, to: UnsafeRawPointer.self)
    let size = base.load(fromByteOffset: 32, as: UInt32.self)
    let addressPoint = base.load(fromByteOffset: 36, as: UInt32.self)
    return Int(size - addressPoint) / MemoryLayout<UInt>.size
  }
}

/// Overrides nothing: what ``PrintedCompoundPredicate`` is compared with.
private class PlainCompoundPredicate: NSCompoundPredicate {}

/// Prints and compares its parts. It has no stored properties: its methods run for instances of its superclass.
private class PrintedCompoundPredicate: NSCompoundPredicate {
  override var predicateFormat: String {
    // A part that is a block has no format, as on Apple's systems.
    (try? FetchConditions.condition(of: self))?.predicateFormat ?? "BLOCKPREDICATE"
  }

  override var description: String { predicateFormat }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSPredicate else { return false }
    if other === self { return true }
    guard let other = other as? NSCompoundPredicate,
      other.compoundPredicateType == compoundPredicateType
    else { return false }
    return other.subpredicates.elementsEqual(subpredicates) { $0.isEqual($1) }
  }

  override var hash: Int {
    var hasher = Hasher()
    hasher.combine(compoundPredicateType)
    for predicate in subpredicates { hasher.combine(predicate.hash) }
    return hasher.finalize()
  }
}
#endif
