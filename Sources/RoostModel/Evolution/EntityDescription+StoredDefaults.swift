// SPDX-License-Identifier: Apache-2.0

extension EntityDescription {
  /// Returns the value that new records have in a slot, as a store keeps it: checked, and a transformable one with its
  /// bytes. An object that cannot be encoded remains without them.
  package func storedDefault(at slot: RowSlot) -> Value {
    let value = compiledDefaults?.value(at: slot) ?? .null
    guard case .transformable(let object) = value, let bytes = try? object.bytes() else {
      return value
    }
    return .transformable(TransformableValue(object: nil, encoded: bytes))
  }
}
