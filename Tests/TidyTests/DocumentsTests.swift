// SPDX-License-Identifier: Apache-2.0

import Testing

/// Tests that the documents agree with the sources.
@Suite struct DocumentsTests {
  /// Returns the file at a path, or in any folder if the path begins with a slash.
  private func file(_ path: String) throws -> SourceFile {
    let file = SourceTree.files.first {
      $0.path == path || (path.hasPrefix("/") && $0.path.hasSuffix(path))
    }
    return try #require(file, "\(path) does not exist")
  }

  @Test("every error code has a paragraph in the catalogue, and every paragraph a code")
  func errorCodes() throws {
    let codes = try ErrorCatalogue.codes(in: file("/PersistenceError+Codes.swift"))
    let paragraphs = try ErrorCatalogue.paragraphs(in: file("/Errors.md"))
    #expect(!codes.isEmpty)
    #expect(codes.subtracting(paragraphs).sorted() == [], "codes without a paragraph")
    #expect(paragraphs.subtracting(codes).sorted() == [], "paragraphs without a code")
  }

  @Test("every section of the catalogue of errors has an example")
  func errorExamples() throws {
    #expect(ErrorCatalogue.sectionsWithoutExample(in: try file("/Errors.md")) == [])
  }

  @Test("every example of a document is marked to be compiled or run, in one document alone")
  func markedExamples() {
    let documents = SourceTree.files.filter { $0.path.hasSuffix(".md") }
    var owners: [String: Set<String>] = [:]
    for document in documents {
      let examples = DocumentExamples(document)
      #expect(examples.unmarked == [], "examples of \(document.path) that nobody compiles")
      for name in examples.names { owners[name, default: []].insert(document.path) }
    }
    #expect(!owners.isEmpty)
    #expect(owners.filter { $0.value.count > 1 } == [:], "names that two documents give")
  }

  @Test(
    "every file that the documents name exists",
    arguments: ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
  func namedFiles(document: String) throws {
    let names = DocumentLinks.files(in: try file(document))
    let paths = SourceTree.files.map(\.path)
    let missing = names.filter { name in
      !paths.contains { $0 == name || $0.hasSuffix("/" + name) || $0.hasPrefix(name) }
    }
    #expect(missing.sorted() == [])
  }

  @Test("a code without a paragraph, and a name without a file, are found")
  func controls() {
    let source = "  public static let storeFull = Self(rawValue: 900_013)"
    let codes = ErrorCatalogue.codes(in: SourceFile(path: "A.swift", text: source))
    #expect(codes == ["storeFull (900013)"])
    let text = "### storeFull (900014)\n\nA paragraph.\n\n### empty (1)\n### other (2)\n\nText.\n"
    let paragraphs = ErrorCatalogue.paragraphs(in: SourceFile(path: "A.md", text: text))
    #expect(paragraphs == ["storeFull (900014)", "other (2)"])
    let sections =
      "# A\n\n## B\n\n```swift\n## C\n```\n\n## D\n\n### E\n```sh\n1\n```\n"
      + "\n## F\n\n```swift\n1\n```\n\n## G\n"
    let without = ErrorCatalogue.sectionsWithoutExample(
      in: SourceFile(path: "A.md", text: sections))
    #expect(without == ["D", "G"])
    let links = "See `Row+Slots.swift`, `Sources/RoostModel/` and `context.save()`."
    #expect(
      DocumentLinks.files(in: SourceFile(path: "A.md", text: links))
        == ["Row+Slots.swift", "Sources/RoostModel/"])
    let marked = "<!-- run: First -->\n```swift\n1\n```\n```swift\n2\n```\n```sh\n3\n```\n"
    let examples = DocumentExamples(SourceFile(path: "A.md", text: marked))
    #expect(examples.names == ["First"])
    #expect(examples.unmarked == [5])
  }
}

/// The error codes of the sources and of the catalogue, as `name (number)`.
private enum ErrorCatalogue {
  static func codes(in file: SourceFile) -> Set<String> {
    var codes: Set<String> = []
    for line in file.codeLines where line.has("static let ") && line.has("Self(rawValue: ") {
      let words = line.split(separator: " ")
      guard let name = words.firstIndex(of: "let").map({ words[$0 + 1] }),
        let number = words.last?.filter(\.isNumber)
      else { continue }
      codes.insert("\(name) (\(number))")
    }
    return codes
  }

  /// The headings that a text follows.
  static func paragraphs(in file: SourceFile) -> Set<String> {
    var found: Set<String> = []
    var heading: Substring?
    for line in file.lines where !line.isEmpty {
      if line.hasPrefix("#") {
        heading = line.hasPrefix("### ") ? line.dropFirst(4) : nil
      } else if let name = heading {
        found.insert(String(name))
      }
    }
    return found
  }
}

extension ErrorCatalogue {
  /// Returns the titles of the sections that have no Swift code.
  static func sectionsWithoutExample(in file: SourceFile) -> [String] {
    var without: [String] = []
    var isInCode = false
    var isWaiting = false
    for line in file.lines {
      if line.hasPrefix("```") {
        isInCode = !isInCode
        if isWaiting, line == "```swift" {
          without.removeLast()
          isWaiting = false
        }
      } else if !isInCode, line.hasPrefix("## ") {
        without.append(String(line.dropFirst(3)))
        isWaiting = true
      }
    }
    return without
  }
}

/// The files and folders that a document names between backquotes.
private enum DocumentLinks {
  static func files(in file: SourceFile) -> Set<String> {
    var names: Set<String> = []
    for line in file.lines {
      let parts = line.split(separator: "`", omittingEmptySubsequences: false)
      for (index, part) in parts.enumerated() where !index.isMultiple(of: 2) {
        guard !part.contains(" "), !part.contains("*") else { continue }
        let isFolder = part.hasSuffix("/") && part.contains { $0.isUppercase }
        if part.hasSuffix(".swift") || isFolder { names.insert(String(part)) }
      }
    }
    return names
  }
}

/// The Swift examples of a document, which `Scripts/snippets` compiles when the line before says so.
private struct DocumentExamples {
  var names: Set<String> = []
  /// The lines of the examples that are not marked.
  var unmarked: [Int] = []

  init(_ file: SourceFile) {
    var last: Substring = ""
    for (index, line) in file.lines.enumerated() {
      if line.hasPrefix("```swift") {
        if line == "```swift", last.hasPrefix("<!-- run: ") || last.hasPrefix("<!-- compiled: "),
          last.hasSuffix(" -->"), let name = last.dropLast(4).split(separator: " ").last
        {
          names.insert(String(name))
        } else {
          unmarked.append(index + 1)
        }
      }
      last = line
    }
  }
}
