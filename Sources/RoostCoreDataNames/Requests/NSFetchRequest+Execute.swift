// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects
public import RoostQuery

extension FetchRequest where ResultType: ManagedObject {
  /// Returns the objects that match, from the context on whose queue this is called.
  ///
  /// - Throws: `NSError`, also outside of a context's `perform` or `performAndWait`.
  public func execute() throws -> [ResultType] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<NSManagedObjectID> {
  /// Returns the IDs of the objects that match, from the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [NSManagedObjectID] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<NSDictionary> {
  /// Returns dictionaries of the columns, from the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [NSDictionary] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<NSNumber> {
  /// Returns the number of objects that match, in an array of one, from the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [NSNumber] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest<any NSFetchRequestResult> {
  /// Returns results according to the request's `resultType`, from the context on whose queue this is called.
  ///
  /// - Throws: `NSError`.
  public func execute() throws -> [any NSFetchRequestResult] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}

extension FetchRequest {
  /// Returns results according to the request's `resultType`, from the context on whose queue this is called, for
  /// code that is generic over the results.
  ///
  /// - Throws: `NSError`.
  @_disfavoredOverload
  public func execute() throws -> [ResultType] {
    try asFoundation { try ManagedObjectContext.ofCurrentQueue() }.fetch(self)
  }
}
