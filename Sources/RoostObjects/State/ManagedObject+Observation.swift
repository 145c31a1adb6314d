// SPDX-License-Identifier: Apache-2.0

public import Observation

// Observing objects with Swift's Observation. Only observed objects lose the accessors' fast path: their reads and
// writes go through functions that report them. Other objects pay nothing.

/// An object of a context whose `allowsObservation` is true can be observed, as a view does:
///
/// ```swift
/// container.viewContext.allowsObservation = true
/// withObservationTracking {
///   label.text = person.name
/// } onChange: {
///   Task { await updateLabel() }
/// }
/// ```
///
/// It reports changes of properties: by setters, through inverses, by refresh, rollback and merging.
extension ManagedObject: Observable {}

extension ManagedObjectContext {
  /// The value of `allowsObservation`: whether the objects can be observed.
  package var isObservable: Bool {
    get { eventState.observation?.isOfAllObjects ?? false }
    set {
      guard newValue != isObservable else { return }
      let table = eventState.observation ?? ObservationTable()
      table.isOfAllObjects = newValue
      eventState.observation = newValue ? table : nil
      for object in registry.all { object.isObserved = newValue }
    }
  }

  /// Enables observation of some objects, in addition to those that can be observed already.
  package func observe(_ objects: some Sequence<ManagedObject>) {
    if eventState.observation == nil { eventState.observation = ObservationTable() }
    for object in objects where !object.isObserved { object.isObserved = true }
  }
}

extension ManagedObject {
  /// Whether reads and writes are reported.
  final var isObserved: Bool {
    get { flags.contains(.observed) }
    set {
      if newValue { flags.insert(.observed) } else { flags.remove(.observed) }
      open = flags.isDisjoint(with: .closed) ? memory : nil
    }
  }

  /// Reports a change of a property of the class, by its index in the class.
  @inline(never) @usableFromInline
  final func didWrite(_ property: Int) {
    if isObserved, let key = observers.key(ofProperty: property) { observers.tellDidChange(key) }
  }

  /// A stand-in for a property in Observation's key paths, which only have to be equal for equal properties.
  subscript(observed key: String) -> Never? { nil }
}
