// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

extension KeyedAccess {
  /// Whether the key names a property of the object, or a composite's element, whose name contains a dot.
  func isOwnKey(_ key: String) -> Bool {
    owner.binding.keys.entry(for: key) != nil || owner.binding.property(named: key) != nil
      || owner.binding.layout.slot(named: key) != nil
  }

  /// The steps of a key path, which has the same limit as a predicate's.
  func steps(of keyPath: String) throws(PersistenceError) -> [String] {
    let limit = QueryLimits.maximumDepth
    let steps = keyPath.split(separator: ".", maxSplits: limit, omittingEmptySubsequences: false)
    guard steps.count <= limit else {
      throw PersistenceError(
        .limitExceeded, "A key path has more than \(limit) steps.", entityName: owner.entity.name)
    }
    return steps.map(String.init)
  }

  func value(along steps: ArraySlice<String>) throws -> Any? {
    let own = steps.joined(separator: ".")
    if steps.count == 1 || isOwnKey(own) { return try owner.value(forKey: own) }
    guard let first = steps.first, let relationship = owner.binding.relationship(named: first)
    else {
      throw unknownKey(own)
    }
    let rest = steps.dropFirst()
    guard relationship.isToMany else {
      return try owner.related.readDestination(relationship.ordinal)?.keyed.value(along: rest)
    }
    guard let word = rest.first, word.hasPrefix("@") else {
      return try owner.related.readLinks(relationship).members.map {
        try $0.keyed.value(along: rest) ?? NSNull()
      }
    }
    if word == "@count", rest.count == 1 {
      return try NSNumber(value: owner.related.readMemberCount(relationship))
    }
    guard let operation = CollectionOperator(rawValue: word), rest.count > 1 else {
      throw unknownKey(own)
    }
    let values = try owner.related.readLinks(relationship).members.compactMap {
      try $0.keyed.value(along: rest.dropFirst())
    }
    guard let result = operation.result(of: values) else {
      throw PersistenceError(
        .invalidValue, "\(word) cannot compute with such values.", entityName: owner.entity.name,
        key: own, objectIDs: [owner.identity])
    }
    return result is NSNull ? nil : result
  }
}
