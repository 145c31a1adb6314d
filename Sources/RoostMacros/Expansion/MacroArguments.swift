// SPDX-License-Identifier: Apache-2.0

/// The arguments of `@Attribute` and `@Relationship` in the order of their parameters.
///
/// The compiler reports a wrong order or an unknown label where the macro is written. The expansion has nothing to add
/// to that.
enum MacroArguments {
  private static let labels = [
    MacroName.attribute: [
      nil, "originalName", "versionHashModifier", "minimum", "maximum", "matching", "transformer",
      "derivation", "userInfo",
    ],
    MacroName.relationship: [
      nil, "deleteRule", "inverse", "minCount", "maxCount", "ordered", "transient", "originalName",
      "versionHashModifier", "userInfo",
    ],
  ]

  /// The arguments that the macro has, in order.
  static func ordered(_ macro: AttributeNode?) -> [ArgumentNode] {
    guard let macro, let labels = labels[macro.name] else { return macro?.arguments ?? [] }
    return labels.flatMap { label in macro.arguments.filter { $0.label == label } }
  }
}
