// SPDX-License-Identifier: Apache-2.0

/// A type has at most 80 methods and 25 stored properties in its module, including its extensions: a larger one does
/// several things, which belong in separate types.
struct TypeSizeRule {
  static let methods = 80
  static let properties = 25

  /// The numbers of members of a type.
  struct Size: Equatable {
    var methods = 0
    var properties = 0
  }

  /// The sizes of all types of some files, by "Module.Type".
  static func sizes(in files: [SourceFile]) -> [String: Size] {
    var result: [String: Size] = [:]
    for file in files {
      guard let target = file.target else { continue }
      count(file, in: target, into: &result)
    }
    return result
  }

  /// Returns the types that exceed the limits.
  ///
  /// - Parameter exempt: The sizes that some types may have, by name.
  static func findings(in files: [SourceFile], exempt: [String: Size]) -> [String] {
    sizes(in: files).compactMap { name, size in
      let most = exempt[name] ?? Size(methods: methods, properties: properties)
      guard size.methods > most.methods || size.properties > most.properties else { return nil }
      return "\(name) has \(size.methods) methods and \(size.properties) stored properties"
    }.sorted()
  }

  private static func count(
    _ file: SourceFile, in target: String, into result: inout [String: Size]
  ) {
    // The types around a line, each with the depth of braces at which its members stand.
    var types: [(name: String, depth: Int)] = []
    var depth = 0
    for (index, line) in file.codeLines.enumerated() {
      if let type = types.last, depth == type.depth {
        let key = "\(target)." + types.map(\.name).joined(separator: ".")
        if isMethod(line) {
          result[key, default: Size()].methods += 1
        } else if isStoredProperty(line, followedBy: file.codeLines[(index + 1)...].first) {
          result[key, default: Size()].properties += 1
        }
      }
      let opened = declaredType(line)
      for character in line {
        if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
      }
      while let last = types.last, depth < last.depth { types.removeLast() }
      if let opened, line.last == "{" { types.append((opened, depth)) }
    }
  }

  private static let kinds: Set<Substring> = ["class", "struct", "enum", "actor", "extension"]
  private static let modifiers: Set<Substring> = [
    "public", "package", "private", "fileprivate", "final", "open", "nonisolated", "indirect",
  ]

  private static func declaredType(_ line: Substring) -> String? {
    guard line.has("{") else { return nil }
    let words = line.split(separator: " ")
    guard let place = words.firstIndex(where: { kinds.contains($0) }), place + 1 < words.count,
      words[..<place].allSatisfy({ modifiers.contains($0) || $0.first == "@" })
    else { return nil }
    return String(words[place + 1].prefix { $0.isLetter || $0.isNumber || $0 == "_" })
  }

  private static func isMethod(_ line: Substring) -> Bool {
    line.has("func ") && !line.has("static ") && !line.has("class func")
      && line.contains(/^ *(?:[@\w()]+ )*func\b/)
  }

  private static func isStoredProperty(_ line: Substring, followedBy next: Substring?) -> Bool {
    guard line.has("var ") || line.has("let "), !line.has("static "),
      line.contains(/^ *(?:[@\w()]+ )*(?:var|let) \w+/)
    else { return false }
    guard line.last == "{" || line.contains(/\{.*\}$/) else { return true }
    // A property that is observed is stored; one that is made by a closure, too.
    return next?.contains(/^ *(?:willSet|didSet)\b/) == true || line.contains(/= *\{$/)
      || line.contains(/\{ *(?:willSet|didSet)/)
  }
}
