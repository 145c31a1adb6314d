// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostObjects
public import RoostQuery

/// The results of a fetch request, kept up to date while its context changes, in sections if wanted: what stands behind
/// a list on a screen.
///
/// It follows its context only while it is listened to: by ``delegate``, or by a reader of ``snapshots()``. It hears
/// at the end of an event, when changes are processed or merged, not when a property is set.
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
  /// What is fetched. Change it, then call ``performFetch()`` again.
  public let fetchRequest: FetchRequest<ResultType>
  /// The context whose objects are the results.
  public let managedObjectContext: ManagedObjectContext
  /// The key path whose value names an object's section; nil for one section without a name.
  public let sectionNameKeyPath: String?
  /// The name that the program gives to the list. Sections are made in memory, of objects that are there anyway: there
  /// is no file of them.
  public let cacheName: String?
  /// Who is told of changes; not kept alive.
  public weak var delegate: (any FetchedResultsControllerDelegate<ResultType>)? {
    didSet { missing = [] }
  }

  /// The results as of the last event; nil before ``performFetch()``, and after the context was reset.
  public internal(set) var fetchedObjects: [ResultType]?
  /// The sections of the results; nil before ``performFetch()``.
  public internal(set) var sections: [FetchedResultsSection<ResultType>]?

  /// Why the results could not be brought up to date after a change; nil while they are. ``performFetch()`` tries anew.
  public internal(set) var updateError: PersistenceError?

  var live: LiveFetch?
  var places: [ObjectIdentifier: Int] = [:]
  /// The callbacks that the delegate turned out not to have.
  package var missing: Set<FetchedResultsCallback> = []
  var continuations: [Int: AsyncStream<FetchedResultsSnapshot>.Continuation] = [:]
  var observation: ContextObservation?

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
  }

  /// Fetches the results, and follows them from now on.
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
    let live = try LiveFetch(fetchRequest, in: managedObjectContext)
    let objects = try managedObjectContext.fetch(fetchRequest)
    let sections = try makeSections(of: objects)
    self.live = live
    updateError = nil
    adopt(objects, sections)
    if observation == nil { observation = ContextObservation(of: self) }
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
    guard let sectionNameKeyPath else {
      return [FetchedResultsSection(name: "", indexTitle: nil, start: 0, results: objects)]
    }
    var result: [FetchedResultsSection<ResultType>] = []
    var names: Set<String> = []
    for (place, object) in objects.enumerated() {
      let name = try sectionName(of: object, sectionNameKeyPath)
      if result.last?.name == name {
        result[result.count - 1].results.append(object)
        continue
      }
      guard names.insert(name).inserted else {
        throw PersistenceError(
          .invalidRequest,
          "The first step of the order has to keep the sections of “\(sectionNameKeyPath)” together.",
          entityName: fetchRequest.entityName, key: sectionNameKeyPath)
      }
      result.append(
        FetchedResultsSection(
          name: name, indexTitle: sectionIndexTitle(forSectionName: name), start: place,
          results: [object]))
    }
    return result
  }

  private func sectionName(of object: ResultType, _ keyPath: String) throws -> String {
    guard let value = try object.value(forKeyPath: keyPath) else { return "" }
    return value as? String ?? "\(value)"
  }
}
