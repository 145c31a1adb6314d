// SPDX-License-Identifier: Apache-2.0

public import RoostQuery

/// What can be asked of stores: what fetches, saves and batch requests have in common.
///
/// ```swift
/// func log(_ request: some PersistentStoreRequest) { print(request.requestType) }
/// ```
public protocol PersistentStoreRequest {
  /// The kind of the request.
  var requestType: PersistentStoreRequestType { get }
  /// The UUIDs of the stores that are asked; nil for all that it concerns.
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
  /// An insertion of many records past the contexts.
  case batchInsertRequestType = 5
  /// A change of many records past the contexts.
  case batchUpdateRequestType = 6
  /// A removal of many records past the contexts.
  case batchDeleteRequestType = 7
  /// A question about the history of the stores, or the removal of a part of it.
  case persistentHistoryChangeRequestType = 8
}

extension FetchRequest: PersistentStoreRequest {
  /// ``PersistentStoreRequestType/fetchRequestType``.
  public var requestType: PersistentStoreRequestType { .fetchRequestType }
}
