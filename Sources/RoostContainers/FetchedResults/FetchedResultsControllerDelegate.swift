// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects

/// A delegate that is informed of changes of fetched results. Implement the methods that you need.
///
/// If the snapshot method is implemented, no other method is called; the difference is reported only for results
/// without sections. With a delegate that implements none of the change methods, the controller does not track
/// changes.
///
/// ```swift
/// final class PeopleList: FetchedResultsControllerDelegate {
///   func controller(
///     _ controller: FetchedResultsController<Person>,
///     didChangeContentWith snapshot: FetchedResultsSnapshot
///   ) { show(snapshot) }
/// }
/// ```
public protocol FetchedResultsControllerDelegate<ResultType>: AnyObject {
  /// The class of the results.
  associatedtype ResultType: ManagedObject

  /// The results are about to change; the controller still has the old ones.
  func controllerWillChangeContent(_ controller: FetchedResultsController<ResultType>)

  /// A section was inserted or deleted; called before the changes of objects.
  ///
  /// - Parameters:
  ///   - controller: The controller, which has the new results.
  ///   - sectionInfo: The section.
  ///   - sectionIndex: Its index: among the old sections for a deletion, among the new ones for an insertion.
  ///   - type: `insert` or `delete`.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChange sectionInfo: FetchedResultsSection<ResultType>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// An object was inserted, deleted, moved or updated.
  ///
  /// - Parameters:
  ///   - controller: The controller, which has the new results.
  ///   - anObject: The object.
  ///   - indexPath: The old index path; nil for an insertion.
  ///   - type: The type of the change; a moved object counts as updated, too.
  ///   - newIndexPath: The new index path; nil for a deletion or an update.
  func controller(
    _ controller: FetchedResultsController<ResultType>, didChange anObject: ResultType,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// All changes of an event were reported.
  func controllerDidChangeContent(_ controller: FetchedResultsController<ResultType>)

  /// The results changed: the current sections and IDs of the objects.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// The results changed: insertions and removals of IDs; a move is an associated pair.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith diff: CollectionDifference<ObjectID>)

  /// Returns the title of a section in an index; nil for the first letter of its name.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

// Default implementations, which tell the controller that the delegate does not implement the method.
extension FetchedResultsControllerDelegate {
  /// Records that the delegate does without the method.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<ResultType>) {
    controller.missing.insert(.willChange)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChange sectionInfo: FetchedResultsSection<ResultType>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {
    controller.missing.insert(.section)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: FetchedResultsController<ResultType>, didChange anObject: ResultType,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    controller.missing.insert(.object)
  }

  /// Records that the delegate does without the method.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<ResultType>) {
    controller.missing.insert(.didChange)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    controller.missing.insert(.snapshot)
  }

  /// Records that the delegate does without the method.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith diff: CollectionDifference<ObjectID>
  ) {
    controller.missing.insert(.difference)
  }

  /// Returns nil, for the first letter of the name.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}

/// The type of a change of a fetched object or a section, with Core Data's raw values.
///
/// ```swift
/// switch type {
/// case .insert: list.insert(name, at: newIndexPath.item)
/// case .delete: list.remove(at: indexPath.item)
/// case .move, .update: list.reload()
/// }
/// ```
public enum FetchedResultsChangeType: UInt, Sendable, Hashable {
  /// It was inserted into the results.
  case insert = 1
  /// It was removed from the results.
  case delete = 2
  /// It was updated and moved.
  case move = 3
  /// It was updated in place.
  case update = 4
}

/// The methods of a delegate that report changes.
package enum FetchedResultsCallback: Hashable, CaseIterable {
  case willChange, section, object, didChange, snapshot, difference
}
