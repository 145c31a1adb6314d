// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
package import RoostQuery
import RoostStore

/// The plan for keeping live results of a request up to date.
package struct LiveExplanation: Sendable {
  /// The way in which saves of other coordinators and processes are detected.
  package enum Hearing: Sendable {
    /// By the store's history, which lists the changed records.
    case history
    /// By the store's change mark, which shows only that there was a write.
    case mark
    /// By the parent context, if it merges them.
    case parent
    /// Not at all: the store has neither a history nor a change mark.
    case unseen
  }

  /// A store that the request reads.
  package struct Store: Sendable {
    package let plan: StorePlan
    package let hearing: Hearing
  }

  /// The reasons for fetching the results again after every relevant change; empty when this is not necessary.
  package let reasons: [LiveFetchReason]
  /// The properties of the results' own entities that the request reads, by entity name.
  package let own: [String: [String]]
  /// The properties of other records that the request reads, by entity name.
  package let related: [String: [String]]
  /// Whether the count of results can be maintained by evaluating changed records.
  package let isCountKept: Bool
  package let stores: [Store]
}

extension LiveExplanation {
  /// Creates the plan without starting live results.
  ///
  /// - Throws: As `fetch`.
  package init<T>(
    of request: FetchRequest<T>, sectionKeyPath: String?, isAlwaysFetched: Bool,
    in context: ManagedObjectContext
  ) throws {
    let plan = try context.makeExplanation(of: request)
    let fetch = try context.fetcher.resolve(request)
    let footprint = LiveFootprint(fetch, sectionsBy: sectionKeyPath, request, in: context)
    let coordinator = try context.coordinator()
    let entities = coordinator.managedObjectModel.entities
    func named(_ read: [ObjectIdentifier: Set<String>]) -> [String: [String]] {
      var result: [String: [String]] = [:]
      for entity in entities {
        guard let name = entity.name, let names = read[ObjectIdentifier(entity)] else { continue }
        result[name] = names.sorted()
      }
      return result
    }
    reasons = LiveFetchReason.all(for: request.criteria, isAlwaysFetched)
    own = named(footprint.own)
    related = named(footprint.related)
    isCountKept = LiveCount.isKeepable(
      request.criteria, footprint, isAlwaysFetched: isAlwaysFetched)
    let attached = coordinator.attachedStores
    let isChild = context.parentContext != nil
    stores = plan.stores.map { plan in
      let store = attached.first { $0.identity === plan.store }
      return Store(plan: plan, hearing: isChild ? .parent : Hearing(of: store))
    }
  }
}

extension LiveExplanation.Hearing {
  fileprivate init(of store: AttachedStore?) {
    guard let store else {
      self = .unseen
      return
    }
    self = store.keepsHistory ? .history : store.store.changeMarks != nil ? .mark : .unseen
  }
}
