// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects

extension FetchedResultsSection {
  /// Divides sorted objects into sections.
  ///
  /// - Parameters:
  ///   - objects: The objects.
  ///   - keyPath: The key path whose value names an object's section; nil for one section.
  ///   - indexTitle: Returns the title of a section in an index.
  /// - Throws: `invalidRequest` when a section would not be contiguous.
  package static func sections(
    of objects: [ResultType], by keyPath: String?, indexTitle: (String) -> String?
  ) throws -> [FetchedResultsSection] {
    guard let keyPath else {
      return [FetchedResultsSection(name: "", indexTitle: nil, start: 0, results: objects)]
    }
    var result: [FetchedResultsSection] = []
    var names: Set<String> = []
    for (place, object) in objects.enumerated() {
      let name = try name(of: object, keyPath)
      if result.last?.name == name {
        result[result.count - 1].results.append(object)
        continue
      }
      guard names.insert(name).inserted else {
        throw PersistenceError(
          .invalidRequest,
          "The first step of the order has to keep the sections of “\(keyPath)” together.",
          entityName: object.entity.name, key: keyPath)
      }
      result.append(
        FetchedResultsSection(
          name: name, indexTitle: indexTitle(name), start: place, results: [object]))
    }
    return result
  }

  private static func name(of object: ResultType, _ keyPath: String) throws -> String {
    guard let value = try object.value(forKeyPath: keyPath) else { return "" }
    return value as? String ?? "\(value)"
  }
}
