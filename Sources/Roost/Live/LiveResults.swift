// SPDX-License-Identifier: Apache-2.0

public import Observation
public import RoostContainers
public import RoostCoordinator
public import RoostModel
public import RoostObjects

/// The results of a fetch request as objects of one context, kept up to date: a collection that a view can observe.
///
/// ```swift
/// let people = try context.live(Person.where { $0.age >= 18 }.sorted(by: \.name))
/// print(people.count, people.first?.name ?? "-")
/// for try await update in people.updates { show(people, update.difference) }
/// ```
/// The elements change at the end of an event of the context, never while a property is set or a save is under way.
/// Swift's Observation reports each change of ``elements`` once. The results are bound to the context, and must be
/// used where it is.
///
/// A context of the main queue, and one that has run work on its queue, merges others' saves automatically. A context
/// that only its owner uses merges them at its next use, in ``ManagedObjectContext/processPendingChanges()``, and
/// while a reader waits for ``updates``.
public final class LiveResults<Element: ManagedObject>: RandomAccessCollection, Observable {
  /// The context whose objects are the elements.
  public let context: ManagedObjectContext
  private let options: LiveOptions
  private var query: LiveQuery?
  private var objects: [Element] = []
  private var cut: [FetchedResultsSection<Element>]?
  private let registrar = ObservationRegistrar()
  private var mailboxes: [LiveMailbox<LiveDelivery<Void>>] = []
  private var failure: PersistenceError?
  /// The token of the last change; after ``stop()``, the token at that time.
  private var lastToken: PersistentHistoryToken?
  private var lastChange: LiveUpdate?

  init(
    options: LiveOptions, in context: ManagedObjectContext,
    follow: (LiveResults) throws -> LiveQuery
  ) throws {
    self.context = context
    self.options = options
    let query = try follow(self)
    objects = try ManagedObjectContext.typed(query.elements)
    if options.sectionKeyPath != nil { cut = try makeSections() }
    if options.observesObjects { context.observe(objects) }
    self.query = query
  }

  deinit {
    for mailbox in mailboxes { mailbox.finish() }
    context.forgetUnheardQueries()
  }

  /// The results as of the last event; after ``stop()``, those of the last event before it.
  public var elements: [Element] {
    registrar.access(self, keyPath: \.elements)
    return objects
  }

  /// The last change of the elements, for an observer of ``elements`` that moves rows; nil before the first change.
  ///
  /// An observer that may receive several changes at once should read ``updates``, which combines them.
  ///
  /// ```swift
  /// if let update = people.lastUpdate { table.apply(update.difference) }
  /// ```
  public var lastUpdate: LiveUpdate? {
    registrar.access(self, keyPath: \.elements)
    return lastChange
  }

  /// The error of a store that could not be read after a change, so that the results are outdated; nil while they are
  /// current. The read is retried whenever the context changes and, if the context has a queue, after one second and
  /// then less often.
  public var error: PersistenceError? {
    registrar.access(self, keyPath: \.error)
    return failure
  }

  /// The position of the stores' histories up to which the results are current: see ``LiveUpdate/token``. Swift's
  /// Observation does not report it.
  public var token: PersistentHistoryToken? {
    query == nil || failure != nil ? lastToken : context.liveToken
  }

  /// Whether the results are outdated, because of ``error``.
  public var isStale: Bool { error != nil }

  /// The elements in sections by ``LiveOptions/sectionKeyPath``; one section without it.
  ///
  /// - Complexity: O(*n*) the first time after a change.
  public var sections: [FetchedResultsSection<Element>] {
    registrar.access(self, keyPath: \.elements)
    if let cut { return cut }
    let made = try? makeSections()
    cut = made
    return made ?? []
  }

  private func makeSections() throws -> [FetchedResultsSection<Element>] {
    try FetchedResultsSection.sections(of: objects, by: options.sectionKeyPath) {
      $0.first.map { String($0).uppercased() }
    }
  }

  /// The changes from now on, to be read where the context is used. The first update lists all elements as inserted.
  ///
  /// For a reader that is slower than the changes, they are composed into one, or buffered according to
  /// ``LiveOptions/buffering``. The sequence ends with ``stop()``, and throws when a store that it needs was removed.
  public var updates: LiveUpdates<Element> {
    LiveUpdates(self, options)
  }

  /// Stops following the stores. The elements stay as they are.
  public func stop() {
    lastToken = token
    if let query { context.unfollow(query, for: self) }
    query = nil
    for mailbox in mailboxes { mailbox.finish() }
    mailboxes = []
  }

  /// Makes a mailbox whose first update lists all elements.
  func makeMailbox() -> LiveMailbox<LiveDelivery<Void>> {
    let mailbox = LiveMailbox<LiveDelivery<Void>>(options.buffering)
    let places = objects.enumerated().map { ListChange.Place(offset: $0, id: $1.objectID) }
    var beginning = ListChange(inserted: places)
    beginning.token = token
    mailbox.offer(LiveDelivery(state: (), change: beginning))
    guard query != nil else {
      mailbox.finish(throwing: failure)
      return mailbox
    }
    mailboxes.append(mailbox)
    return mailbox
  }

  func remove(_ mailbox: LiveMailbox<LiveDelivery<Void>>) {
    mailboxes.removeAll { $0 === mailbox }
  }

  private func fail(_ error: PersistenceError?) {
    guard error != failure else { return }
    registrar.withMutation(of: self, keyPath: \.error) { failure = error }
  }
}

@available(*, unavailable)
extension LiveResults: Sendable {}

// MARK: - Collection

extension LiveResults {
  /// The index of the first element.
  public var startIndex: Int { 0 }
  /// The index after the last element.
  public var endIndex: Int { elements.count }

  /// The element at an index. An invalid index is a programming error, and traps.
  public subscript(position: Int) -> Element { elements[position] }
}

// MARK: - Following

extension LiveResults: LiveListener {
  package func liveQuery(_ query: LiveQuery, did step: LiveStep) {
    guard query === self.query else { return }
    do {
      let new: [Element] = try ManagedObjectContext.typed(step.new)
      registrar.withMutation(of: self, keyPath: \.elements) {
        objects = new
        cut = nil
        if !step.change.isEmpty { lastChange = LiveUpdate(step.change) }
      }
      if options.sectionKeyPath != nil { cut = try makeSections() }
      if options.observesObjects {
        context.observe(
          step.change.isReset ? new : step.change.inserted.map { new[$0.offset] })
      }
      fail(nil)
      lastToken = step.change.token
    } catch {
      fail(.wrapping(error, .persistentStoreOperation))
    }
    guard !step.change.isEmpty else { return }
    for mailbox in mailboxes {
      mailbox.offer(LiveDelivery(state: (), change: step.change))
    }
  }

  package func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
    guard query === self.query else { return }
    fail(error)
    guard error.endsLiveResults else { return }
    for mailbox in mailboxes { mailbox.finish(throwing: error) }
    mailboxes = []
  }

  package func liveQueryWasInvalidated(_ query: LiveQuery) {
    guard query === self.query else { return }
    registrar.withMutation(of: self, keyPath: \.elements) {
      objects = []
      cut = nil
    }
  }
}
