// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery

/// A value, such as a count or a sum, that is recomputed whenever its inputs change in the context.
package final class LiveValue {
  let footprint: LiveFootprint
  /// Whether any change of the entities affects the value, or only one of the properties that the request reads.
  let dependsOnAll: Bool
  private let compute: () -> Void
  /// Whether the last computation failed, and is to be retried.
  package var isStale = false {
    didSet { if isStale { queries?.beginRetrying() } }
  }
  /// The queries of the context, which retry.
  weak var queries: LiveQueries?

  init(_ footprint: LiveFootprint, dependsOnAll: Bool, _ compute: @escaping () -> Void) {
    self.footprint = footprint
    self.dependsOnAll = dependsOnAll
    self.compute = compute
  }

  /// Whether a change can affect the value.
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
  /// Calls a closure whenever the data that a request reads has changed.
  ///
  /// - Parameters:
  ///   - request: The request.
  ///   - compute: Computes the value and reports it.
  /// - Returns: The live value; the calls end when it is released.
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
