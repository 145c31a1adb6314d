// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What a batch request did: to which records, or to how many where nobody wants to know which.
enum BatchAnswer {
  case records([ObjectID])
  case number(Int)

  /// The records; none where nobody wants to know.
  var objectIDs: [ObjectID] {
    if case .records(let ids) = self { return ids }
    return []
  }
}

/// What the results of batch requests are made of: the records, of which a result tells as much as was asked for.
enum BatchResultContent {
  case status
  case objectIDs([ObjectID])
  case count(Int)

  /// The kind of content, with Core Data's numbers.
  init(_ answer: BatchAnswer, kind: UInt) {
    switch (kind, answer) {
    case (1, .records(let ids)): self = .objectIDs(ids)
    case (2, .records(let ids)): self = .count(ids.count)
    case (2, .number(let count)): self = .count(count)
    default: self = .status
    }
  }

  /// True, the IDs or their number, as Core Data's results have it.
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
