// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects

// What the results of batch requests tell, typed.
extension BatchDeleteResult {
  /// The IDs of the records; nil unless they were asked for.
  public var objectIDs: [ObjectID]? { result as? [ObjectID] }
  /// The number of records; nil when only the status was asked for.
  public var count: Int? { result as? Int ?? objectIDs?.count }
}

extension BatchInsertResult {
  /// The IDs of the records; nil unless they were asked for.
  public var objectIDs: [ObjectID]? { result as? [ObjectID] }
  /// The number of records; nil when only the status was asked for.
  public var count: Int? { result as? Int ?? objectIDs?.count }
}

extension BatchUpdateResult {
  /// The IDs of the records; nil unless they were asked for.
  public var objectIDs: [ObjectID]? { result as? [ObjectID] }
  /// The number of records; nil when only the status was asked for.
  public var count: Int? { result as? Int ?? objectIDs?.count }
}
