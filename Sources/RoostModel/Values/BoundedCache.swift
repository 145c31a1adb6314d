// SPDX-License-Identifier: Apache-2.0

/// A cache that keeps recently used elements, at most twice its capacity.
///
/// It has a young and an old generation. An element found in the old generation moves to the young one; when the
/// young one is full it replaces the old one, whose unused elements are evicted. So both lookup and insertion are
/// O(1).
@usableFromInline package struct BoundedCache<Key: Hashable, Element> {
  @usableFromInline var young: [Key: Element] = [:]
  @usableFromInline var old: [Key: Element] = [:]
  @usableFromInline let capacity: Int

  /// - Parameter capacity: How many elements a generation has, at least 1.
  @inlinable package init(capacity: Int) {
    self.capacity = max(1, capacity)
  }

  /// The number of cached elements.
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
