// SPDX-License-Identifier: Apache-2.0

/// The errors of `@Composite`.
extension Diagnostic {
  static func compositeNeedsStruct(_ what: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'@Composite' needs a struct, whose properties are the elements; \(what) is none",
      offset: offset)
  }

  static func genericComposite(_ name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(name)' is generic, and a composite has the same elements everywhere; declare a "
        + "struct for each of them",
      offset: offset)
  }

  static func noElements(_ name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(name)' has no stored property that could be an element", offset: offset)
  }

  static func elementPattern(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "an element of a composite is declared on its own, not in a pattern; write one "
        + "'var' for each name",
      offset: offset)
  }

  static func severalElements(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "each element of a composite has a 'var' of its own; move this one to a new line",
      offset: offset)
  }

  static func elementStorage(_ word: String, of name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(word)' has storage of its own, and the value of '\(name)' is in the object's "
        + "row; remove it, or mark '\(name)' with '@Unmodeled'",
      offset: offset)
  }

  static func noElement(_ type: String, of name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "a value of type '\(type)' cannot be kept in a store; use a type that is "
        + "'Codable', or mark '\(name)' with '@Unmodeled'",
      offset: offset)
  }

  static func elementOption(_ option: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(option)' is for attributes of a class, not for the elements of a composite",
      offset: offset)
  }

  static func unsetElement(_ name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(name)' is no element and needs an initial value, since records make values, "
        + "too; give it one",
      offset: offset)
  }
}
