// SPDX-License-Identifier: Apache-2.0

/// Which properties a class judges itself, by `validate<Key>` or by `validate(_:forKey:)`: only their values have to be
/// made for it.
struct ValidationHooks {
  /// Whether the class may judge every property.
  private let judgesAll: Bool
  /// The properties with a method of their own.
  private let keys: Set<String>

  init(of objectClass: ManagedObject.Type) {
    let declaration = objectClass._entityDeclaration
    // A class that is not declared says nothing of its methods.
    judgesAll = objectClass != ManagedObject.self && declaration?.hasOwnValidation ?? true
    keys = declaration?.allValidatedKeys ?? []
  }

  /// Whether the class may judge a property.
  func concern(_ key: String) -> Bool {
    judgesAll || keys.contains(key)
  }
}
