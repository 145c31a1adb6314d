// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Values for the elements of a composite with which a key path is evaluated.
struct ElementSample {
  /// An element that has another than the first value for its type.
  struct Variation: Equatable {
    /// The index of the element among those with slots.
    let element: Int
    /// The index of the value among those for its type.
    let number: Int

    static let none = Variation(element: 0, number: 0)
  }

  let composite: CompositeDeclaration
  /// The value of each element that has a slot; null for one that a codec encodes.
  let values: [Value]
  /// All that a key path is evaluated with to find the element that it reads.
  let variations: [Variation]

  /// Creates values.
  ///
  /// - Parameters:
  ///   - composite: The composite.
  ///   - valueType: The value type of the key path; nil is no value for one that is not optional.
  ///   - variation: The element that has another value.
  init(_ composite: CompositeDeclaration, for valueType: Any.Type, _ variation: Variation) {
    var values: [Value] = []
    var variations = [Variation.none]
    for (index, leaf) in composite.leaves.enumerated() {
      let samples = leaf.declaration.samples(for: valueType)
      let number = index == variation.element ? variation.number : 0
      values.append(samples.isEmpty ? .null : samples[number % samples.count])
      variations += samples.indices.dropFirst().map { Variation(element: index, number: $0) }
    }
    self.composite = composite
    self.values = values
    self.variations = variations
  }
}

extension AttributeDeclaration {
  /// Whether only the type of a value can be compared: one that a codec encodes.
  var isOpaque: Bool { type == .transformable }

  /// Values of the attribute, such that getters which compute do not return all of them unchanged; empty for a type
  /// that a codec encodes.
  fileprivate func samples(for valueType: Any.Type) -> [Value] {
    guard !isOpaque, let type = self.valueType as? any AttributeValue.Type else { return [] }
    let declared = choiceType ?? self.valueType
    return Self.samples(
      type, PathValues.isOptional(valueType) ? declared : PathValues.wrapped(declared))
  }

  private static func samples<T: AttributeValue>(_ type: T.Type, _ result: Any.Type) -> [Value] {
    PathValues.values(of: type, for: result).map(\.attributeValue)
  }
}

// MARK: - Recording

extension PathRecording {
  /// Records the read of a composite attribute.
  func recordComposite<T: CompositeValue>(_ property: Int) -> T {
    T(elementValues: recordElements(property, T._composite, isOptional: false) ?? [])
  }

  /// Records the read of an optional composite attribute.
  func recordOptionalComposite<T: CompositeValue>(_ property: Int) -> T? {
    recordElements(property, T._composite, isOptional: true).map { T(elementValues: $0) }
  }

  private func recordElements(
    _ property: Int, _ composite: CompositeDeclaration, isOptional: Bool
  ) -> [Value]? {
    guard let recorder = owner.recorder, recorder.isFollowing else { return nil }
    var variation = ElementSample.Variation.none
    if case .elements(let other) = recorder.round { variation = other }
    let sample = ElementSample(composite, for: recorder.valueType, variation)
    recorder.note(
      name(property), of: owner, .composite(sample, isOptional: isOptional))
    return isOptional && recorder.round == .nowhere ? nil : sample.values
  }
}
