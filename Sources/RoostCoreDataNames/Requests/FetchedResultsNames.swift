// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
public import RoostModel

/// ``FetchedResultsSectionInfo``.
public typealias NSFetchedResultsSectionInfo = FetchedResultsSectionInfo
/// ``FetchedResultsChangeType``.
public typealias NSFetchedResultsChangeType = FetchedResultsChangeType

/// A delegate that is informed of changes of fetched results: Core Data's protocol, whose methods take a controller
/// of any result type. Implement the methods that you need.
///
/// ```swift
/// extension PeopleList: NSFetchedResultsControllerDelegate {
///   func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
///     reload()
///   }
/// }
/// ```
public protocol NSFetchedResultsControllerDelegate: AnyObject {
  /// The results are about to change; the controller still has the old ones.
  func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// A section was inserted or deleted.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType)

  /// An object was inserted, deleted, moved or updated.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  /// All changes of an event were reported.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// The results changed: the current sections and IDs.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// The results changed: insertions and removals.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

  /// Returns the title of a section in an index; nil for the first letter of its name.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

// Default implementations, which tell the controller that the delegate does not implement the method.
extension NSFetchedResultsControllerDelegate {
  /// Records that the delegate does without the method.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    controller.results.missing.insert(.willChange)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    controller.results.missing.insert(.section)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    controller.results.missing.insert(.object)
  }

  /// Records that the delegate does without the method.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    controller.results.missing.insert(.didChange)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    controller.results.missing.insert(.snapshot)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    controller.results.missing.insert(.difference)
  }

  /// Returns nil, for the first letter of the name.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}
