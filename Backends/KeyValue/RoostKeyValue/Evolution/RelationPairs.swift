// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A pair of related records, with the position of each among the other's relatives.
struct RelationPair {
  var first: Int64
  var second: Int64
  /// The position of the second record among those of the first; nil when it has none.
  var secondPosition: Int64?
  /// The position of the first record among those of the second.
  var firstPosition: Int64?

  var reversed: RelationPair {
    RelationPair(
      first: second, second: first, secondPosition: firstPosition, firstPosition: secondPosition)
  }
}

/// The distance of two positions, and the first of them, as objects that are saved get them.
enum PositionSpacing {
  static let spacing: Int64 = 1024
  static let first: Int64 = 2048
}

extension [RelationPair] {
  /// Gives the seconds of each first new positions, in the order of their keys.
  mutating func placeSeconds() {
    sort { ($0.first, $0.second) < ($1.first, $1.second) }
    numberSeconds()
  }

  /// Gives the firsts of each second new positions, in the order of their keys.
  mutating func placeFirsts() {
    for index in indices { self[index] = self[index].reversed }
    placeSeconds()
    for index in indices { self[index] = self[index].reversed }
  }

  /// Merges the pairs that several moves bring to one place: each pair occurs once. Where the place is ordered, they
  /// are sorted by their earlier positions, then by key; pairs without a position come last.
  mutating func merge(in place: RelationMove.Place) {
    func rank(_ position: Int64?) -> Int64 { position ?? .max }
    sort {
      ($0.first, $0.second, rank($0.secondPosition), rank($0.firstPosition))
        < ($1.first, $1.second, rank($1.secondPosition), rank($1.firstPosition))
    }
    var kept: [RelationPair] = []
    kept.reserveCapacity(count)
    for pair in self {
      if let last = kept.last, last.first == pair.first, last.second == pair.second { continue }
      kept.append(pair)
    }
    if place.ordersSeconds {
      kept.sort {
        ($0.first, rank($0.secondPosition), $0.second)
          < ($1.first, rank($1.secondPosition), $1.second)
      }
      kept.numberSeconds()
    }
    if place.ordersFirsts {
      for index in kept.indices { kept[index] = kept[index].reversed }
      kept.sort {
        ($0.first, rank($0.secondPosition), $0.second)
          < ($1.first, rank($1.secondPosition), $1.second)
      }
      kept.numberSeconds()
      for index in kept.indices { kept[index] = kept[index].reversed }
    }
    self = kept
  }

  /// Renumbers the second records of each first one, in their present order.
  private mutating func numberSeconds() {
    var rank: Int64 = 0
    for index in indices {
      rank = index > 0 && self[index - 1].first == self[index].first ? rank + 1 : 0
      self[index].secondPosition = PositionSpacing.first + rank * PositionSpacing.spacing
    }
  }

  /// Leaves one of pairs with the same records.
  mutating func removeDuplicates() {
    sort { ($0.first, $0.second) < ($1.first, $1.second) }
    var kept = 0
    for index in indices {
      if kept > 0, self[kept - 1].first == self[index].first,
        self[kept - 1].second == self[index].second
      {
        continue
      }
      self[kept] = self[index]
      kept += 1
    }
    removeLast(count - kept)
  }
}

extension RelationMove {
  /// Whether the order of the seconds is new.
  private var placesSeconds: Bool {
    !isShared && to.ordersSeconds && !(isReversed ? from.ordersFirsts : from.ordersSeconds)
  }

  /// Whether the order of the firsts is new.
  private var placesFirsts: Bool {
    !isShared && to.ordersFirsts && !(isReversed ? from.ordersSeconds : from.ordersFirsts)
  }

  /// Whether each pair has to be there in both directions from now on.
  private var mirrors: Bool {
    guard case .links(let new) = to, new.isSymmetric else { return false }
    if case .links(let old) = from { return !old.isSymmetric }
    return true
  }

  /// The link tables that are only renamed or read in the other direction; nil when their entries have to be
  /// rewritten.
  var renamedTables: (from: LinkTable, to: LinkTable)? {
    guard !isShared, case .links(let old) = from, case .links(let new) = to, !placesSeconds,
      !placesFirsts,
      old.isSymmetric == new.isSymmetric, !isReversed || !(to.ordersSeconds || to.ordersFirsts)
    else { return nil }
    return (old, new)
  }

  /// Returns the pairs of the destination, made from those of the source.
  func result(of pairs: [RelationPair]) -> [RelationPair] {
    var result = isReversed ? pairs.map(\.reversed) : pairs
    if mirrors {
      result += result.map(\.reversed)
      result.removeDuplicates()
    }
    guard !isShared else { return result }
    if placesSeconds || mirrors && to.ordersSeconds { result.placeSeconds() }
    if placesFirsts || mirrors && to.ordersFirsts { result.placeFirsts() }
    return result
  }

  /// The name in migration plans: the relationship that has the new place.
  var title: String {
    switch to {
    case .slot(let relationship): "\(relationship.entity?.name ?? "").\(relationship.name)"
    case .links(let table): table.name
    }
  }
}

extension RelationMove.Place {
  /// Returns the entity codes of the first and of the second records of pairs.
  func codes(in schema: StoreSchema) -> (firsts: Set<Int>, seconds: Set<Int>) {
    let relationship: RelationshipDescription
    switch self {
    case .slot(let toOne): relationship = toOne
    case .links(let table): relationship = table.relationship
    }
    return (
      schema.codes(below: relationship.entity),
      schema.codes(below: relationship.destinationEntity)
    )
  }
}
