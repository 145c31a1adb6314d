// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Support for the member that `@Entity` generates: methods `validate<Key>` of composite attributes.
extension CompositeAccess {
  /// Validates a composite attribute. Nil, which a value without any element is, is left to the model's rules.
  public func _judge<T: CompositeValue>(
    _ value: inout Value, forKey key: String, _ hook: (inout T) throws -> Void
  ) throws {
    if value.isNull { return }
    var typed: T? = T(elementValues: T._composite.leafValues(of: value))
    try judge(&value, &typed) { typed in
      guard var content = typed else { return }
      try hook(&content)
      typed = content
    }
  }

  /// Validates an optional composite attribute.
  public func _judge<T: CompositeValue>(
    _ value: inout Value, forKey key: String, _ hook: (inout T?) throws -> Void
  ) throws {
    var typed = value.isNull ? nil : T(elementValues: T._composite.leafValues(of: value))
    try judge(&value, &typed, hook)
  }

  private func judge<T: CompositeValue>(
    _ value: inout Value, _ typed: inout T?, _ hook: (inout T?) throws -> Void
  ) throws {
    let before = typed?._elementValues
    try hook(&typed)
    guard typed?._elementValues != before else { return }
    value = typed.map { T._composite.value(ofLeaves: $0._elementValues) } ?? .null
  }
}
