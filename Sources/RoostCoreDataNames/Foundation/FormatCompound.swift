// SPDX-License-Identifier: Apache-2.0

#if !canImport(Darwin)
import Foundation
import RoostQuery

/// A compound predicate made from a format: it prints its parts and compares them, as on Apple's systems.
///
/// Elsewhere, Foundation's `NSCompoundPredicate` inherits `predicateFormat`, `description`, `isEqual(_:)` and `hash`
/// from a predicate that is always false, so all compounds are equal. A program that calls an initializer of
/// `NSCompoundPredicate` gets an instance of Foundation's class, whose methods this module cannot override and does
/// not replace.
final class FormatCompound: NSCompoundPredicate {
  override var predicateFormat: String {
    // A block predicate has no format, as on Apple's systems.
    (try? FetchConditions.condition(of: self))?.predicateFormat ?? "BLOCKPREDICATE"
  }

  override var description: String { predicateFormat }

  override func copy(with zone: NSZone? = nil) -> Any { self }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? NSCompoundPredicate else { return false }
    return FetchConditions.areEqual(self, other)
  }

  override var hash: Int { (try? FetchConditions.condition(of: self))?.hashValue ?? 0 }
}

extension FetchConditions {
  /// Returns whether two predicates are the same object or the same condition, regardless of their classes.
  static func areEqual(_ left: NSPredicate, _ right: NSPredicate) -> Bool {
    if left === right { return true }
    switch (left, right) {
    case (let left as NSCompoundPredicate, let right as NSCompoundPredicate):
      return left.compoundPredicateType == right.compoundPredicateType
        && left.subpredicates.elementsEqual(right.subpredicates, by: areEqual)
    case (is FormatComparison, is FormatComparison): return left.isEqual(right)
    case (is NSCompoundPredicate, _), (_, is NSCompoundPredicate), (is FormatComparison, _),
      (_, is FormatComparison):
      return false
    // Constants and blocks.
    default: return left.isEqual(right)
    }
  }
}

/// Returns whether two predicates are the same condition. Unlike `isEqual(_:)` it compares the parts of every
/// compound.
public func == (left: NSPredicate, right: NSPredicate) -> Bool {
  FetchConditions.areEqual(left, right)
}

/// Returns whether two predicates are different conditions.
public func != (left: NSPredicate, right: NSPredicate) -> Bool { !(left == right) }

/// Returns whether two predicates are the same condition, or both nil.
public func == (left: NSPredicate?, right: NSPredicate?) -> Bool {
  guard let left, let right else { return left === right }
  return FetchConditions.areEqual(left, right)
}

/// Returns whether two predicates are different conditions, or only one of them is nil.
public func != (left: NSPredicate?, right: NSPredicate?) -> Bool { !(left == right) }
#endif
