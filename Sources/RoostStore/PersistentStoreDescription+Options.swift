// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension PersistentStoreDescription {
  /// Options that the coordinator reads itself.
  private static let common: Set<String> = [
    StoreOption.forceDestroy, StoreOption.remoteChangeNotification, StoreOption.historyTracking,
    StoreOption.historyLevel,
    HistoryLimits.option,
  ]

  /// Options that correspond to a property: they have no effect in ``options``.
  private static let properties: [String: String] = [
    StoreOption.readOnly: "isReadOnly", StoreOption.timeout: "timeout",
    StoreOption.ignoreVersioning: "ignoresModelVersions",
    StoreOption.migrateAutomatically: "shouldMigrateStoreAutomatically",
    StoreOption.inferMappingModel: "shouldInferMappingModelAutomatically",
    StoreOption.deferredLightweightMigration: "evolution.defersLightweightMigration",
  ]

  /// Refuses options that neither the coordinator nor the backend knows, so that a misspelt name is not ignored
  /// silently.
  ///
  /// - Throws: `invalidValue`, which names the option and lists the supported ones.
  package func checkOptions() throws(PersistenceError) {
    guard !passesOverUnknownOptions, let own = type.driver.optionNames else { return }
    for name in options.keys.sorted() where !own.contains(name) && !Self.common.contains(name) {
      if let property = Self.properties[name] {
        throw PersistenceError(
          .invalidValue,
          "The option “\(name)” has no effect in options: set the description's \(property), or "
            + "call setOption(_:forKey:).", key: name)
      }
      let known = own.union(Self.common).union(Self.properties.keys).sorted()
      throw PersistenceError(
        .invalidValue,
        "Stores of the type \(type.rawValue) have no option “\(name)”. The options are "
          + known.joined(separator: ", ") + ".", key: name)
    }
  }

  /// Returns whether the backend knows an option; used to ignore others, as Core Data does.
  package func knows(_ option: String) -> Bool {
    Self.common.contains(option) || Self.properties[option] != nil
      || type.driver.optionNames?.contains(option) ?? true
  }

  /// Returns the value of a Boolean option.
  ///
  /// - Throws: `invalidValue` when it is not a Boolean.
  package func isOn(_ option: String) throws -> Bool {
    try Self.truth(options[option], default: false, of: option)
  }

  /// Whether the history is to keep previous values.
  ///
  /// - Throws: `invalidValue` for an unknown level.
  package var wantsPreviousValues: Bool {
    get throws { try Self.keepsValues(options[StoreOption.historyLevel]) }
  }

  /// Returns the value of a numeric option; nil when it is not set.
  ///
  /// - Throws: `invalidValue` when it is not a positive integer.
  package func count(_ option: String) throws(PersistenceError) -> Int? {
    guard let value = options[option] else { return nil }
    guard case .integer(let number) = value, number > 0 else {
      throw PersistenceError(
        .invalidValue, "The option \(option) is a whole number above zero.", key: option)
    }
    return Int(clamping: number)
  }

  /// The pragmas as they are set.
  ///
  /// - Throws: `invalidValue` unless it is a dictionary of texts, numbers and Boolean values.
  package func checkedPragmas() throws(PersistenceError) -> [String: String] {
    guard let option = options[StoreOption.sqlitePragmas] else { return [:] }
    let pragmas = sqlitePragmas
    guard case .dictionary(let given) = option, given.count == pragmas.count else {
      throw PersistenceError(
        .invalidValue,
        "The option \(StoreOption.sqlitePragmas) is a dictionary of pragmas by name, each a text, "
          + "a whole number or a truth value.", key: StoreOption.sqlitePragmas)
    }
    return pragmas
  }
}
