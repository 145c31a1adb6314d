// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
public import RoostModel

/// ``FetchedResultsSectionInfo``.
public typealias NSFetchedResultsSectionInfo = FetchedResultsSectionInfo
/// ``FetchedResultsChangeType``.
public typealias NSFetchedResultsChangeType = FetchedResultsChangeType

/// Who is told how fetched results change: Core Data's protocol, whose methods take the controller whatever it fetches.
/// Implement what you need.
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

  /// An object came, went, moved or was changed.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?)

  /// All changes of an event were told.
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>)

  /// The results changed: the sections and IDs as they are now.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// The results changed: what came and went.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>)

  /// Returns the title that stands for a section in an index; nil for the first letter of its name.
  func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

// A method that a delegate leaves out is this one, which says so to the controller.
extension NSFetchedResultsControllerDelegate {
  /// Says that the delegate does not want to hear of this.
  public func controllerWillChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    controller.results.missing.insert(.willChange)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChange sectionInfo: any NSFetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
    for type: NSFetchedResultsChangeType
  ) {
    controller.results.missing.insert(.section)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
    at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    controller.results.missing.insert(.object)
  }

  /// Says that the delegate does not want to hear of this.
  public func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>
  ) {
    controller.results.missing.insert(.didChange)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    controller.results.missing.insert(.snapshot)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
  ) {
    controller.results.missing.insert(.difference)
  }

  /// The first letter of the name.
  public func controller(
    _ controller: NSFetchedResultsController<any NSFetchRequestResult>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}
