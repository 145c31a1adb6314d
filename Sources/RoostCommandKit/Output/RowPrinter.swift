// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostModel

/// Prints rows as they come: none is kept for longer than the form needs.
protocol RowPrinter {
  /// Takes the next row.
  mutating func add(_ values: [Value])
  /// Prints the remaining output.
  mutating func finish()
}

/// Comma separated values, as RFC 4180 has them: a line of names first, and the line feed that Unix has.
struct CSVPrinter: RowPrinter {
  let console: CommandConsole

  init(_ columns: [String], _ console: CommandConsole) {
    self.console = console
    console.print(Self.line(columns))
  }

  mutating func add(_ values: [Value]) {
    console.print(Self.line(values.map(ValueOutput.text)))
  }

  mutating func finish() {}

  private static func line(_ cells: [String]) -> String {
    // A line that is empty would be no row: the only cell of one is in quotation marks then.
    if cells == [""] { return "\"\"" }
    return cells.map(quoted).joined(separator: ",")
  }

  private static func quoted(_ cell: String) -> String {
    // A carriage return and a line feed are one character of a string, so the bytes are checked.
    guard cell.utf8.contains(where: { ",\"\r\n".utf8.contains($0) }) else { return cell }
    return "\""
      + cell.split(separator: "\"", omittingEmptySubsequences: false)
      .joined(separator: "\"\"") + "\""
  }
}

/// JSON lines: an object in each line.
struct JSONLinesPrinter: RowPrinter {
  let columns: [String]
  let console: CommandConsole

  mutating func add(_ values: [Value]) {
    let members = zip(columns, values).map {
      OutputNode.Member(name: $0, value: ValueOutput.node($1))
    }
    console.print(OutputNode.object(members).line)
  }

  mutating func finish() {}
}

/// A table for people. The first rows decide how wide the columns are; a longer text in a later row moves the rest of
/// its line.
struct TablePrinter: RowPrinter {
  private let columns: [String]
  private let console: CommandConsole
  private var first: [[String]] = []
  private var isNumber: [Bool]
  private var widths: [Int]?
  private static let sampleCount = 500
  /// Longer texts are cut.
  private static let largestWidth = 60

  init(_ columns: [String], _ console: CommandConsole) {
    self.columns = columns
    self.console = console
    isNumber = columns.map { _ in true }
  }

  mutating func add(_ values: [Value]) {
    let cells = values.map { Self.cell(ValueOutput.text($0)) }
    guard widths == nil else { return print(cells) }
    for (index, value) in values.enumerated() where !value.isNull {
      isNumber[index] = isNumber[index] && ValueOutput.isNumber(value)
    }
    first.append(cells)
    if first.count == Self.sampleCount { begin() }
  }

  mutating func finish() {
    if widths == nil { begin() }
  }

  private mutating func begin() {
    let widths = columns.indices.map { index in
      max(columns[index].count, first.map { $0[index].count }.max() ?? 0)
    }
    self.widths = widths
    print(columns)
    console.print(widths.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
    for row in first { print(row) }
    first = []
  }

  private func print(_ cells: [String]) {
    let padded = cells.enumerated().map { index, cell in
      Padding.pad(cell, to: widths?[index] ?? 0, isRight: isNumber[index])
    }
    console.print(Padding.line(padded))
  }

  /// Returns a text in one line, without control characters.
  static func cell(_ text: String) -> String {
    let line = String(
      text.prefix(largestWidth + 1).map { character in
        character.unicodeScalars.contains { $0.properties.generalCategory == .control }
          ? " " : character
      })
    return line.count > largestWidth ? line.prefix(largestWidth - 1) + "…" : line
  }
}

/// Padding that aligns texts in columns.
enum Padding {
  static func pad(_ text: String, to width: Int, isRight: Bool = false) -> String {
    let blanks = String(repeating: " ", count: max(0, width - text.count))
    return isRight ? blanks + text : text + blanks
  }

  /// Cells with two blanks between them, none at the end.
  static func line(_ cells: [String]) -> String {
    var line = cells.joined(separator: "  ")
    while line.last == " " { line.removeLast() }
    return line
  }

  /// Lines of cells, each column as wide as its widest cell.
  static func table(_ rows: [[String]], right: Set<Int> = []) -> [String] {
    let count = rows.map(\.count).max() ?? 0
    let widths = (0..<count).map { index in
      rows.compactMap { index < $0.count ? $0[index].count : nil }.max() ?? 0
    }
    return rows.map { row in
      line(
        row.enumerated().map { pad($1, to: widths[$0], isRight: right.contains($0)) })
    }
  }
}
