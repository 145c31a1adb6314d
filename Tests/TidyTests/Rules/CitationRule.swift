// SPDX-License-Identifier: Apache-2.0

/// Every statement is cited by a test or by a case of the conformance kit, and every number that is cited is that of a
/// statement.
struct CitationRule {
  /// The letter of the numbers: B of `Documentation/Behaviours.md`, M of `Documentation/Evolution.md`, H of
  /// `Documentation/History.md`, X of `Documentation/AcrossStores.md`, E of `Documentation/Exchange.md`, T of
  /// `Documentation/Search.md`.
  var letter = "B"
  /// The numbers of the document.
  let behaviours: Set<Int>
  /// The behaviours that may be without a citation, and why.
  let uncited: [Int: String]

  /// Returns the errors in the citations of names.
  func complaints(about names: [CitingName]) -> [String] {
    var complaints: [String] = []
    var cited: Set<Int> = []
    for name in names {
      let numbers = CitedNumbers.all(letter, in: name.text)
      cited.formUnion(numbers)
      for number in numbers.subtracting(behaviours).sorted() {
        complaints.append("\(name.place) cites \(letter)\(number), and there is no such behaviour")
      }
    }
    for number in behaviours.subtracting(cited).sorted() where uncited[number] == nil {
      complaints.append("nothing cites \(letter)\(number)")
    }
    for (number, reason) in uncited.sorted(by: { $0.key < $1.key }) {
      if cited.contains(number) {
        complaints.append("\(letter)\(number) is cited: take it off the list")
      } else if !behaviours.contains(number) {
        complaints.append("\(letter)\(number) is on the list, and there is no such behaviour")
      } else if reason.isEmpty || reason.contains("\n") {
        complaints.append("\(letter)\(number) is on the list without a reason in one line")
      }
    }
    return complaints
  }
}

/// The name of a test or the title of a case.
struct CitingName {
  /// The location of the name.
  let place: String
  let text: String

  init(place: String, text: String) {
    self.place = place
    self.text = text
  }

  /// Returns the names of the tests of a file. For XCTest the comment above a test counts as its name.
  static func tests(in file: SourceFile) -> [CitingName] {
    guard file.isSwift, file.path.hasPrefix("Tests/") else { return [] }
    let usesXCTest = file.text.has("import XCTest")
    guard usesXCTest || file.text.has("@Test(") else { return [] }
    var names: [CitingName] = []
    for (index, line) in file.codeLines.enumerated() {
      var text: String?
      if line.has("@Test(") {
        // The name follows the parenthesis or begins the next line.
        text =
          line.trimmed == "@Test("
          ? literal(at: index + 1, after: "", in: file)
          : literal(at: index, after: "@Test(", in: file)
      } else if usesXCTest, line.trimmed.hasPrefix("func test") {
        text = comment(above: index, in: file)
      }
      if let text { names.append(CitingName(place: "\(file.path):\(index + 1)", text: text)) }
    }
    return names
  }

  /// Returns the string literal that begins a line, or follows a word in it; nil for anything else.
  private static func literal(at index: Int, after word: String, in file: SourceFile) -> String? {
    guard index < file.lines.count else { return nil }
    let code = Array(file.codeLines[index].utf8)
    let quote = UInt8(ascii: "\"")
    guard let start = code.firstIndex(of: quote),
      code[..<start].drop(while: { $0 == UInt8(ascii: " ") }).elementsEqual(word.utf8),
      let end = code[(start + 1)...].firstIndex(of: quote)
    else { return nil }
    return String(decoding: Array(file.lines[index].utf8)[(start + 1)..<end], as: UTF8.self)
  }

  private static func comment(above index: Int, in file: SourceFile) -> String? {
    var lines: [Substring] = []
    var above = index - 1
    while above >= 0, file.lines[above].trimmed.hasPrefix("///") {
      lines.insert(file.lines[above].trimmed, at: 0)
      above -= 1
    }
    return lines.isEmpty ? nil : lines.joined(separator: "\n")
  }
}

/// The numbers of behaviours that a text names: `B12`, and those between with `B339-B341`.
enum CitedNumbers {
  static func all(_ letter: String = "B", in text: String) -> Set<Int> {
    var numbers: Set<Int> = []
    for match in text.matches(of: /\b([A-Z])(\d+)(?:(?:-| to )([A-Z])(\d+))?\b/)
    where match.output.1 == letter {
      guard let first = Int(match.output.2) else { continue }
      let last = match.output.4.flatMap { Int($0) } ?? first
      numbers.formUnion(first...max(first, last))
    }
    return numbers
  }
}

/// The statements of a document.
struct BehaviourDocument {
  /// The numbers in the order of the document.
  let numbers: [Int]

  init(_ file: SourceFile, letter: String = "B") {
    numbers = file.lines.compactMap { line in
      guard line.hasPrefix("- **\(letter)") else { return nil }
      return Int(line.dropFirst(5).prefix { $0.isNumber })
    }
  }
}
