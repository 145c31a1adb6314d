// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

/// Computes the values of one derived attribute for many records, with one read per step for all of them.
struct DerivationValues<Records: DerivationSource> {
  let rule: DerivationRule
  let records: Records
  let time: Date

  /// Returns the value of each record, in the given order.
  func values(of owners: [Row]) throws -> [Value] {
    switch rule.kind {
    case .now: return owners.map { _ in .date(time) }
    case .copy(let slot, let function):
      return try ends(of: owners, along: rule.path).map { row in
        let value = row?.value(at: slot) ?? .null
        return function.map { $0.apply([value]) } ?? value
      }
    case .count: return try members(of: owners).map { .integer(Int64($0.count)) }
    case .sum(let slot): return try sums(of: slot, owners)
    }
  }

  /// Returns the record at the end of a to-one path for each record.
  private func ends(of owners: [Row], along path: some Sequence<RelationshipDescription>) throws
    -> [Row?]
  {
    var current: [Row?] = owners
    for relationship in path {
      guard let slot = relationship.slot else { return owners.map { _ in nil } }
      let keys = current.map { $0?.reference(slot) }
      let found = try rows(Set(keys.compactMap { $0 }))
      current = keys.map { key in key.flatMap { found[$0] } }
    }
    return current
  }

  /// Returns the destinations of the to-many relationship at the end of the path.
  private func members(of owners: [Row]) throws -> [ArraySlice<Int64>] {
    guard let relationship = rule.path.last else { return owners.map { _ in [] } }
    let sources = try ends(of: owners, along: rule.path.dropLast()).map { $0?.key }
    let distinct = Array(Set(sources.compactMap { $0 })).sorted()
    guard !distinct.isEmpty else { return owners.map { _ in [] } }
    let found = try records.destinations(of: relationship, forSources: distinct)
    var bySource: [Int64: ArraySlice<Int64>] = [:]
    for (index, source) in distinct.enumerated() { bySource[source] = found[source: index] }
    return sources.map { source in source.flatMap { bySource[$0] } ?? [] }
  }

  private func sums(of slot: RowSlot, _ owners: [Row]) throws -> [Value] {
    let members = try members(of: owners)
    let found = try rows(Set(members.joined()))
    return try members.map { keys in
      var sum = Aggregate(.sum)
      for key in keys { sum.add(found[key]?.value(at: slot) ?? .null) }
      let value = try sum.result()
      // The sum of no values is the integer 0, whatever the type.
      return value.coerced(to: rule.attribute.type) ?? value
    }
  }

  private func rows(_ keys: Set<Int64>) throws -> [Int64: Row] {
    guard !keys.isEmpty else { return [:] }
    let rows = try records.rows(forKeys: keys.sorted())
    return Dictionary(rows.map { ($0.key, $0) }, uniquingKeysWith: { first, _ in first })
  }
}
