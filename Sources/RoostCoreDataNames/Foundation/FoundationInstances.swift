// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation

/// Makes instances of Foundation's classes that have no callable initializer.
///
/// Outside of Apple's systems the initializers of `NSComparisonPredicate` and `NSExpression` are marked unavailable,
/// for subclasses too, and stop the program. So an instance of this module's subclass of one of them is first made as
/// an instance of another class of this module with the same stored properties, and its class is then changed: the
/// first word of an object points to its class metadata. Only objects that this module has just made are changed.
/// Foundation's own classes and objects are never written to.
///
/// Both classes must inherit the same stored properties for this. That is the case while Foundation's class adds none
/// to those of its superclass; it is checked each time, before anything is written, and the program stops otherwise.
enum FoundationInstances {
  /// Turns a new object into an instance of a class whose instances have the same stored properties.
  ///
  /// - Parameters:
  ///   - object: A uniquely referenced object. Its class declares the stored properties that `type` declares, in the
  ///     same order.
  ///   - type: A subclass of a class of Foundation whose superclass is the superclass of the object's class.
  @inline(never)
  static func turn<Result: AnyObject>(_ object: AnyObject, into type: Result.Type) -> Result {
    let seed: AnyClass = Swift.type(of: object)
    precondition(
      descriptionsAreReadable && haveSameLayout(seed, type),
      "\(type) cannot be made: Foundation's classes are not those of the toolchain this was written for."
    )
    let word = Unmanaged.passUnretained(object).toOpaque()
    word.storeBytes(of: unsafeBitCast(type as AnyClass, to: UInt.self), as: UInt.self)
    return unsafeDowncast(object, to: type)
  }

  /// Returns whether instances of both classes have the same stored properties, if both classes declare the same
  /// ones.
  static func haveSameLayout(_ seed: AnyClass, _ type: AnyClass) -> Bool {
    guard let base = superclass(of: seed), let foundation = superclass(of: type),
      superclass(of: foundation) == base
    else { return false }
    return size(of: foundation) == size(of: base) && size(of: type) == size(of: seed)
  }

  /// Whether the runtime's class metadata have the layout assumed below: they are checked for two known classes.
  private static let descriptionsAreReadable: Bool = {
    let header = UInt32(2 * MemoryLayout<UInt>.size)
    return superclass(of: LargerProbe.self) == Probe.self && size(of: Probe.self) == header + 8
      && size(of: LargerProbe.self) == header + 24
  }()

  // Class metadata contain, from the address point: the kind and the superclass (a word each), the flags, the address
  // point and the size of an instance (4 bytes each).

  /// Returns the superclass of a class.
  private static func superclass(of type: AnyClass) -> AnyClass? {
    let word = unsafeBitCast(type, to: UnsafeRawPointer.self)
      .load(fromByteOffset: MemoryLayout<UInt>.size, as: UInt.self)
    return word == 0 ? nil : unsafeBitCast(word, to: AnyClass.self)
  }

  /// Returns the size of an instance, in bytes.
  private static func size(of type: AnyClass) -> UInt32 {
    unsafeBitCast(type, to: UnsafeRawPointer.self)
      .load(fromByteOffset: 2 * MemoryLayout<UInt>.size + 8, as: UInt32.self)
  }
}

/// A class whose instances have a known size.
private class Probe {
  final var first: UInt64 = 0
}

/// A class with a known superclass.
private final class LargerProbe: Probe {
  final var second: (UInt64, UInt64) = (0, 0)
}
#endif
