// SPDX-License-Identifier: Apache-2.0

import RoostModel

// What properties that are read by their names do on a path recorder: note the name, and return something of the type.
extension ManagedObject {
  /// Whether the object only notes what is read of it.
  package final var isRecorder: Bool { flags.contains(.recorder) }

  /// Notes that a property is read; returns a value through which a key path can go on.
  package final func recordKey<T>(_ key: String, as type: T.Type) -> T {
    recorder?.path.append(key)
    let wrapped = (T.self as? any OptionalType.Type)?.wrapped ?? T.self
    if let recorder, let destination = wrapped as? ManagedObject.Type,
      let object = destination.makeRecorder(recorder) as? T
    {
      return object
    }
    if let known = T.self as? any AttributeValue.Type, let value = anything(of: known) as? T {
      return value
    }
    if let collection = T.self as? any ExpressibleByArrayLiteral.Type,
      let value = empty(collection) as? T
    {
      return value
    }
    guard let value = (T.self as? any OptionalType.Type)?.nothing as? T else {
      preconditionFailure("A key path cannot read \(key), a property of type \(T.self).")
    }
    return value
  }
}

private func anything<T: AttributeValue>(of type: T.Type) -> Any {
  RecorderMemory.read() as T
}

private func empty<T: ExpressibleByArrayLiteral>(_ type: T.Type) -> Any {
  [] as T
}

/// An optional, whatever it wraps.
private protocol OptionalType {
  static var wrapped: Any.Type { get }
  static var nothing: Any { get }
}

extension Optional: OptionalType {
  static var wrapped: Any.Type { Wrapped.self }
  static var nothing: Any { nil as Wrapped? as Any }
}
