// SPDX-License-Identifier: Apache-2.0

/// An attribute: `@Attribute(.unique, originalName: "mail")`.
struct AttributeNode {
  /// The name without the module's: `Attribute`.
  var name: String
  /// The index of the `@`.
  var start: Int
  /// The arguments in parentheses; empty when there are none.
  var arguments: [ArgumentNode]
}

/// An argument of an attribute.
struct ArgumentNode {
  /// The label; nil when there is none.
  var label: String?
  /// The tokens of the label, the colon and the value.
  var range: Range<Int>
  /// The tokens of the value.
  var value: Range<Int>
}

/// A macro that stands as a declaration of its own: `#Unique<Person>([\.email])`.
struct MacroNode {
  /// The name without the module's: `Unique`.
  var name: String
  /// The index of the `#`.
  var start: Int
  /// The tokens between the angle brackets; nil when there are none.
  var typeArguments: Range<Int>?
  /// The arguments in parentheses; empty when there are none.
  var arguments: [ArgumentNode]
}

/// The attributes and modifiers of a declaration, and its keyword.
struct DeclarationPrefix {
  var attributes: [AttributeNode] = []
  /// The modifiers' words, with `(set)` and the like: `public`, `private(set)`.
  var modifiers: [String] = []
  /// The index of the declaration's keyword.
  var keyword: Int

  func hasModifier(_ word: String) -> Bool { modifiers.contains(word) }

  /// Whether a modifier applies to the setter alone, as in `private(set)`.
  var restrictsSetter: Bool { modifiers.contains { $0.hasSuffix("(set)") } }

  /// The attributes of one of these names.
  func attributes(named names: Set<String>) -> [AttributeNode] {
    attributes.filter { names.contains($0.name) }
  }
}

/// A type declaration with its members.
struct TypeNode {
  var prefix: DeclarationPrefix
  /// `class`, `struct`, `extension`, ...
  var keyword: String
  /// The name as in the source, including backticks.
  var name: String
  /// The index of the name.
  var nameIndex: Int
  var isGeneric: Bool
  /// The types after the colon, each a range of tokens.
  var inheritedTypes: [Range<Int>]
  var members: [BodyElement]
}

/// An element of a type's body.
enum BodyElement {
  /// A variable or constant.
  case property(PropertyNode)
  /// A method.
  case method(MethodNode)
  /// An initializer.
  case initializer(InitializerNode)
  /// A type or a type alias, with its name.
  case type(name: String, keyword: String)
  /// A macro that stands as a declaration of its own.
  case macro(MacroNode)
  /// A line of conditional compilation.
  case directive(kind: DirectiveKind, text: String)
  /// Anything else.
  case other
}

enum DirectiveKind {
  case opens
  case continues
  case isElse
  case closes

  /// The kind of a line that begins with `#`.
  init(_ text: String) {
    if text.hasPrefix("#elseif") {
      self = .continues
    } else if text.hasPrefix("#else") {
      self = .isElse
    } else if text.hasPrefix("#endif") {
      self = .closes
    } else {
      self = .opens
    }
  }
}

/// The declaration of a variable or a constant.
struct PropertyNode {
  /// The kind of accessors in the braces after the name and type.
  enum Accessors {
    case none
    /// A getter, and perhaps a setter.
    case computed
    /// `willSet` or `didSet`.
    case observers
  }

  var prefix: DeclarationPrefix
  /// `var` or `let`.
  var isVariable: Bool
  /// The name as in the source, including backticks; nil for a pattern such as `(a, b)`.
  var name: String?
  /// The index of the name, or of the pattern.
  var nameIndex: Int
  /// The tokens of the type; nil when there is none.
  var type: Range<Int>?
  /// The tokens of the initial value; nil when there is none.
  var initialValue: Range<Int>?
  var accessors: Accessors
  /// The index of the first of several variables that one keyword declares; nil when there is only one.
  var furtherBinding: Int?

  /// Whether it belongs to the type and not to its instances.
  var isStatic: Bool { prefix.hasModifier("static") || prefix.hasModifier("class") }
}

/// The declaration of a method.
struct MethodNode {
  var prefix: DeclarationPrefix
  /// The name as in the source.
  var name: String
  /// The tokens between the parentheses after the name.
  var parameters: Range<Int>

  /// Whether it belongs to the type and not to its instances.
  var isStatic: Bool { prefix.hasModifier("static") || prefix.hasModifier("class") }
}

/// The declaration of an initializer.
struct InitializerNode {
  var prefix: DeclarationPrefix
  /// The labels of the parameters, without backticks.
  var labels: [String]
  /// The type of the first parameter as in the source; empty when there is none.
  var firstType: String
  /// The tokens after the parameters.
  var body: Range<Int>

  /// Whether it is the required initializer that makes every object.
  var isRequired: Bool { labels == ["entity", "insertInto"] }
}

extension String {
  /// The name without its backticks.
  var withoutBackticks: String {
    hasPrefix("`") && hasSuffix("`") && utf8.count > 2 ? String(dropFirst().dropLast()) : self
  }
}
