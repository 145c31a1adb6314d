// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
package import RoostQuery
import RoostStore

/// How live results of a request would be kept.
package struct LiveExplanation: Sendable {
  /// How what others save is noticed.
  package enum Hearing: Sendable {
    /// The store tells what was written.
    case history
    /// The store tells that it was written.
    case mark
    /// The parent merges it, if anybody does.
    case parent
    /// The store tells nothing.
    case unseen
  }

  /// A store that is asked.
  package struct Store: Sendable {
    package let plan: StorePlan
    package let hearing: Hearing
  }

  /// Why the results are fetched anew for each change that concerns them; empty where they are not.
  package let reasons: [LiveFetchReason]
  /// The properties that are read of the results' own entities, by name.
  package let own: [String: [String]]
  /// Those that are read of other records, or of other ones of the same entities, by name.
  package let related: [String: [String]]
  /// Whether the number of results can be kept by judging changed records.
  package let isCountKept: Bool
  package let stores: [Store]
}

extension LiveExplanation {
  /// Explains how live results would be kept; none are begun.
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
    isCountKept = LiveCount.isKeepable(request.criteria, footprint)
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
