// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension PreparedPart {
  /// Whether the part writes, locks or links one of some records.
  public func touches(_ keys: Set<Int64>) -> Bool {
    self.keys.contains(where: keys.contains)
  }

  /// The error of a write that stands in the way of the part, or of a request for what the part decides about.
  ///
  /// - Parameter store: The store that holds the part.
  public func inDoubt(in store: String) -> PersistenceError {
    PersistenceError(
      .saveInDoubt,
      "The store waits for the decision on a save over several stores, which \(ticket.decider.name) "
        + "(\(ticket.decider.identifier)) knows.", store: store)
  }
}
