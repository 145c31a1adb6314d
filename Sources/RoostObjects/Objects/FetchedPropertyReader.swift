// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery

extension FetchedPropertyReader {
  /// The result of a fetched property: objects, IDs, dictionaries or a number, by its request. It is fetched at the
  /// first read and kept until the object is refreshed or becomes a fault.
  ///
  /// - Throws: `invalidRequest` when the property has no request, a variable no value or the object no context,
  ///   `forbiddenByPolicy`, or the error of the fetch.
  /// - Complexity: One fetch for the first read.
  func fetchedValue(of property: FetchedPropertyDescription) throws -> [Any] {
    guard let context = owner.context, let request = property.fetchRequest else {
      throw PersistenceError(
        .invalidRequest, "A fetched property needs a request, and its object a context.",
        entityName: owner.entity.name, key: property.name, objectIDs: [owner.identity])
    }
    let known = context.registry.exclusively {
      context.fetchedValues[ObjectIdentifier(owner)]?[property.name]
    }
    if let known { return known }
    guard context.allowsImplicitRoundTrips else {
      throw ManagedObjectContext.forbiddenRoundTrip(owner, key: property.name)
    }
    var criteria = try FetchCriteria(request)
    criteria.predicate = try criteria.predicate?.substituting { name, path in
      switch name {
      case "FETCH_SOURCE": try self.sourceValue(path)
      case "FETCHED_PROPERTY": try Self.value(of: property, path)
      default: nil
      }
    }
    let result = try context.asCaller(implicitly: true) { try fetch(criteria, in: context) }
    owner.flags.insert(.hasFetchedValues)
    let earlier = context.registry.exclusively {
      context.fetchedValues[ObjectIdentifier(owner), default: [:]].updateValue(
        result, forKey: property.name)
    }
    withExtendedLifetime(earlier) {}
    return result
  }

  private func fetch(_ criteria: FetchCriteria, in context: ManagedObjectContext) throws -> [Any] {
    switch criteria.resultType {
    case .managedObjectIDResultType: try context.fetch(FetchRequest<ObjectID>(criteria))
    case .dictionaryResultType: try context.fetch(FetchRequest<[String: Any]>(criteria))
    case .countResultType: [try context.count(for: FetchRequest<ManagedObject>(criteria))]
    default: try context.fetch(FetchRequest<ManagedObject>(criteria))
    }
  }

  /// `$FETCH_SOURCE`: the object, or one of its values (B306).
  private func sourceValue(_ path: [String]) throws -> Any {
    if path.isEmpty { return owner.identity }
    return try owner.value(forKeyPath: path.joined(separator: ".")) ?? NSNull()
  }

  /// `$FETCHED_PROPERTY`: the property's description, as in `$FETCHED_PROPERTY.userInfo.letter` (B306).
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
}
