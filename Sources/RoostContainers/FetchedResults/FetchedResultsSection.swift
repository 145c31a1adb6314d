// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostObjects

/// One section of fetched results, whatever their class.
///
/// ```swift
/// func title(of section: any FetchedResultsSectionInfo) -> String {
///   "\(section.name) (\(section.numberOfObjects))"
/// }
/// ```
public protocol FetchedResultsSectionInfo {
  /// The name: the value of the section key path, as text.
  var name: String { get }
  /// The title of the section in an index.
  var indexTitle: String? { get }
  /// The number of results in the section.
  var numberOfObjects: Int { get }
  /// The results in the section.
  var objects: [Any]? { get }
}

/// One section of fetched results.
///
/// ```swift
/// for section in controller.sections ?? [] { print(section.name, section.numberOfObjects) }
/// ```
public struct FetchedResultsSection<ResultType: ManagedObject>: FetchedResultsSectionInfo {
  /// The name: the value of the section key path, as text; empty for nil, and without sections.
  public let name: String
  /// The title of the section in an index; nil without sections.
  public let indexTitle: String?
  /// The index of the section's first result among all results.
  let start: Int
  /// The results in the section.
  public internal(set) var results: [ResultType]

  init(name: String, indexTitle: String?, start: Int, results: [ResultType]) {
    self.name = name
    self.indexTitle = indexTitle
    self.start = start
    self.results = results
  }

  /// The number of results in the section.
  public var numberOfObjects: Int { results.count }

  /// The results in the section.
  public var objects: [Any]? { results }

  /// Returns the index path of the result at an index among all results.
  static func indexPath(ofPlace place: Int, in sections: [FetchedResultsSection]) -> IndexPath {
    let number = sectionNumber(ofPlace: place, in: sections)
    return IndexPath(indexes: [number, place - sections[number].start])
  }

  /// Returns the section of the result at an index among all results: the last one that begins at or before it.
  static func sectionNumber(ofPlace place: Int, in sections: [FetchedResultsSection]) -> Int {
    var (low, high) = (0, sections.count - 1)
    while low < high {
      let middle = (low + high + 1) / 2
      if sections[middle].start <= place { low = middle } else { high = middle - 1 }
    }
    return low
  }
}
