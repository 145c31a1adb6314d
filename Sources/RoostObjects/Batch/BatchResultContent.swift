// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What the results of batch requests are made of: the records, of which a result tells as much as was asked for.
enum BatchResultContent {
  case status
  case objectIDs([ObjectID])
  case count(Int)

  /// The kind of content, with Core Data's numbers.
  init(_ ids: [ObjectID], kind: UInt) {
    switch kind {
    case 1: self = .objectIDs(ids)
    case 2: self = .count(ids.count)
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
