// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The answers of other stores within one run of a request, so that each is asked only once for all stores that hold
/// the entity.
final class HopAnswers {
  private let isKept: Bool
  private var answers: [Place: [ObjectID]?] = [:]

  /// The position of a hop in the condition. A conjunct may be given up at any of its hops, possibly at a different
  /// one for each store, so hops are numbered per conjunct.
  struct Place: Hashable {
    var conjunct = 0
    var number = 0
  }

  /// - Parameter isKept: Whether all stores of the request ask the same hops, so that answers can be reused.
  init(isKept: Bool) {
    self.isKept = isKept
  }

  /// Returns the IDs that a hop leads to; nil when there are too many.
  ///
  /// - Parameter place: The position of the hop in the request.
  func ids(ofHop place: Place, _ ask: () throws -> [ObjectID]?) rethrows -> [ObjectID]? {
    if let known = answers[place] { return known }
    let ids = try ask()
    if isKept { answers.updateValue(ids, forKey: place) }
    return ids
  }
}
