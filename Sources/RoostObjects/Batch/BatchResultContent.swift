// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The records that a batch request affected, or only their number if no IDs were requested.
enum BatchAnswer {
  case records([ObjectID])
  case number(Int)

  /// The records; empty if no IDs were requested.
  var objectIDs: [ObjectID] {
    if case .records(let ids) = self { return ids }
    return []
  }
}

/// The content of a batch request's result, by its result type.
enum BatchResultContent {
  case status
  case objectIDs([ObjectID])
  case count(Int)

  /// Creates the content for a result type, with Core Data's numbers.
  init(_ answer: BatchAnswer, kind: UInt) {
    switch (kind, answer) {
    case (1, .records(let ids)): self = .objectIDs(ids)
    case (2, .records(let ids)): self = .count(ids.count)
    case (2, .number(let count)): self = .count(count)
    default: self = .status
    }
  }

  /// True, the IDs or their number, as in Core Data's results.
  var result: Any {
    switch self {
    case .status: true
    case .objectIDs(let ids): ids
    case .count(let count): count
    }
  }

  var objectIDs: [ObjectID]? {
    if case .objectIDs(let ids) = self { return ids }
    return nil
  }

  var count: Int? {
    switch self {
    case .status: nil
    case .objectIDs(let ids): ids.count
    case .count(let count): count
    }
  }
}
