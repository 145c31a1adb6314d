// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects

// Typed results of batch requests.
extension BatchDeleteResult {
  /// The IDs of the records; nil unless they were requested.
  public var objectIDs: [ObjectID]? { result as? [ObjectID] }
  /// The number of records; nil when only the status was requested.
  public var count: Int? { result as? Int ?? objectIDs?.count }
}

extension BatchInsertResult {
  /// The IDs of the records; nil unless they were requested.
  public var objectIDs: [ObjectID]? { result as? [ObjectID] }
  /// The number of records; nil when only the status was requested.
  public var count: Int? { result as? Int ?? objectIDs?.count }
}

extension BatchUpdateResult {
  /// The IDs of the records; nil unless they were requested.
  public var objectIDs: [ObjectID]? { result as? [ObjectID] }
  /// The number of records; nil when only the status was requested.
  public var count: Int? { result as? Int ?? objectIDs?.count }
}
