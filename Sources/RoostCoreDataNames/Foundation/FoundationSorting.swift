// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostObjects
public import RoostQuery

// On Linux, Foundation's sort descriptors have no keys. This module adds them, and converts descriptors to the order
// of requests.

#if !canImport(Darwin)
/// A sort descriptor with a key, as a subclass of Foundation's class.
final class KeySortDescriptor: NSSortDescriptor {
  let ordering: SortOrdering

  init(_ ordering: SortOrdering) {
    self.ordering = ordering
    super.init(
      keyPath: \NSString.length, ascending: ordering.ascending,
      comparator: { _, _ in .orderedSame })
  }

  required init?(coder: NSCoder) {
    nil
  }

  override func copy(with zone: NSZone? = nil) -> Any {
    self
  }

  override func isEqual(_ object: Any?) -> Bool {
    (object as? KeySortDescriptor)?.ordering == ordering
  }

  override var hash: Int { ordering.key.hashValue }

  override var reversedSortDescriptor: Any {
    var reversed = ordering
    reversed.ascending.toggle()
    return KeySortDescriptor(reversed)
  }

  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    ordering.compareAny(object1, to: object2)
  }
}

/// Adds initializers to Foundation's class that return an instance of a subclass.
public protocol KeyedSortDescriptor {}

extension NSSortDescriptor: KeyedSortDescriptor {}

extension KeyedSortDescriptor where Self: NSSortDescriptor {
  /// The key path whose values are compared; nil for a descriptor with a closure.
  public var key: String? { (try? SortOrdering(self))?.key }

  /// Makes a descriptor from one of Swift's sort descriptors, for a property of a managed object.
  public init<Object: ManagedObject>(_ descriptor: SortDescriptor<Object>) {
    guard let keyPath = descriptor.keyPath, let path = Object.propertyPath(for: keyPath) else {
      preconditionFailure("The key path reads something else than properties of the model.")
    }
    self.init(key: path.joined(separator: "."), ascending: descriptor.order == .forward)
  }

  /// Sorts by the values of a key path.
  ///
  /// ```swift
  /// request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
  /// ```
  public init(key: String?, ascending: Bool) {
    let ordering = SortOrdering(key ?? "self", ascending: ascending)
    self = unsafeDowncast(KeySortDescriptor(ordering), to: Self.self)
  }

  /// Sorts by the values of a key path, with a comparator for strings.
  ///
  /// A selector cannot be written without Objective-C: for `#selector(NSString.caseInsensitiveCompare(_:))` write
  /// `.caseInsensitive`, for `#selector(NSString.localizedStandardCompare(_:))` the comparator closest to it.
  ///
  /// ```swift
  /// NSSortDescriptor(key: "name", ascending: true, selector: .caseInsensitive)
  /// ```
  public init(key: String?, ascending: Bool, selector: SortOrdering.Comparator) {
    let ordering = SortOrdering(key ?? "self", ascending: ascending, comparator: selector)
    self = unsafeDowncast(KeySortDescriptor(ordering), to: Self.self)
  }

  /// Sorts by the values of a property of a managed object.
  ///
  /// ```swift
  /// NSSortDescriptor(keyPath: \Person.name, ascending: true)
  /// ```
  public init<Root: ManagedObject, Value>(keyPath: KeyPath<Root, Value>, ascending: Bool) {
    guard let path = Root.propertyPath(for: keyPath) else {
      preconditionFailure("The key path reads something else than properties of the model.")
    }
    self.init(key: path.joined(separator: "."), ascending: ascending)
  }
}
#endif

extension SortOrdering {
  /// Converts a sort descriptor of Foundation.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a descriptor without a key, and for one with a
  ///   comparison that stores do not support, such as a closure.
  public init(_ descriptor: NSSortDescriptor) throws {
    #if canImport(Darwin)
    guard let key = descriptor.key else { throw Self.refusal }
    let selector = descriptor.selector.map(NSStringFromSelector)
    guard let known = Self.selectors.first(where: { $0.selector == selector }) else {
      throw Self.comparatorRefusal
    }
    self.init(key, ascending: descriptor.ascending, comparator: known.comparator)
    #else
    if let known = descriptor as? KeySortDescriptor {
      self = known.ordering
      return
    }
    guard let path = ManagedObject.propertyPath(for: descriptor.keyPath) else {
      throw Self.refusal
    }
    guard ComparatorProbes.isBinary(descriptor) else { throw Self.comparatorRefusal }
    self.init(path.joined(separator: "."), ascending: descriptor.ascending)
    #endif
  }

  /// The order as a sort descriptor of Foundation.
  public var foundationSortDescriptor: NSSortDescriptor {
    #if canImport(Darwin)
    let known = Self.selectors.first { $0.comparator == comparator }
    return NSSortDescriptor(
      key: key, ascending: ascending, selector: known.map { NSSelectorFromString($0.selector) })
    #else
    return KeySortDescriptor(self)
    #endif
  }

  private static var refusal: PersistenceError {
    PersistenceError(.invalidRequest, "A sort descriptor without a key cannot be given to a store.")
  }

  private static var comparatorRefusal: PersistenceError {
    PersistenceError(
      .invalidRequest,
      "A sort descriptor with a comparator of its own cannot be given to a store."
    )
  }

  #if canImport(Darwin)
  /// Foundation's comparison methods and the comparators of stores that correspond to them.
  private static let selectors: [(selector: String, comparator: Comparator)] = [
    ("compare:", .binary), ("caseInsensitiveCompare:", .caseInsensitive),
    ("localizedCompare:", .localized), ("localizedStandardCompare:", .localizedStandard),
  ]
  #endif
}
