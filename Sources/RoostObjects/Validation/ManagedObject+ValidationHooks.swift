// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// What the member that `@Entity` writes calls: it gives a method `validate<Key>` the value in the type of the property,
// and takes back what the method made of it.
extension ManagedObject {
  /// Judges an attribute. A value that the type has no room for, as nil, is left to the model's rules.
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

  /// Judges an attribute by its raw value.
  public final func _judge<T: RawRepresentable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T) throws -> Void
  ) throws where T.RawValue: AttributeValue {
    guard let raw = T.RawValue(value), var typed = T(rawValue: raw) else { return }
    try hook(&typed)
    value = typed.rawValue.attributeValue
  }

  /// Judges an optional attribute by its raw value.
  public final func _judge<T: RawRepresentable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T?) throws -> Void
  ) throws where T.RawValue: AttributeValue {
    var typed = T.RawValue(value).flatMap { T(rawValue: $0) }
    try hook(&typed)
    value = typed?.rawValue.attributeValue ?? .null
  }

  /// Judges a to-one relationship.
  public final func _judge<T: ManagedObject>(
    _ value: inout Value, forKey key: String, _ hook: (inout T?) throws -> Void
  ) throws {
    var typed = object(in: value) as? T
    try hook(&typed)
    value = typed.map { .objectID($0.identity) } ?? .null
  }

  /// Judges a to-many relationship.
  public final func _judge<T: ManagedObject>(
    _ value: inout Value, forKey key: String, _ hook: (inout Set<T>) throws -> Void
  ) throws {
    let known = objects(in: value).compactMap { $0 as? T }
    var typed = Set(known)
    let before = typed
    try hook(&typed)
    guard typed != before else { return }
    let kept = known.filter(typed.contains)
    let new = typed.subtracting(before).sorted { $0.isBefore($1) }
    value = .list((kept + new).map { .objectID($0.identity) })
  }

  /// Judges an ordered relationship.
  public final func _judge<T: ManagedObject>(
    _ value: inout Value, forKey key: String, _ hook: (inout [T]) throws -> Void
  ) throws {
    var typed = objects(in: value).compactMap { $0 as? T }
    let before = typed
    try hook(&typed)
    if typed != before { value = .list(typed.map { .objectID($0.identity) }) }
  }

  /// Judges a transformable attribute.
  @_disfavoredOverload
  public final func _judge<T: Codable & Sendable & Equatable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T) throws -> Void
  ) throws {
    guard let before: T = try decoded(value, forKey: key) else { return }
    var typed = before
    try hook(&typed)
    if typed != before { value = encoded(typed, forKey: key) }
  }

  /// Judges an optional transformable attribute.
  @_disfavoredOverload
  public final func _judge<T: Codable & Sendable & Equatable>(
    _ value: inout Value, forKey key: String, _ hook: (inout T?) throws -> Void
  ) throws {
    let before: T? = try decoded(value, forKey: key)
    var typed = before
    try hook(&typed)
    if typed != before { value = typed.map { encoded($0, forKey: key) } ?? .null }
  }

  // MARK: - Values

  private func object(in value: Value) -> ManagedObject? {
    guard case .objectID(let id) = value else { return nil }
    return context?.object(with: id)
  }

  private func objects(in value: Value) -> [ManagedObject] {
    guard case .list(let values) = value else { return [] }
    return values.compactMap(object)
  }

  private func codec<T: Codable & Sendable>(_ type: T.Type, forKey key: String)
    -> TransformableCodec
  {
    let attribute = binding.attribute(named: key)
    let own = attribute?.transformableCodec ?? .of(type)
    return attribute?.valueTransformerName.map { .named($0, orOf: own) } ?? own
  }

  private func decoded<T: Codable & Sendable>(_ value: Value, forKey key: String) throws -> T? {
    guard case .transformable(let stored) = value else { return nil }
    return try stored.object(decodedBy: codec(T.self, forKey: key)) as? T
  }

  private func encoded<T: Codable & Sendable>(_ object: T, forKey key: String) -> Value {
    .transformable(TransformableValue(object, codec: codec(T.self, forKey: key)))
  }
}

extension AttributeDescription {
  /// The codec that the attribute names; nil when it names none.
  fileprivate func namedCodec() throws -> TransformableCodec? {
    valueTransformerName == nil ? nil : try codec()
  }
}
