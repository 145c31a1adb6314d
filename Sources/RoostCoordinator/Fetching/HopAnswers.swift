// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What the other stores have answered in one run of a request, so that each is asked once for all stores that have the
/// entity.
final class HopAnswers {
  private let isKept: Bool
  private var answers: [Place: [ObjectID]?] = [:]

  /// Where a hop stands in the condition. A conjunct that has to be judged in memory is left at any of its hops, maybe
  /// at another one for each store: so the hops of each are counted by themselves.
  struct Place: Hashable {
    var conjunct = 0
    var number = 0
  }

  /// - Parameter isKept: Whether all stores of the request ask the same.
  init(isKept: Bool) {
    self.isKept = isKept
  }

  /// The IDs that a hop leads to; nil when there are too many.
  ///
  /// - Parameter place: Which hop of the request it is.
  func ids(ofHop place: Place, _ ask: () throws -> [ObjectID]?) rethrows -> [ObjectID]? {
    if let known = answers[place] { return known }
    let ids = try ask()
    if isKept { answers.updateValue(ids, forKey: place) }
    return ids
  }
}
