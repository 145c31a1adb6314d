// SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization

/// What Observation keeps of a context's objects: a registrar for each object that a property was read of.
final class ObservationTable {
  /// Whether all objects of the context can be observed, and not only those that were asked for.
  var isOfAllObjects = false
  // Objects are released on any thread.
  private let registrars = Mutex<[ObjectIdentifier: ObservationRegistrar]>([:])
  private var keyPaths: [String: KeyPath<ManagedObject, Never?>] = [:]

  /// The number of objects that something is kept for.
  var count: Int { registrars.withLock(\.count) }

  func registrar(of object: ManagedObject) -> ObservationRegistrar {
    if let known = knownRegistrar(of: object) { return known }
    let registrar = ObservationRegistrar()
    registrars.withLock { $0[ObjectIdentifier(object)] = registrar }
    return registrar
  }

  func knownRegistrar(of object: ManagedObject) -> ObservationRegistrar? {
    registrars.withLock { $0[ObjectIdentifier(object)] }
  }

  func keyPath(_ key: String) -> KeyPath<ManagedObject, Never?> {
    if let known = keyPaths[key] { return known }
    let keyPath: KeyPath<ManagedObject, Never?> = \ManagedObject.[observed: key]
    keyPaths[key] = keyPath
    return keyPath
  }

  /// Forgets an object that goes away.
  ///
  /// - Returns: Its registrar, which the caller lets go when it holds no lock.
  @discardableResult func remove(_ object: ManagedObject) -> ObservationRegistrar? {
    registrars.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) }
  }
}
