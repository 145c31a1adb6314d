// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects
public import RoostQuery

/// The results of a fetch request, in sections if wanted, which follow the changes of their context: the data of a list
/// on a screen.
///
/// It follows its context after ``performFetch()``, with or without a delegate. The results change at the end of an
/// event in which the context has changed or merged objects, not when a property is set. Objects that the context did
/// not have before are added to the results when a merge brings them.
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
  /// The name that the program gives to the list. Sections are made in memory, of objects that are there anyway: there
  /// is no file of them.
  public let cacheName: String?
  /// The delegate, which is told of changes; the controller holds it weakly.
  public weak var delegate: (any FetchedResultsControllerDelegate<ResultType>)? {
    didSet { missing = [] }
  }

  /// The results as of the last event; nil before ``performFetch()``, and after the context was reset.
  public internal(set) var fetchedObjects: [ResultType]?
  /// The sections of the results; nil before ``performFetch()``.
  public internal(set) var sections: [FetchedResultsSection<ResultType>]?

  /// The error for which the results could not be brought up to date after a change; nil otherwise.
  /// ``performFetch()`` tries anew.
  public internal(set) var updateError: PersistenceError?

  /// Whether the results follow the context only for a listener, as under Core Data's names.
  package var followsOnlyForListeners = false
  var query: LiveQuery?
  /// That the context hears other processes for it.
  private var hearing: RemoteHearing?
  var isFetching = false
  var places: [ObjectIdentifier: Int] = [:]
  /// The callbacks that the delegate turned out not to have.
  package var missing: Set<FetchedResultsCallback> = []
  var continuations: [Int: AsyncStream<FetchedResultsSnapshot>.Continuation] = [:]

  /// Makes a controller; nothing is fetched yet.
  ///
  /// - Parameters:
  ///   - fetchRequest: What is fetched; it needs sort descriptors, of which the first orders like the sections. With an
  ///     empty list the results stand as they were fetched, and new ones come last.
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
    for continuation in continuations.values { continuation.finish() }
    if query != nil { managedObjectContext.forgetUnheardQueries() }
  }

  /// Fetches the results, and follows them from now on.
  ///
  /// If the context merges the saves of other contexts automatically, and the stores keep a history, the context merges
  /// the saves of other coordinators and processes too, as long as it has such a controller. Objects that fell behind
  /// since the last one are brought up to date before the fetch.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidRequest` when the request has no sort descriptors, or an order in
  ///   which a section would stand in several places; otherwise as `fetch`. The results are what they were then.
  /// - Complexity: As `fetch`.
  public func performFetch() throws {
    guard fetchRequest.sortDescriptors != nil else {
      throw PersistenceError(
        .invalidRequest,
        "A fetched results controller needs sort descriptors; an empty list leaves the order open.",
        entityName: fetchRequest.entityName)
    }
    // What the fetch finds is its result, and nothing that a delegate is told.
    isFetching = true
    defer { isFetching = false }
    // Before the fetch, so that nothing is missed in between; a fetch that fails ends it.
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

  /// The objects as instances of the class that is fetched.
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
  /// Returns the object at a place.
  ///
  /// - Parameter indexPath: The section and the place in it. A place that is not there is a mistake in the program, and
  ///   traps.
  public func object(at indexPath: IndexPath) -> ResultType {
    guard indexPath.count == 2, let sections, sections.indices.contains(indexPath[0]),
      sections[indexPath[0]].results.indices.contains(indexPath[1])
    else {
      preconditionFailure("There is no fetched object at \(indexPath).")
    }
    return sections[indexPath[0]].results[indexPath[1]]
  }

  /// Returns where an object is; nil when it is not among the results.
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

  /// Returns the title that stands for a section in an index: the delegate's, or the first letter of its name,
  /// capitalised.
  public func sectionIndexTitle(forSectionName sectionName: String) -> String? {
    if let title = delegate?.controller(self, sectionIndexTitleForSectionName: sectionName) {
      return title
    }
    return sectionName.first.map { $0.uppercased() }
  }

  /// Returns the first section that an index title stands for; the last section that comes before it when none does.
  ///
  /// - Parameters:
  ///   - title: One of ``sectionIndexTitles``.
  ///   - sectionIndex: The title's place among them.
  public func section(forSectionIndexTitle title: String, at sectionIndex: Int) -> Int {
    let sections = sections ?? []
    return sections.firstIndex { $0.indexTitle == title } ?? max(0, sections.count - 1)
  }
}

// MARK: - Sections

extension FetchedResultsController {
  /// Cuts objects in order into sections.
  func makeSections(
    of objects: [ResultType]
  ) throws -> [FetchedResultsSection<ResultType>] {
    try FetchedResultsSection.sections(of: objects, by: sectionNameKeyPath) {
      sectionIndexTitle(forSectionName: $0)
    }
  }
}
