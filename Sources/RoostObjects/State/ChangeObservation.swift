// SPDX-License-Identifier: Apache-2.0

public import Observation

/// Reports changes of a context's `hasChanges` to Swift's Observation (B105). Created by the first read of
/// `hasChanges`.
final class ChangeObservation {
  private let registrar = ObservationRegistrar()
  private unowned let context: ManagedObjectContext

  init(context: ManagedObjectContext) {
    self.context = context
  }

  func access() {
    registrar.access(context, keyPath: \.hasChanges)
  }

  func willChange() {
    registrar.willSet(context, keyPath: \.hasChanges)
  }

  func didChange() {
    registrar.didSet(context, keyPath: \.hasChanges)
  }
}

/// ``hasChanges`` can be observed; the sets of objects cannot (B105).
extension ManagedObjectContext: Observable {}

extension ManagedObjectContext {
  /// Whether an object was inserted, changed or deleted. It can be observed with Swift's Observation.
  ///
  /// ```swift
  /// withObservationTracking { saveButton.isEnabled = context.hasChanges } onChange: { refreshSoon() }
  /// ```
  /// - Complexity: O(1), no query.
  public var hasChanges: Bool {
    checkQueue()
    let observation = changes.observation ?? ChangeObservation(context: self)
    changes.observation = observation
    observation.access()
    return !changes.isEmpty
  }
}
