// SPDX-License-Identifier: Apache-2.0

/// The states of an object's relationships, by ordinal; empty until the first one is used.
///
/// A value type with copy-on-write. It is a single allocation of a type known at compile time, unlike an array of
/// states.
struct LinkStates {
  private var storage: LinkStorage?

  /// Creates an empty value.
  init() {}

  /// Creates room for the relationships of an entity.
  init(count: Int) {
    let buffer = LinkStorage.create(minimumCapacity: count) { _ in count }
    buffer.withUnsafeMutablePointerToElements {
      $0.initialize(repeating: .unloaded, count: count)
    }
    storage = unsafeDowncast(buffer, to: LinkStorage.self)
  }

  /// Creates a container that retains objects.
  init(to objects: [ManagedObject]) {
    self.init(count: objects.count)
    for (place, object) in objects.enumerated() { self[place] = .toOne(object) }
  }

  var isEmpty: Bool { storage == nil }

  subscript(ordinal: Int) -> LinkState {
    get {
      guard let storage else { preconditionFailure("An object has no such relationship.") }
      return storage.withUnsafeMutablePointers { count, states in
        precondition(ordinal >= 0 && ordinal < count.pointee, "An object has no such relationship.")
        return states[ordinal]
      }
    }
    set {
      if !isKnownUniquelyReferenced(&storage) { copy() }
      guard let storage else { preconditionFailure("An object has no such relationship.") }
      storage.withUnsafeMutablePointers { count, states in
        precondition(ordinal >= 0 && ordinal < count.pointee, "An object has no such relationship.")
        states[ordinal] = newValue
      }
    }
  }

  /// Makes the storage unique to this value.
  private mutating func copy() {
    guard let storage else { return }
    var result = LinkStates(count: storage.count)
    for (ordinal, state) in enumerated() { result[ordinal] = state }
    self = result
  }
}

extension LinkStates: Sequence {
  /// Iterates over the states in the order of the ordinals.
  struct Iterator: IteratorProtocol {
    fileprivate let states: LinkStates
    fileprivate let count: Int
    private var position = 0

    fileprivate init(_ states: LinkStates, count: Int) {
      self.states = states
      self.count = count
    }

    mutating func next() -> LinkState? {
      guard position < count else { return nil }
      defer { position += 1 }
      return states[position]
    }
  }

  func makeIterator() -> Iterator {
    Iterator(self, count: storage?.count ?? 0)
  }
}

/// The storage of ``LinkStates``: the count, and the states.
private final class LinkStorage: ManagedBuffer<Int, LinkState> {
  /// The count; by a pointer, since reading `header` is checked for exclusive access.
  var count: Int { withUnsafeMutablePointerToHeader { $0.pointee } }

  deinit {
    withUnsafeMutablePointers { count, states in
      _ = states.deinitialize(count: count.pointee)
    }
  }
}
