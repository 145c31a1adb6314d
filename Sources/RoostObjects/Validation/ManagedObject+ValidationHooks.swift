// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Support for the member that `@Entity` generates: passes the value to a method `validate<Key>` in the type of the
// property, and takes over the value as changed by the method.
extension ManagedObject {
  /// Validates an attribute. A value that the type cannot represent, such as nil, is left to the model's rules.
  public final func _judge<T: AttributeValue>(
    _ value: inout Value, forKey key: String, _ hook: (inout T) throws -> Void
  ) throws {
    if case .transformable(let stored) = value,
      let codec = try binding.attribute(named: key)?.namedCodec()
    {
      guard var typed = try stored.object(decodedBy: codec) as? T else { return }
      let before = typed.attributeValue
      try hook(&typed)
      guard typed.attributeValue != before else { return }
      value = .transformable(TransformableValue(typed, codec: codec))
      return
    }
    guard var typed = T(value) else { return }
    try hook(&typed)
    let judged = typed.attributeValue
    if judged != value { value = judged }
  }

  /// Validates an attribute by its raw value.
  public final func _judge<T: RawRepresentable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T) throws -> Void
  ) throws where T.RawValue: AttributeValue {
    guard let raw = T.RawValue(value), var typed = T(rawValue: raw) else { return }
    try hook(&typed)
    value = typed.rawValue.attributeValue
  }

  /// Validates an optional attribute by its raw value.
  public final func _judge<T: RawRepresentable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T?) throws -> Void
  ) throws where T.RawValue: AttributeValue {
    var typed = T.RawValue(value).flatMap { T(rawValue: $0) }
    try hook(&typed)
    value = typed?.rawValue.attributeValue ?? .null
  }

  /// Validates a to-one relationship.
  public final func _judge<T: ManagedObject>(
    _ value: inout Value, forKey key: String, _ hook: (inout T?) throws -> Void
  ) throws {
    var typed = validator.object(in: value) as? T
    try hook(&typed)
    value = typed.map { .objectID($0.identity) } ?? .null
  }

  /// Validates a to-many relationship.
  public final func _judge<T: ManagedObject>(
    _ value: inout Value, forKey key: String, _ hook: (inout Set<T>) throws -> Void
  ) throws {
    let known = validator.objects(in: value).compactMap { $0 as? T }
    var typed = Set(known)
    let before = typed
    try hook(&typed)
    guard typed != before else { return }
    let kept = known.filter(typed.contains)
    let new = typed.subtracting(before).sorted { $0.related.isBefore($1) }
    value = .list((kept + new).map { .objectID($0.identity) })
  }

  /// Validates an ordered relationship.
  public final func _judge<T: ManagedObject>(
    _ value: inout Value, forKey key: String, _ hook: (inout [T]) throws -> Void
  ) throws {
    var typed = validator.objects(in: value).compactMap { $0 as? T }
    let before = typed
    try hook(&typed)
    if typed != before { value = .list(typed.map { .objectID($0.identity) }) }
  }

  /// Validates a transformable attribute.
  @_disfavoredOverload
  public final func _judge<T: Codable & Sendable & Equatable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T) throws -> Void
  ) throws {
    guard let before: T = try validator.decoded(value, forKey: key) else { return }
    var typed = before
    try hook(&typed)
    if typed != before { value = validator.encoded(typed, forKey: key) }
  }

  /// Validates an optional transformable attribute.
  @_disfavoredOverload
  public final func _judge<T: Codable & Sendable & Equatable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T?) throws -> Void
  ) throws {
    let before: T? = try validator.decoded(value, forKey: key)
    var typed = before
    try hook(&typed)
    if typed != before { value = typed.map { validator.encoded($0, forKey: key) } ?? .null }
  }

  // MARK: - Values
}

extension AttributeDescription {
  /// The codec that the attribute names; nil when it names none.
  fileprivate func namedCodec() throws -> TransformableCodec? {
    valueTransformerName == nil ? nil : try codec()
  }
}
