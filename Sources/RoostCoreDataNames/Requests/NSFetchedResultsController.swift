// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostContainers
import RoostModel
public import RoostObjects
public import RoostQuery

/// The results of a fetch request, kept up to date while its context changes: Core Data's class over
/// ``FetchedResultsController``.
///
/// A delegate receives a controller of the type `NSFetchedResultsController<NSFetchRequestResult>`, which is not the
/// same object; compare the two with `==`.
///
/// ```swift
/// let controller = NSFetchedResultsController(
///   fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil, cacheName: nil)
/// controller.delegate = self
/// try controller.performFetch()
/// ```
open class NSFetchedResultsController<ResultType> {
  /// The request. After changing it, call ``performFetch()`` again.
  public final let fetchRequest: NSFetchRequest<ResultType>
  final let results: FetchedResultsController<ManagedObject>
  private let teller: DelegateTeller

  /// Makes a controller; nothing is fetched yet.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request; it needs sort descriptors, even if only an empty list.
  ///   - context: The context.
  ///   - sectionNameKeyPath: The key path whose value names an object's section; nil for one section.
  ///   - name: A name for the list. Nothing is cached under it.
  public init(
    fetchRequest: NSFetchRequest<ResultType>, managedObjectContext context: NSManagedObjectContext,
    sectionNameKeyPath: String?, cacheName name: String?
  ) {
    self.fetchRequest = fetchRequest
    results = FetchedResultsController(
      fetchRequest: FetchRequest(fetchRequest.criteria), managedObjectContext: context,
      sectionNameKeyPath: sectionNameKeyPath, cacheName: name)
    results.followsOnlyForListeners = true
    teller = DelegateTeller()
  }

  /// Makes a controller with the same results and another result type.
  init(_ other: FetchedResultsController<ManagedObject>, _ teller: DelegateTeller) {
    fetchRequest = FetchRequest(other.fetchRequest.criteria)
    results = other
    self.teller = teller
  }

  /// The delegate that is informed of changes; referenced weakly.
  open weak var delegate: (any NSFetchedResultsControllerDelegate)? {
    didSet {
      teller.delegate = delegate
      results.delegate = delegate == nil ? nil : teller
    }
  }

  /// The context whose objects are the results.
  open var managedObjectContext: NSManagedObjectContext { results.managedObjectContext }
  /// The key path whose value names an object's section.
  open var sectionNameKeyPath: String? { results.sectionNameKeyPath }
  /// The name of the list.
  open var cacheName: String? { results.cacheName }

  /// Does nothing: sections are computed in memory, and nothing is cached.
  open class func deleteCache(withName name: String?) {}

  /// Fetches the results, and tracks them from now on.
  ///
  /// - Throws: `NSError`, also for a request without a sort order, with which Core Data stops the program, and for
  ///   one whose results are not objects: dictionaries and IDs cannot be tracked.
  open func performFetch() throws {
    let criteria = fetchRequest.criteria
    results.fetchRequest.criteria = criteria
    try asFoundation {
      guard criteria.resultType == .managedObjectResultType else {
        throw PersistenceError(
          .invalidRequest,
          "A fetched results controller follows objects: set resultType to "
            + "managedObjectResultType, or fetch the dictionaries or IDs from the context.",
          entityName: criteria.entityName)
      }
      try results.performFetch()
    }
  }

  /// The results as of the last event; nil before ``performFetch()``.
  open var fetchedObjects: [ResultType]? { results.fetchedObjects?.map(typed) }
  /// The sections of the results; nil before ``performFetch()``.
  open var sections: [any NSFetchedResultsSectionInfo]? { results.sections }
  /// The titles of the sections in an index.
  open var sectionIndexTitles: [String] { results.sectionIndexTitles }

  /// Returns the object at an index path; an invalid index path is a programming mistake, and traps.
  open func object(at indexPath: IndexPath) -> ResultType { typed(results.object(at: indexPath)) }

  /// Returns the index path of an object; nil when it is not among the results.
  open func indexPath(forObject object: ResultType) -> IndexPath? {
    (object as? ManagedObject).flatMap { results.indexPath(forObject: $0) }
  }

  /// Returns the number of the section of an index title.
  open func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    results.section(forSectionIndexTitle: title, at: sectionIndex)
  }

  /// Returns the title of a section in an index.
  open func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    results.sectionIndexTitle(forSectionName: sectionName)
  }

  /// Returns whether two controllers have the same results.
  public static func == <Other>(
    left: NSFetchedResultsController, right: NSFetchedResultsController<Other>
  ) -> Bool { left.results === right.results }

  /// Returns whether two controllers have different results.
  public static func != <Other>(
    left: NSFetchedResultsController, right: NSFetchedResultsController<Other>
  ) -> Bool { left.results !== right.results }

  private func typed(_ object: ManagedObject) -> ResultType {
    guard let result = object as? ResultType else {
      preconditionFailure("The results are \(type(of: object)), which are no \(ResultType.self).")
    }
    return result
  }
}

@available(*, unavailable)
extension NSFetchedResultsController: Sendable {}

/// Forwards the controller's delegate calls to Core Data's delegate.
final class DelegateTeller: FetchedResultsControllerDelegate {
  typealias Controller = FetchedResultsController<ManagedObject>
  weak var delegate: (any NSFetchedResultsControllerDelegate)?

  private func plain(
    _ controller: Controller
  ) -> NSFetchedResultsController<any NSFetchRequestResult> {
    NSFetchedResultsController(controller, self)
  }

  func controllerWillChangeContent(_ controller: Controller) {
    delegate?.controllerWillChangeContent(plain(controller))
  }

  func controller(
    _ controller: Controller, didChange sectionInfo: FetchedResultsSection<ManagedObject>,
    atSectionIndex sectionIndex: Int, for type: FetchedResultsChangeType
  ) {
    delegate?.controller(
      plain(controller), didChange: sectionInfo, atSectionIndex: sectionIndex, for: type)
  }

  func controller(
    _ controller: Controller, didChange anObject: ManagedObject, at indexPath: IndexPath?,
    for type: FetchedResultsChangeType, newIndexPath: IndexPath?
  ) {
    delegate?.controller(
      plain(controller), didChange: anObject, at: indexPath, for: type, newIndexPath: newIndexPath)
  }

  func controllerDidChangeContent(_ controller: Controller) {
    delegate?.controllerDidChangeContent(plain(controller))
  }

  func controller(_ controller: Controller, didChangeContentWith snapshot: FetchedResultsSnapshot) {
    delegate?.controller(plain(controller), didChangeContentWith: snapshot)
  }

  func controller(
    _ controller: Controller, didChangeContentWith diff: CollectionDifference<ObjectID>
  ) {
    delegate?.controller(plain(controller), didChangeContentWith: diff)
  }

  func controller(
    _ controller: Controller, sectionIndexTitleForSectionName sectionName: String
  ) -> String? {
    delegate?.controller(plain(controller), sectionIndexTitleForSectionName: sectionName)
  }
}
