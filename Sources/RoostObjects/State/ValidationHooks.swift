// SPDX-License-Identifier: Apache-2.0

/// The properties that a class validates by `validate<Key>` or `validate(_:forKey:)`: only their values have to be
/// created for it.
struct ValidationHooks {
  /// Whether the class may validate every property.
  private let judgesAll: Bool
  /// The properties with a `validate<Key>` method.
  private let keys: Set<String>

  init(of objectClass: ManagedObject.Type) {
    let declaration = objectClass._entityDeclaration
    // The methods of a class without a declaration are unknown.
    judgesAll = objectClass != ManagedObject.self && declaration?.hasOwnValidation ?? true
    keys = declaration?.allValidatedKeys ?? []
  }

  /// Whether the class may validate a property.
  func concern(_ key: String) -> Bool {
    judgesAll || keys.contains(key)
  }
}
