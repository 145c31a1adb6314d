// SPDX-License-Identifier: Apache-2.0

public import Observation
import RoostModel

// Observing objects with Swift's Observation. The accessors' short cut is closed for observed objects alone: they read
// and write through functions that tell what is read and written. All others pay nothing.

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
/// Told are the changes of properties: by setters, through inverses, by refresh, rollback and merging.
extension ManagedObject: Observable {}

extension ManagedObjectContext {
  /// What `allowsObservation` is: whether the objects can be observed.
  package var isObservable: Bool {
    get { observation != nil }
    set {
      guard newValue != isObservable else { return }
      observation = newValue ? ObservationTable() : nil
      for object in registry.all { object.isObserved = newValue }
    }
  }
}

extension ManagedObject {
  /// Whether reads and writes are told.
  final var isObserved: Bool {
    get { flags.contains(.observed) }
    set {
      if newValue { flags.insert(.observed) } else { flags.remove(.observed) }
      open = flags.isDisjoint(with: .closed) ? memory : nil
    }
  }

  /// Tells that a property is read.
  final func tellRead(_ key: String) {
    guard let observation = context?.observation, !flags.contains(.awakening) else { return }
    observation.registrar(of: self).access(self, keyPath: observation.keyPath(key))
  }

  /// Tells that a property of the class is read, by its place in the class.
  final func tellRead(property: Int) {
    if let key = key(ofProperty: property) { tellRead(key) }
  }

  /// Tells that a property is going to change.
  final func tellWillChange(_ key: String) {
    guard let observation = context?.observation else { return }
    observation.knownRegistrar(of: self)?.willSet(self, keyPath: observation.keyPath(key))
  }

  /// Tells that the attribute in a slot is going to change.
  final func tellWillChange(slot: Int) {
    if let attribute = binding.attribute(ofSlot: slot) { tellWillChange(attribute.name) }
  }

  /// Tells that a property was changed.
  final func tellDidChange(_ key: String) {
    guard let observation = context?.observation else { return }
    observation.knownRegistrar(of: self)?.didSet(self, keyPath: observation.keyPath(key))
  }

  /// Tells that a property of the class was changed, by its place in the class.
  @inline(never) @usableFromInline
  final func didWrite(_ property: Int) {
    if isObserved, let key = key(ofProperty: property) { tellDidChange(key) }
  }

  /// Tells that all properties may have other values now.
  final func tellReplacement() {
    guard isObserved, let observation = context?.observation,
      let registrar = observation.knownRegistrar(of: self)
    else { return }
    for property in binding.entity.properties {
      let keyPath = observation.keyPath(property.name)
      registrar.willSet(self, keyPath: keyPath)
      registrar.didSet(self, keyPath: keyPath)
    }
  }

  private func key(ofProperty property: Int) -> String? {
    let names = type(of: self)._entityDeclaration?.propertyNames ?? []
    return property < names.count ? names[property] : nil
  }

  /// Stands for a property in Observation's key paths, which only have to be equal for equal properties.
  subscript(observed key: String) -> Never? { nil }
}

/// What Observation keeps of a context's objects: a registrar for each object that a property was read of.
final class ObservationTable {
  private var registrars: [ObjectIdentifier: ObservationRegistrar] = [:]
  private var keyPaths: [String: KeyPath<ManagedObject, Never?>] = [:]

  /// The number of objects that something is kept for.
  var count: Int { registrars.count }

  func registrar(of object: ManagedObject) -> ObservationRegistrar {
    if let known = knownRegistrar(of: object) { return known }
    let registrar = ObservationRegistrar()
    registrars[ObjectIdentifier(object)] = registrar
    return registrar
  }

  func knownRegistrar(of object: ManagedObject) -> ObservationRegistrar? {
    registrars[ObjectIdentifier(object)]
  }

  func keyPath(_ key: String) -> KeyPath<ManagedObject, Never?> {
    if let known = keyPaths[key] { return known }
    let keyPath: KeyPath<ManagedObject, Never?> = \ManagedObject.[observed: key]
    keyPaths[key] = keyPath
    return keyPath
  }

  /// Forgets an object that goes away.
  func forget(_ object: ManagedObject) {
    registrars[ObjectIdentifier(object)] = nil
  }
}
