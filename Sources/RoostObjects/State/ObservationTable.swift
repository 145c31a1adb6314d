// SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization

/// The Observation registrars of a context's objects: one for each object of which a property was read.
final class ObservationTable {
  /// Whether all objects of the context can be observed, or only those passed to `observe`.
  var isOfAllObjects = false
  // Objects may be released on any thread.
  private let registrars = Mutex<[ObjectIdentifier: ObservationRegistrar]>([:])
  private var keyPaths: [String: KeyPath<ManagedObject, Never?>] = [:]

  /// The number of objects with a registrar.
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

  /// Removes a released object.
  ///
  /// - Returns: Its registrar, which the caller releases without holding a lock.
  @discardableResult func remove(_ object: ManagedObject) -> ObservationRegistrar? {
    registrars.withLock { $0.removeValue(forKey: ObjectIdentifier(object)) }
  }
}
