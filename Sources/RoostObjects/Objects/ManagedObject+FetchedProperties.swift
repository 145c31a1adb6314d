// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

// Fetched properties: relationships without a link, found by a request when they are read (B305).
extension ManagedObject {
  /// The result of a fetched property: objects, IDs, dictionaries or a number, as its request says. It is found when it
  /// is first read and kept until the object is refreshed or becomes a fault.
  ///
  /// - Throws: `invalidRequest` when the property has no request, a variable no value or the object no context,
  ///   `forbiddenByPolicy`, or what the fetch throws.
  /// - Complexity: One fetch for the first read.
  final func fetchedValue(of property: FetchedPropertyDescription) throws -> [Any] {
    guard let context, let request = property.fetchRequest else {
      throw PersistenceError(
        .invalidRequest, "A fetched property needs a request, and its object a context.",
        entityName: entity.name, key: property.name, objectIDs: [identity])
    }
    if let known = context.fetchedValues[ObjectIdentifier(self)]?[property.name] { return known }
    guard context.allowsImplicitRoundTrips else {
      throw ManagedObjectContext.forbiddenRoundTrip(self, key: property.name)
    }
    var criteria = try FetchCriteria(request)
    criteria.predicate = try criteria.predicate?.substituting { name, path in
      switch name {
      case "FETCH_SOURCE": try self.sourceValue(path)
      case "FETCHED_PROPERTY": try Self.value(of: property, path)
      default: nil
      }
    }
    let result: [Any] =
      switch criteria.resultType {
      case .managedObjectIDResultType: try context.fetch(FetchRequest<ObjectID>(criteria))
      case .dictionaryResultType: try context.fetch(FetchRequest<[String: Any]>(criteria))
      case .countResultType: [try context.count(for: FetchRequest<ManagedObject>(criteria))]
      default: try context.fetch(FetchRequest<ManagedObject>(criteria))
      }
    flags.insert(.hasFetchedValues)
    context.fetchedValues[ObjectIdentifier(self), default: [:]][property.name] = result
    return result
  }

  /// `$FETCH_SOURCE`: the object, or a value of it (B306).
  private func sourceValue(_ path: [String]) throws -> Any {
    if path.isEmpty { return identity }
    return try value(forKeyPath: path.joined(separator: ".")) ?? NSNull()
  }

  /// `$FETCHED_PROPERTY`: what the property says of itself, as `$FETCHED_PROPERTY.userInfo.letter` (B306).
  private static func value(
    of property: FetchedPropertyDescription, _ path: [String]
  ) throws -> Any {
    switch path {
    case ["name"]: return property.name
    case ["entity", "name"]: return property.entity?.name ?? NSNull()
    default:
      guard path.count == 2, path[0] == "userInfo" else {
        throw PersistenceError(
          .invalidRequest, "$FETCHED_PROPERTY has name, entity.name and userInfo only.",
          entityName: property.entity?.name, key: property.name)
      }
      return property.userInfo[path[1]] ?? NSNull()
    }
  }

  /// Lets go of the results of fetched properties, one object after the other.
  final func forgetFetchedValues() {
    guard flags.contains(.hasFetchedValues) else { return }
    flags.remove(.hasFetchedValues)
    guard let context,
      var values = context.fetchedValues.removeValue(forKey: ObjectIdentifier(self))
    else { return }
    var objects: [ManagedObject] = []
    for case let found as [ManagedObject] in values.values { objects += found }
    values = [:]
    let kept = LinkStates(to: objects)
    objects = []
    context.release(kept)
  }
}
