// SPDX-License-Identifier: Apache-2.0

/// The access level of the members that an expansion adds.
struct AccessLevel {
  /// The modifier before a member, with a trailing space; empty for internal or less.
  let modifier: String
  /// The modifier before a member that subclasses override; for an open class also those in other modules.
  let overridableModifier: String
  /// Whether code in other modules can see it, so that it may be inlined there.
  let isInlinable: Bool

  /// The access of a type's members: the type's own, or less when something around the type is less.
  ///
  /// - Parameter context: The declarations around the type, innermost first.
  init(of prefix: DeclarationPrefix, context: [SyntaxNode]) {
    let around = context.map(Self.declaration)
    var level = Self.level(of: prefix)
    // The members of `public extension` are public.
    if level == nil, let first = around.first, first.isExtension { level = first.level }
    modifier = level.map { $0 == "open" ? "public " : $0 + " " } ?? ""
    overridableModifier = level.map { $0 + " " } ?? ""
    let isSeen = around.allSatisfy { Self.isPublic($0.level) && !$0.isExtension }
    isInlinable = Self.isPublic(level) && isSeen
  }

  static func isPublic(_ level: String?) -> Bool { level == "public" || level == "open" }

  /// Returns the explicit access level; nil when it is internal, `fileprivate` or `private`, which members need not
  /// repeat.
  static func level(of prefix: DeclarationPrefix) -> String? {
    ["open", "public", "package"].first { prefix.hasModifier($0) }
  }

  private static func declaration(_ node: SyntaxNode) -> (level: String?, isExtension: Bool) {
    let parser = DeclarationParser(node.source)
    guard let prefix = parser.prefix(at: 0, limit: parser.list.count) else { return (nil, false) }
    return (level(of: prefix), parser.list.isWord(prefix.keyword, "extension"))
  }
}
