// SPDX-License-Identifier: Apache-2.0

/// A part of a model, which is mutable until the model is in use (B1).
protocol ModelPart: AnyObject {
  var isFrozen: Bool { get set }
}

extension ModelPart {
  /// Traps when the model is in use; called by every setter before a change.
  func willChange(_ property: StaticString = #function) {
    if isFrozen {
      preconditionFailure(
        "\(property) cannot be changed, the model is in use: copy the model and edit the copy."
      )
    }
  }

  func checkEditable(_ name: String) throws {
    if isFrozen {
      throw PersistenceError(
        .modelInUse, "\(name) belongs to a model in use: copy the model and edit the copy.")
    }
  }
}

/// A reference from a part to its owner. The owner clears it when it is deallocated, so that it never dangles.
struct OwnerReference<Owner: AnyObject> {
  private(set) unowned var owner: Owner?
  private var identifier: ObjectIdentifier?

  init() {}

  mutating func set(_ owner: Owner?) {
    self.owner = owner
    identifier = owner.map(ObjectIdentifier.init)
  }

  /// Clears the reference if the owner is `dying`, which must not be loaded any more.
  mutating func forget(_ dying: ObjectIdentifier) {
    guard identifier == dying else { return }
    owner = nil
    identifier = nil
  }

  /// Whether the owner has an identifier; the owner may be in deallocation.
  func isOwned(by candidate: ObjectIdentifier) -> Bool {
    identifier == candidate
  }
}
