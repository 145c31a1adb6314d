// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects
public import RoostQuery

/// The results of a fetch request, optionally in sections, kept up to date with a context: the data of a list on a
/// screen.
///
/// The controller observes its context after ``performFetch()``, with or without a delegate. The results change at
/// the end of an event in which the context has changed or merged objects, not when a property is set. A merge also
/// adds matching objects that were not registered in the context before.
///
/// ```swift
/// let request = Person.fetchRequest().sorted(by: \.team).sorted(by: \.name)
/// let controller = FetchedResultsController(
///   fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: "team")
/// controller.delegate = list
/// try controller.performFetch()
/// print(controller.object(at: [0, 0]).name)
/// ```
public final class FetchedResultsController<ResultType: ManagedObject> {
  /// The request. After a change of it, call ``performFetch()`` again.
  public let fetchRequest: FetchRequest<ResultType>
  /// The context whose objects are the results.
  public let managedObjectContext: ManagedObjectContext
  /// The key path whose value names an object's section; nil for one section without a name.
  public let sectionNameKeyPath: String?
  /// The name that the program gives to the list. It has no effect: sections are computed in memory from the fetched
  /// objects, and there is no cache file.
  public let cacheName: String?
  /// The delegate, which is notified of changes; a weak reference.
  public weak var delegate: (any FetchedResultsControllerDelegate<ResultType>)? {
    didSet { missing = [] }
  }

  /// The results as of the last event; nil before ``performFetch()``, and after the context was reset.
  public internal(set) var fetchedObjects: [ResultType]?
  /// The sections of the results; nil before ``performFetch()``.
  public internal(set) var sections: [FetchedResultsSection<ResultType>]?

  /// The error of the last failed update of the results after a change; nil while they are up to date.
  /// ``performFetch()`` retries.
  public internal(set) var updateError: PersistenceError?

  /// Whether the results are updated only while there is a listener, as under Core Data's names.
  package var followsOnlyForListeners = false
  var query: LiveQuery?
  /// The lease that keeps the context merging remote saves for this controller.
  private var hearing: RemoteHearing?
  var isFetching = false
  var places: [ObjectIdentifier: Int] = [:]
  /// The callbacks that the delegate does not implement, as found so far.
  package var missing: Set<FetchedResultsCallback> = []
  /// The mailboxes of the sequences of snapshots that are still read.
  var readers: [SnapshotReader] = []

  /// Creates a controller without fetching.
  ///
  /// - Parameters:
  ///   - fetchRequest: The request. It needs sort descriptors, and the first must order objects like the sections.
  ///     With an empty array the results keep the order in which they were fetched, and new ones are appended.
  ///   - managedObjectContext: The context.
  ///   - sectionNameKeyPath: The key path whose value names an object's section; nil for one section.
  ///   - cacheName: A name for the list.
  public init(
    fetchRequest: FetchRequest<ResultType>, managedObjectContext: ManagedObjectContext,
    sectionNameKeyPath: String? = nil, cacheName: String? = nil
  ) {
    self.fetchRequest = fetchRequest
    self.managedObjectContext = managedObjectContext
    self.sectionNameKeyPath = sectionNameKeyPath
    self.cacheName = cacheName
  }

  deinit {
    for reader in readers { reader.mailbox?.finish() }
    if query != nil { managedObjectContext.forgetUnheardQueries() }
  }

  /// Fetches the results, and keeps them up to date from now on.
  ///
  /// If the context merges the saves of other contexts automatically, and the stores keep a history, the context also
  /// merges the saves of other coordinators and processes as long as it has such a controller. Objects that became
  /// stale since the last such controller was released are refreshed before the fetch.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidRequest` when the request has no sort descriptors, or an order
  ///   that would split a section; otherwise as `fetch`. After an error the results are unchanged.
  /// - Complexity: As `fetch`.
  public func performFetch() throws {
    guard fetchRequest.sortDescriptors != nil else {
      throw PersistenceError(
        .invalidRequest,
        "A fetched results controller needs sort descriptors; an empty list leaves the order open.",
        entityName: fetchRequest.entityName)
    }
    // The delegate is not notified of changes that this fetch itself finds.
    isFetching = true
    defer { isFetching = false }
    // Taken before the fetch, so that no save is missed in between; released again when the fetch fails.
    let hearing = self.hearing ?? HistoryMerging(of: managedObjectContext).followSiblings()
    let query = try managedObjectContext.follow(
      fetchRequest, sectionKeyPath: sectionNameKeyPath, isFetchedNow: true, for: self)
    do {
      let objects = try typed(query.elements)
      adopt(objects, try makeSections(of: objects))
    } catch {
      if query !== self.query { managedObjectContext.unfollow(query, for: self) }
      throw error
    }
    if let former = self.query, former !== query {
      managedObjectContext.unfollow(former, for: self)
    }
    self.query = query
    self.hearing = hearing
    updateError = nil
  }

  /// Casts the objects to the fetched class.
  func typed(_ objects: [ManagedObject]) throws -> [ResultType] {
    try ManagedObjectContext.typed(objects)
  }

  func adopt(_ objects: [ResultType], _ sections: [FetchedResultsSection<ResultType>]) {
    fetchedObjects = objects
    self.sections = sections
    places = Dictionary(
      objects.enumerated().map { (ObjectIdentifier($1), $0) }, uniquingKeysWith: { $1 })
  }
}

@available(*, unavailable)
extension FetchedResultsController: Sendable {}

// MARK: - Places

extension FetchedResultsController {
  /// Returns the object at an index path.
  ///
  /// - Parameter indexPath: The section, and the index of the object in it. An index path out of bounds is a
  ///   programming error, and traps.
  public func object(at indexPath: IndexPath) -> ResultType {
    guard indexPath.count == 2, let sections, sections.indices.contains(indexPath[0]),
      sections[indexPath[0]].results.indices.contains(indexPath[1])
    else {
      preconditionFailure("There is no fetched object at \(indexPath).")
    }
    return sections[indexPath[0]].results[indexPath[1]]
  }

  /// Returns the index path of an object; nil when it is not among the results.
  ///
  /// - Complexity: O(log *s*) in the number of sections.
  public func indexPath(forObject object: ResultType) -> IndexPath? {
    guard let place = places[ObjectIdentifier(object)], let sections else { return nil }
    return FetchedResultsSection.indexPath(ofPlace: place, in: sections)
  }

  /// The index titles of the sections, without repetitions, in order.
  public var sectionIndexTitles: [String] {
    var seen: Set<String> = []
    return (sections ?? []).compactMap(\.indexTitle).filter { seen.insert($0).inserted }
  }

  /// Returns the index title of a section: the delegate's, or the first letter of the section's name, capitalised.
  public func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    if let title = delegate?.controller(self, sectionIndexTitleForSectionName: sectionName) {
      return title
    }
    return sectionName.first.map { $0.uppercased() }
  }

  /// Returns the index of the first section with an index title; that of the last section when there is none.
  ///
  /// - Parameters:
  ///   - title: One of ``sectionIndexTitles``.
  ///   - sectionIndex: The index of the title in them.
  public func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    let sections = sections ?? []
    return sections.firstIndex { $0.indexTitle == title } ?? max(0, sections.count - 1)
  }
}

// MARK: - Sections

extension FetchedResultsController {
  /// Splits sorted objects into sections.
  func makeSections(
    of objects: [ResultType]
  ) throws -> [FetchedResultsSection<ResultType>] {
    try FetchedResultsSection.sections(of: objects, by: sectionNameKeyPath) {
      sectionIndexTitle(forSectionName: $0)
    }
  }
}
