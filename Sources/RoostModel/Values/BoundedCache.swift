// SPDX-License-Identifier: Apache-2.0

/// A dictionary that keeps what was used last, and no more than twice its capacity.
///
/// It has a young and an old generation. What is found in the old one becomes young; when the young one is full it
/// becomes the old one, and what nobody asked for since the last time is forgotten. So both asking and adding are O(1).
@usableFromInline package struct BoundedCache<Key: Hashable, Element> {
  @usableFromInline var young: [Key: Element] = [:]
  @usableFromInline var old: [Key: Element] = [:]
  @usableFromInline let capacity: Int

  /// - Parameter capacity: How many elements a generation has, at least 1.
  @inlinable package init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// How many elements are kept.
  @inlinable package var count: Int { young.count + old.count }

  @inlinable package subscript(key: Key) -> Element? {
    mutating get {
      if let element = young[key] { return element }
      guard let element = old.removeValue(forKey: key) else { return nil }
      add(element, key)
      return element
    }
    set {
      old[key] = nil
      if let newValue { add(newValue, key) } else { young[key] = nil }
    }
  }

  @inlinable mutating func add(_ element: Element, _ key: Key) {
    if young.count >= capacity, young[key] == nil {
      old = young
      young = [:]
    }
    young[key] = element
  }
}
