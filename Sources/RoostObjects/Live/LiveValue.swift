// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery

/// Computes something anew whenever the context changes what it depends on, as a count or a sum.
package final class LiveValue {
  let footprint: LiveFootprint
  /// Whether any change of the entities concerns the value, not only that of what the request reads.
  let dependsOnAll: Bool
  private let compute: () -> Void
  /// Whether it could not be computed, and is to be tried again.
  package var isStale = false

  init(_ footprint: LiveFootprint, dependsOnAll: Bool, _ compute: @escaping () -> Void) {
    self.footprint = footprint
    self.dependsOnAll = dependsOnAll
    self.compute = compute
  }

  /// Whether a change can concern the value.
  func isTouched(by change: GraphChange) -> Bool {
    if isStale || change.isUnknown || footprint.isTouchedElsewhere(by: change) { return true }
    return change.entities.contains { entity, change in
      guard footprint.own[entity] != nil else { return false }
      return change.hasOthers || dependsOnAll
        || footprint.isTouched(by: change.properties, of: entity)
    }
  }

  func computeAnew() {
    compute()
  }
}

extension ManagedObjectContext {
  /// Calls a closure whenever what a request reads has changed.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - compute: Computes the value and tells it.
  /// - Returns: What lives as long as the value is wanted.
  /// - Throws: As `fetch`.
  package func follow<T>(
    valueOf request: FetchRequest<T>, _ compute: @escaping () -> Void
  ) throws -> LiveValue {
    checkQueue()
    let fetch = try fetcher.resolve(request)
    let value = LiveValue(LiveFootprint(fetch), dependsOnAll: false, compute)
    liveQueries.add(value)
    return value
  }

  /// Calls a closure whenever objects of some classes, or of classes below them, have changed.
  package func follow(
    valueOf classes: [ManagedObject.Type], _ compute: @escaping () -> Void
  ) -> LiveValue {
    checkQueue()
    let footprint = LiveFootprint(of: classes.map { entity(for: $0) })
    let value = LiveValue(footprint, dependsOnAll: true, compute)
    liveQueries.add(value)
    return value
  }
}
