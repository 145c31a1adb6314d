// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Reads of properties by name on a path recorder: they record the name, and return a value of the type.
extension PathRecording {
  /// Whether the object only records reads.
  var isRecorder: Bool { owner.flags.contains(.recorder) }

  /// Records the read of a property; returns a value on which a key path can continue.
  func recordKey<T>(_ key: String, as type: T.Type) -> T {
    let (value, answer): (T, PathAnswer) = keyedAnswer(key)
    if let recorder = owner.recorder, recorder.isFollowing { recorder.note(key, of: owner, answer) }
    return value
  }

  private func keyedAnswer<T>(_ key: String) -> (T, PathAnswer) {
    let wrapped = PathValues.wrapped(T.self)
    let nothing = (T.self as? any OptionalValue.Type)?.nothing as? T
    if let recorder = owner.recorder, let destination = wrapped as? ManagedObject.Type {
      if let nothing, recorder.round == .nowhere || !recorder.isFollowing {
        return (nothing, .destination(nil, isOptional: true))
      }
      let object = recorder.destination(key, of: owner, as: destination)
      if let value = object as? T {
        return (value, .destination(object, isOptional: nothing != nil))
      }
    }
    if let known = T.self as? any AttributeValue.Type, let value = anything(of: known) as? T {
      return (value, .value(value))
    }
    if let values = wrapped as? any RawRepresentable.Type,
      let value = MissingValue.ofAny(values) as? T
    {
      return (value, .value(value))
    }
    if let collection = T.self as? any ExpressibleByArrayLiteral.Type,
      let value = empty(collection) as? T
    {
      return (value, .anything(of: T.self))
    }
    guard let nothing else {
      preconditionFailure("A key path cannot read \(key), a property of type \(T.self).")
    }
    return (nothing, .anything(of: T.self))
  }

  private func anything<T: AttributeValue>(of type: T.Type) -> Any {
    owner.recorder?.attribute(type) ?? RecorderMemory.read() as T
  }
}

private func empty<T: ExpressibleByArrayLiteral>(_ type: T.Type) -> Any {
  [] as T
}
