// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// Converts Foundation's predicates and expressions to the conditions of requests, and back.
enum FetchConditions {
  /// Returns the condition for a predicate.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` for a block, which no store can evaluate.
  static func condition(of predicate: NSPredicate) throws -> FetchPredicate {
    #if canImport(Darwin)
    return try FetchPredicate(format: predicate.predicateFormat, argumentArray: [])
    #else
    if let compound = predicate as? NSCompoundPredicate {
      let parts = try compound.subpredicates.map(condition(of:))
      switch compound.compoundPredicateType {
      case .and: return parts.isEmpty ? .constant(true) : .and(parts)
      case .or: return parts.isEmpty ? .constant(false) : .or(parts)
      case .not: return .not(parts.first ?? .constant(true))
      @unknown default: throw PersistenceError(.invalidPredicate, "an unknown compound")
      }
    }
    if let known = predicate as? FormatComparison { return .comparison(known.comparison) }
    if predicate.isEqual(NSPredicate(value: true)) { return .constant(true) }
    if predicate.isEqual(NSPredicate(value: false)) { return .constant(false) }
    throw PersistenceError(.invalidPredicate, "a predicate of a block cannot be given to a store")
    #endif
  }

  /// Returns the condition as a predicate of Foundation.
  static func predicate(of condition: FetchPredicate) -> NSPredicate {
    #if canImport(Darwin)
    return NSPredicate(format: condition.predicateFormat, argumentArray: nil)
    #else
    switch condition {
    case .constant(let truth): return NSPredicate(value: truth)
    case .comparison(let comparison): return FormatComparison.make(comparison)
    case .and(let parts):
      return FormatCompound(type: .and, subpredicates: parts.map { predicate(of: $0) })
    case .or(let parts):
      return FormatCompound(type: .or, subpredicates: parts.map { predicate(of: $0) })
    case .not(let part):
      return FormatCompound(type: .not, subpredicates: [predicate(of: part)])
    }
    #endif
  }
}
