// SPDX-License-Identifier: Apache-2.0

public import RoostQuery

/// A request to stores: the common interface of fetches, saves and batch requests.
///
/// ```swift
/// func log(_ request: some PersistentStoreRequest) { print(request.requestType) }
/// ```
public protocol PersistentStoreRequest {
  /// The kind of the request.
  var requestType: PersistentStoreRequestType { get }
  /// The UUIDs of the stores that the request is sent to; nil for all that it concerns.
  var affectedStoreIdentifiers: [String]? { get }
}

/// The kind of a request, with Core Data's numbers.
///
/// ```swift
/// if request.requestType == .saveRequestType { count += 1 }
/// ```
public enum PersistentStoreRequestType: UInt, Sendable, Hashable, CaseIterable {
  /// A fetch.
  case fetchRequestType = 1
  /// A save.
  case saveRequestType = 2
  /// An insertion of many records that bypasses the contexts.
  case batchInsertRequestType = 5
  /// An update of many records that bypasses the contexts.
  case batchUpdateRequestType = 6
  /// A deletion of many records that bypasses the contexts.
  case batchDeleteRequestType = 7
  /// A fetch from the history of the stores, or a deletion from it.
  case persistentHistoryChangeRequestType = 8
}

extension FetchRequest: PersistentStoreRequest {
  /// ``PersistentStoreRequestType/fetchRequestType``.
  public var requestType: PersistentStoreRequestType { .fetchRequestType }
}
