// SPDX-License-Identifier: Apache-2.0

/// A reader for the objects of an `NSKeyedArchiver` archive: classes are only names, and never instantiated.
final class KeyedArchive {
  /// An object of the archive: its number, which is its identity, its class and its fields.
  struct Object {
    let number: Int
    let className: String
    fileprivate let fields: [String: BinaryPropertyList.Node]
  }

  private var list: BinaryPropertyList
  private let objects: [Int]
  private var known: [Int: Object] = [:]
  /// The name of the file in errors.
  let name: String
  /// The object that contains all others.
  private(set) var root: Object?

  /// Reads the header of an archive.
  ///
  /// - Throws: `invalidModel` when the bytes are not an archive, `limitExceeded` when there are too many.
  init(_ bytes: [UInt8], name: String) throws(PersistenceError) {
    self.name = name
    list = try BinaryPropertyList(bytes, name: name)
    let top = try Self.fields(of: list.root, in: &list)
    guard top["$archiver"] == .string("NSKeyedArchiver"),
      case .array(let objects)? = top["$objects"]
    else { throw PersistenceError(.invalidModel, "\(name) is no keyed archive.") }
    self.objects = objects
    guard let index = Self.index(of: "$top", in: list.root, &list),
      case .reference(let root)? = try Self.fields(of: index, in: &list)["root"]
    else { throw PersistenceError(.invalidModel, "\(name) is an archive without a root object.") }
    self.root = try object(root)
  }

  /// Returns an error that names an object.
  func fault(_ object: Object, _ reason: String) -> PersistenceError {
    PersistenceError(
      .invalidModel, "\(name): object \(object.number) of class \(object.className) \(reason).")
  }

  private static func index(of key: String, in dictionary: Int, _ list: inout BinaryPropertyList)
    -> Int?
  {
    guard case .dictionary(let keys, let values)? = try? list.node(dictionary) else { return nil }
    for (name, value) in zip(keys, values) where (try? list.node(name)) == .string(key) {
      return value
    }
    return nil
  }

  private static func fields(
    of index: Int, in list: inout BinaryPropertyList
  ) throws(PersistenceError) -> [String: BinaryPropertyList.Node] {
    guard case .dictionary(let keys, let values) = try list.node(index) else { return [:] }
    var fields: [String: BinaryPropertyList.Node] = [:]
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = try list.node(key) else {
        throw list.fault(key, "is a key and no text")
      }
      fields[name] = try list.node(value)
    }
    return fields
  }

  /// Returns the node that a reference leads to.
  private func node(_ reference: Int) throws(PersistenceError) -> BinaryPropertyList.Node {
    guard objects.indices.contains(reference) else {
      throw PersistenceError(.invalidModel, "\(name): object \(reference) does not exist.")
    }
    // The first object stands for nil.
    return reference == 0 ? .null : try list.node(objects[reference])
  }

  private func object(_ reference: Int) throws(PersistenceError) -> Object? {
    if let object = known[reference] { return object }
    guard case .dictionary = try node(reference) else { return nil }
    let fields = try Self.fields(of: objects[reference], in: &list)
    guard case .reference(let classReference)? = fields["$class"],
      objects.indices.contains(classReference),
      case .string(let className)? = try Self.fields(of: objects[classReference], in: &list)[
        "$classname"]
    else {
      throw PersistenceError(.invalidModel, "\(name): object \(reference) has no class.")
    }
    let object = Object(number: reference, className: className, fields: fields)
    known[reference] = object
    return object
  }
}

// MARK: - Fields

extension KeyedArchive {
  /// The value of a field.
  enum Value {
    case null
    case boolean(Bool)
    case integer(Int64)
    case real(Double)
    case date(Double)
    case data([UInt8])
    case string(String)
    case object(Object)
  }

  /// Returns the value of an object's field; references are resolved.
  func value(_ key: String, of object: Object) throws(PersistenceError) -> Value {
    guard let node = object.fields[key] else { return .null }
    return try value(node)
  }

  private func value(_ node: BinaryPropertyList.Node) throws(PersistenceError) -> Value {
    switch node {
    case .null, .array, .dictionary: return .null
    case .boolean(let truth): return .boolean(truth)
    case .integer(let number): return .integer(number)
    case .real(let number): return .real(number)
    case .date(let seconds): return .date(seconds)
    case .data(let range): return .data(Array(list.bytes[range]))
    case .string(let text): return .string(text)
    case .reference(let reference):
      if let object = try object(reference) { return try plain(object) }
      let target = try self.node(reference)
      // A reference leads to a value or an object, never to another reference.
      if case .reference = target { return .null }
      return try value(target)
    }
  }

  /// Converts values that Foundation archives as objects.
  private func plain(_ object: Object) throws(PersistenceError) -> Value {
    switch object.className {
    case "NSString", "NSMutableString":
      if case .string(let text)? = object.fields["NS.string"] { return .string(text) }
      if case .reference(let text)? = object.fields["NS.string"],
        case .string(let text) = try node(text)
      {
        return .string(text)
      }
    case "NSDate", "NSMutableDate":
      if case .real(let seconds)? = object.fields["NS.time"] { return .date(seconds) }
    case "NSData", "NSMutableData":
      if case .data(let range)? = object.fields["NS.data"] {
        return .data(Array(list.bytes[range]))
      }
    case "NSNull": return .null
    default: break
    }
    return .object(object)
  }

  func text(_ key: String, of object: Object) throws(PersistenceError) -> String? {
    guard case .string(let text) = try value(key, of: object) else { return nil }
    return text
  }

  func isSet(_ key: String, of object: Object) throws(PersistenceError) -> Bool {
    switch try value(key, of: object) {
    case .boolean(let truth): truth
    case .integer(let number): number != 0
    default: false
    }
  }

  func number(_ key: String, of object: Object) throws(PersistenceError) -> Int? {
    guard case .integer(let number) = try value(key, of: object) else { return nil }
    return Int(exactly: number)
  }

  func child(_ key: String, of object: Object) throws(PersistenceError) -> Object? {
    guard case .object(let child) = try value(key, of: object) else { return nil }
    return child
  }

  /// Returns the members of an array or a set.
  func members(_ key: String, of object: Object) throws(PersistenceError) -> [Value] {
    guard let collection = try child(key, of: object) else { return [] }
    return try members(of: collection, "NS.objects")
  }

  /// Returns the members of a collection object.
  func members(
    of collection: Object, _ field: String = "NS.objects"
  ) throws(PersistenceError) -> [Value] {
    guard case .array(let indexes)? = collection.fields[field] else {
      if collection.className.hasSuffix("Array") || collection.className.hasSuffix("Set")
        || collection.className.hasSuffix("Dictionary")
      {
        return []
      }
      throw fault(collection, "is no collection")
    }
    var result: [Value] = []
    for index in indexes { result.append(try value(try list.node(index))) }
    return result
  }

  /// Returns the keys and values of a dictionary with string keys, in the order of the file.
  func entries(
    _ key: String, of object: Object
  ) throws(PersistenceError) -> [(key: String, value: Value)] {
    guard let dictionary = try child(key, of: object) else { return [] }
    let keys: [Value]
    let values: [Value]
    if dictionary.className == "NSKnownKeysDictionary1" {
      // Core Data's own dictionary class, which shares its keys among instances.
      guard let mapping = try child("searchMapping", of: dictionary) else {
        throw fault(dictionary, "has values without keys")
      }
      keys = try members("keys", of: mapping)
      values = try members("values", of: dictionary)
    } else {
      keys = try members(of: dictionary, "NS.keys")
      values = try members(of: dictionary, "NS.objects")
    }
    guard keys.count == values.count else { throw fault(dictionary, "has keys without values") }
    var result: [(key: String, value: Value)] = []
    for (key, value) in zip(keys, values) {
      guard case .string(let name) = key else {
        throw fault(dictionary, "has a key that is no text")
      }
      result.append((name, value))
    }
    return result
  }
}
