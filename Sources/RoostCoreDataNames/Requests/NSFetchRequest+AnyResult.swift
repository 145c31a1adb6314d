// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
public import RoostObjects
public import RoostQuery

extension ManagedObjectContext {
  /// Returns results according to a request's `resultType`: objects, IDs, dictionaries, or an array of the count.
  ///
  /// - Throws: `NSError`.
  @_disfavoredOverload
  public func fetch<T>(_ request: FetchRequest<T>) throws -> [T] {
    let results: [Any] = try asFoundation {
      switch request.resultType {
      case .managedObjectIDResultType:
        try bridge.found(by: FetchRequest<ObjectID>(request.criteria))
      case .dictionaryResultType:
        try bridge.found(by: FetchRequest<[String: Any]>(request.criteria))
      case .countResultType: [NSNumber(value: try bridge.number(of: request))]
      default: try bridge.found(by: FetchRequest<ManagedObject>(request.criteria))
      }
    }
    return results.map { result in
      guard let result = result as? T else {
        preconditionFailure("The results are \(type(of: result)), which are no \(T.self).")
      }
      return result
    }
  }
}
