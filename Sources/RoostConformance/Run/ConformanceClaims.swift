// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostStore

/// Determines the facets that a store claims: they are queried from the harness and the store, never listed.
enum ConformanceClaims {
  static func claims(of harness: any ConformanceHarness) -> Set<ConformanceFacet> {
    Set(ConformanceFacet.allCases.filter { isClaimed($0, by: harness) })
  }

  private static func isClaimed(
    _ facet: ConformanceFacet, by harness: any ConformanceHarness
  ) -> Bool {
    switch facet {
    case .reopening: harness.isReopenable
    case .secondHandle: harness.allowsSecondHandle
    case .equalModels:
      harness.allowsSecondHandle
        && !refuses(facet, harness) { stage in
          let stack = try stage.open(CompanyModel.make())
          try CompanyModel.fill(stack.context)
          _ = try stage.open(CompanyModel.make(), on: stack.stores)
        }
    case .changeMarks: announcing(harness)?.changeMarks != nil
    case .changeHints: announcing(harness)?.changeHints != nil
    case .cancellation: isCancellable(harness)
    case .evolution: hasEvolution(harness)
    case .preparation: hasPreparation(harness)
    case .history: !refuses(facet, harness) { _ = try $0.openTracking(CompanyModel.make()) }
    case .uniqueness: !refuses(facet, harness) { _ = try $0.open(UniqueModel.make()) }
    }
  }

  /// Returns a closed store that was opened with notifications of its writes; nil when it refuses them.
  private static func announcing(_ harness: any ConformanceHarness) -> (any PersistentStore)? {
    let stage = ConformanceStage(harness: harness)
    defer { stage.clear() }
    return (try? stage.openAnnouncing(CompanyModel.make()))?.coordinator.persistentStores.first
  }

  /// Whether a store supports migration.
  private static func hasEvolution(_ harness: any ConformanceHarness) -> Bool {
    let stage = ConformanceStage(harness: harness)
    defer { stage.clear() }
    let store = (try? stage.open(CompanyModel.make()))?.coordinator.persistentStores.first
    return store?.evolution != nil
  }

  /// Whether a store supports atomic saves over several stores.
  private static func hasPreparation(_ harness: any ConformanceHarness) -> Bool {
    let stage = ConformanceStage(harness: harness)
    defer { stage.clear() }
    let store = (try? stage.open(CompanyModel.make()))?.coordinator.persistentStores.first
    return (try? store?.preparation?.canPrepare()) ?? false
  }

  /// Whether a store returns another object for cancellable requests.
  private static func isCancellable(_ harness: any ConformanceHarness) -> Bool {
    let stage = ConformanceStage(harness: harness)
    defer { stage.clear() }
    let store = (try? stage.open(CompanyModel.make()))?.coordinator.persistentStores.first
    return store.map { $0.cancellable(by: RequestCancellation()) !== $0 } ?? false
  }

  /// Whether a store refuses something with the documented error. Any other failure is a claim that cannot be kept.
  private static func refuses(
    _ facet: ConformanceFacet, _ harness: any ConformanceHarness,
    _ attempt: (ConformanceStage) throws -> Void
  ) -> Bool {
    let stage = ConformanceStage(harness: harness)
    defer { stage.clear() }
    do {
      try attempt(stage)
      return false
    } catch let error as PersistenceError {
      return error.code == facet.refusal
    } catch {
      return false
    }
  }
}
