// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects
public import RoostQuery

extension FetchRequest where ResultType: ManagedObject {
  /// Returns the objects that match, of the context on whose queue this is called.
  ///
  /// - Throws: `NSError`, outside of a context's `perform` or `performAndWait` too.
  public func execute() throws -> [ResultType] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<NSManagedObjectID> {
  /// Returns the IDs of the objects that match, of the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [NSManagedObjectID] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<NSDictionary> {
  /// Returns dictionaries of the columns, of the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [NSDictionary] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<NSNumber> {
  /// Returns the number of objects that match, in an array of one, of the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [NSNumber] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<any NSFetchRequestResult> {
  /// Returns what the request's `resultType` says, of the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [any NSFetchRequestResult] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest {
  /// Returns what the request's `resultType` says, of the context on whose queue this is called: for code that is
  /// generic over the results.
  ///
  /// - Throws: `NSError`.
  @_disfavoredOverload
  public func execute() throws -> [ResultType] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}
