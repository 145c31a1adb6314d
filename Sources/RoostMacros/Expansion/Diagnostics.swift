// SPDX-License-Identifier: Apache-2.0

/// The errors that the macros report: each says what is wrong, and what to write instead.
extension Diagnostic {
  // MARK: - Classes

  static func entityNeedsClass(_ what: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'@Entity' needs a class that derives from 'ManagedObject'; \(what) is none",
      offset: offset)
  }

  static func genericEntity(_ name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(name)' is generic, and one entity cannot stand for many types; declare a class "
        + "for each of them",
      offset: offset)
  }

  static func noSuperclass(_ name: String, offset: Int, end: Int) -> Diagnostic {
    Diagnostic(
      sentence:
        "'\(name)' has no superclass; write 'class \(name): ManagedObject', or the class of "
        + "the superentity",
      offset: offset,
      fixIt: FixIt(
        sentence: "derive from 'ManagedObject'", range: end..<end, text: ": ManagedObject")
    )
  }

  static func foreignSuperclass(_ name: String, offset: Int, end: Int) -> Diagnostic {
    let text = name == "NSObject" ? "ManagedObject" : "ManagedObject, \(name)"
    return Diagnostic(
      sentence: "'\(name)' is no class of managed objects; write 'ManagedObject' first, or the "
        + "class of the superentity",
      offset: offset,
      fixIt: FixIt(sentence: "derive from 'ManagedObject'", range: offset..<end, text: text))
  }

  static func outsideEntity(macro: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'#\(macro)' belongs into the body of a class that is marked with '@Entity'",
      offset: offset)
  }

  static func unreadKeyPath(_ macro: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "the macro sees the text only; write lists of key paths, as "
        + "'#\(macro)<Person>([\\.country, \\.number])'",
      offset: offset)
  }

  static func otherClass(
    _ macro: String, _ name: String, owner: String, offset: Int
  ) -> Diagnostic {
    Diagnostic(
      sentence: "'#\(macro)' is about '\(owner)' here, and names '\(name)'; write "
        + "'#\(macro)<\(owner)>', or move it into the other class",
      offset: offset)
  }

  static func conditionalMacro(_ macro: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'#\(macro)' cannot stand between '#if' and '#endif': the model would have it in "
        + "every case",
      offset: offset)
  }

  static func noLiteral(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "the macro sees the text only; write 'values: true' or 'values: false'",
      offset: offset)
  }

  static func codable(_ name: String, of type: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "an object belongs to a context, and '\(name)' cannot be made for it; encode and "
        + "decode '\(type).Values', or implement it in the class",
      offset: offset)
  }

  static func initializer(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "an initializer of an entity class is 'convenience' and begins with "
        + "'self.init(context: context)'",
      offset: offset,
      fixIt: FixIt(
        sentence: "make it a convenience initializer", range: offset..<offset, text: "convenience ")
    )
  }

  static func override(offset: Int, end: Int) -> Diagnostic {
    Diagnostic(
      sentence: "an override of 'init(entity:insertInto:)' calls "
        + "'super.init(overriding:insertInto:)'",
      offset: offset,
      fixIt: FixIt(sentence: "call it", range: offset..<end, text: "overriding"))
  }

  static func uninitialized(_ name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(name)' is no part of the model and needs an initial value, since records make "
        + "objects, too; give it one, or make it a 'var' of the model",
      offset: offset)
  }

  // MARK: - Stored properties of an entity

  static func pattern(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "a property of an entity is declared on its own, not in a pattern; write one 'var' "
        + "for each name",
      offset: offset)
  }

  static func severalVariables(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "each property of an entity has a 'var' of its own; move this one to a new line",
      offset: offset)
  }

  static func reserved(_ name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(name)' is a member of every managed object; choose another name",
      offset: offset)
  }

  static func wrapper(_ wrapper: String, of name: String, at range: Range<Int>) -> Diagnostic {
    Diagnostic(
      sentence: wrapper == "NSManaged"
        ? "'@Entity' stands for '@NSManaged'; remove it"
        : "'@\(wrapper)' has storage of its own, and the value of '\(name)' is in the object's "
          + "row; remove it, or mark '\(name)' with '@Unmodeled'",
      offset: range.lowerBound,
      fixIt: FixIt(sentence: "remove '@\(wrapper)'", range: range, text: ""))
  }

  static func storage(_ modifier: String, of name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'\(modifier)' has no meaning for a property of an entity, whose value is in the "
        + "object's row; remove it, or mark '\(name)' with '@Unmodeled'",
      offset: offset)
  }

  static func observers(of name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'willSet' and 'didSet' cannot observe a property of an entity; use "
        + "'withObservationTracking', or mark '\(name)' with '@Unmodeled'",
      offset: offset)
  }

  static func noType(of name: String, offset: Int, guess: String?) -> Diagnostic {
    let end = offset + name.utf8.count
    return Diagnostic(
      sentence:
        "'\(name)' needs its type written out, as in 'var \(name): \(guess ?? "String")'; the "
        + "macro sees the text of the declaration only",
      offset: offset,
      fixIt: guess.map { FixIt(sentence: "write ': \($0)'", range: end..<end, text: ": \($0)") })
  }

  static func noAttribute(_ type: String, of name: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence:
        "a value of type '\(type)' cannot be kept in a store; use a type that is 'Codable', "
        + "or mark '\(name)' with '@Unmodeled'",
      offset: offset)
  }

  // MARK: - The place of a macro

  static func notAProperty(_ macro: String, offset: Int) -> Diagnostic {
    Diagnostic(sentence: "'@\(macro)' belongs to a stored property", offset: offset)
  }

  static func outsideEntity(_ macro: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'@\(macro)' has a meaning only in a class with '@Entity'", offset: offset)
  }

  static func inExtension(_ macro: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'@\(macro)' belongs to a property in the body of the class; an extension stores "
        + "nothing",
      offset: offset)
  }

  static func constant(_ macro: String, offset: Int, keyword: Range<Int>) -> Diagnostic {
    Diagnostic(
      sentence: "'@\(macro)' needs a 'var': the value of a constant cannot be loaded from a store",
      offset: offset,
      fixIt: FixIt(sentence: "make it a variable", range: keyword, text: "var"))
  }

  static func typeProperty(_ macro: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence:
        "'@\(macro)' needs a property of the objects; a 'static' or 'class' property belongs "
        + "to the type",
      offset: offset)
  }

  static func computed(_ macro: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'@\(macro)' needs a stored property; a computed one is not part of the model",
      offset: offset)
  }

  static func repeated(_ macro: String, after first: String, offset: Int) -> Diagnostic {
    let sentence =
      macro == first
      ? "'@\(macro)' is written twice; put all options into one"
      : "a property cannot have both '@\(first)' and '@\(macro)'"
    return Diagnostic(sentence: sentence, offset: offset)
  }

  // MARK: - Attributes

  static func notSearchable(_ type: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence:
        "'.searchable' is for texts, and '\(type)' is none; remove it, or make the property "
        + "a 'String'",
      offset: offset)
  }

  // MARK: - Relationships

  static func noDestination(_ type: String, offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "a relationship leads to managed objects, and '\(type)' holds values; write "
        + "'@Attribute', or a type as 'Person?', 'Set<Person>' or '[Person]'",
      offset: offset)
  }

  static func optionalToMany(_ type: String, offset: Int, mark: Range<Int>?) -> Diagnostic {
    Diagnostic(
      sentence: "a to-many relationship without destinations is empty and never nil; write "
        + "'\(type)'",
      offset: offset,
      fixIt: mark.map { FixIt(sentence: "remove the '?'", range: $0, text: "") })
  }

  static func destinations(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "a new object has no destinations; set them when it has been made", offset: offset)
  }

  static func badInverse(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "the inverse is a key path to one property of the destination, as '\\.people' or "
        + "'\\Department.people'",
      offset: offset)
  }

  // MARK: - Managed properties and methods

  static func managedProperty(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'@Managed' needs a 'var' of the objects with a type, and without an initial value "
        + "and accessors; the model has the default value",
      offset: offset)
  }

  static func managedMethod(offset: Int) -> Diagnostic {
    Diagnostic(
      sentence: "'@ManagedMethod' makes 'addTo<Key>', 'removeFrom<Key>', 'insertInto<Key>' and "
        + "'replace<Key>' of relationships; give this method a body",
      offset: offset)
  }
}
