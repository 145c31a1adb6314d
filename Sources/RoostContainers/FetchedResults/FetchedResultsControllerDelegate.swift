// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects

/// Who is told how fetched results change. Implement what you need.
///
/// With the snapshot, nothing else is called; the difference is given only for results without sections. A
/// delegate that implements none of the methods that tell of changes keeps the controller from following.
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
  ///   - sectionIndex: Its place: among the old sections for a deletion, among the new ones for an insertion.
  ///   - type: `insert` or `delete`.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChange sectionInfo: FetchedResultsSection<ResultType>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType)

  /// An object came, went, moved or was changed.
  ///
  /// - Parameters:
  ///   - controller: The controller, which has the new results.
  ///   - anObject: The object.
  ///   - indexPath: Where it was; nil for an insertion.
  ///   - type: What happened; a move says that the object was changed, too.
  ///   - newIndexPath: Where it is now; nil for a deletion or an update.
  func controller(
    _ controller: FetchedResultsController<ResultType>, didChange anObject: ResultType,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?)

  /// All changes of an event were told.
  func controllerDidChangeContent(_ controller: FetchedResultsController<ResultType>)

  /// The results changed: the sections and the IDs of the objects as they are now.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith snapshot: FetchedResultsSnapshot)

  /// The results changed: what came and went, as IDs; a moved object does both.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith diff: CollectionDifference<ObjectID>)

  /// Returns the title that stands for a section in an index; nil for the first letter of its name.
  func controller(
    _ controller: FetchedResultsController<ResultType>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String?
}

// A method that a delegate leaves out is this one, which says so to the controller.
extension FetchedResultsControllerDelegate {
  /// Says that the delegate does not want to hear of this.
  public func controllerWillChangeContent(_ controller: FetchedResultsController<ResultType>) {
    controller.missing.insert(.willChange)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChange sectionInfo: FetchedResultsSection<ResultType>, atSectionIndex sectionIndex: Int,
    for type: FetchedResultsChangeType
  ) {
    controller.missing.insert(.section)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: FetchedResultsController<ResultType>, didChange anObject: ResultType,
    at indexPath: IndexPath?, for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    controller.missing.insert(.object)
  }

  /// Says that the delegate does not want to hear of this.
  public func controllerDidChangeContent(_ controller: FetchedResultsController<ResultType>) {
    controller.missing.insert(.didChange)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith snapshot: FetchedResultsSnapshot
  ) {
    controller.missing.insert(.snapshot)
  }

  /// Says that the delegate does not want to hear of this.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    didChangeContentWith diff: CollectionDifference<ObjectID>
  ) {
    controller.missing.insert(.difference)
  }

  /// The first letter of the name.
  public func controller(
    _ controller: FetchedResultsController<ResultType>,
    sectionIndexTitleForSectionName sectionName: String
  ) -> String? { nil }
}

/// What happened to a fetched object or a section, with Core Data's numbers.
///
/// ```swift
/// switch type {
/// case .insert: list.insert(name, at: newIndexPath.item)
/// case .delete: list.remove(at: indexPath.item)
/// case .move, .update: list.reload()
/// }
/// ```
public enum FetchedResultsChangeType: UInt, Sendable, Hashable {
  /// It is new among the results.
  case insert = 1
  /// It is not among the results any more.
  case delete = 2
  /// It was changed and stands elsewhere now.
  case move = 3
  /// It was changed and stands where it stood.
  case update = 4
}

/// The methods of a delegate that tell of changes.
package enum FetchedResultsCallback: Hashable, CaseIterable {
  case willChange, section, object, didChange, snapshot, difference
}
