// SPDX-License-Identifier: Apache-2.0

/// What belongs to a model and may be changed until the model is used (B1).
protocol ModelPart: AnyObject {
  var isFrozen: Bool { get set }
}

extension ModelPart {
  /// Refuses a change of a model in use: called by every setter before anything changes.
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

/// A reference from a part to its owner. The owner takes it back when it dies, so that the part never follows it into
/// freed memory.
struct OwnerReference<Owner: AnyObject> {
  private(set) unowned var owner: Owner?
  private var identifier: ObjectIdentifier?

  init() {}

  mutating func set(_ owner: Owner?) {
    self.owner = owner
    identifier = owner.map(ObjectIdentifier.init)
  }

  /// Forgets the owner if it is `dying`, which must not be loaded any more.
  mutating func forget(_ dying: ObjectIdentifier) {
    guard identifier == dying else { return }
    owner = nil
    identifier = nil
  }

  /// Whether the owner is the object with an identifier, which may be dying.
  func isOwned(by candidate: ObjectIdentifier) -> Bool {
    identifier == candidate
  }
}
