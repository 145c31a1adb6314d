// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ValidationRunner {
  func object(in value: Value) -> ManagedObject? {
    guard case .objectID(let id) = value else { return nil }
    return owner.context?.object(with: id)
  }

  func objects(in value: Value) -> [ManagedObject] {
    guard case .list(let values) = value else { return [] }
    return values.compactMap(object)
  }

  private func codec<T: Codable & Sendable>(_ type: T.Type, forKey key: String)
    -> TransformableCodec
  {
    let attribute = owner.binding.attribute(named: key)
    let own = attribute?.transformableCodec ?? .of(type)
    return attribute?.valueTransformerName.map { .named($0, orOf: own) } ?? own
  }

  func decoded<T: Codable & Sendable>(_ value: Value, forKey key: String) throws -> T? {
    guard case .transformable(let stored) = value else { return nil }
    return try stored.object(decodedBy: codec(T.self, forKey: key)) as? T
  }

  func encoded<T: Codable & Sendable>(_ object: T, forKey key: String) -> Value {
    .transformable(TransformableValue(object, codec: codec(T.self, forKey: key)))
  }
}
