// SPDX-License-Identifier: Apache-2.0

/// A strict parser of Prometheus's text format: a metric is declared before its samples, and no sample is repeated.
struct PrometheusPage {
  struct Sample: Hashable {
    var name: String
    var labels: [String: String]
  }

  struct Failure: Error {
    var line: String
  }

  private(set) var helps: Set<String> = []
  private(set) var types: [String: String] = [:]
  private(set) var samples: [Sample: Double] = [:]

  init(_ text: String) throws {
    guard text.hasSuffix("\n") else { throw Failure(line: "the end") }
    for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
      let line = String(line)
      if line.hasPrefix("# HELP ") {
        guard helps.insert(String(line.split(separator: " ")[2])).inserted else {
          throw Failure(line: line)
        }
      } else if line.hasPrefix("# TYPE ") {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, helps.contains(words[2]), types[words[2]] == nil,
          ["counter", "gauge", "histogram"].contains(words[3])
        else { throw Failure(line: line) }
        types[words[2]] = words[3]
      } else {
        try read(line)
      }
    }
  }

  func value(_ name: String, _ labels: [String: String]) -> Double? {
    samples[Sample(name: name, labels: labels)]
  }

  private mutating func read(_ line: String) throws {
    var rest = Substring(line)
    let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
    rest.removeFirst(name.count)
    guard rest.popFirst() == "{", type(of: name) != nil else { throw Failure(line: line) }
    var labels: [String: String] = [:]
    while rest.first != "}" {
      let label = String(rest.prefix { $0.isLetter || $0 == "_" })
      rest.removeFirst(label.count)
      guard !label.isEmpty, rest.popFirst() == "=", rest.popFirst() == "\"", labels[label] == nil
      else { throw Failure(line: line) }
      labels[label] = try text(&rest, line)
      if rest.first == "," { rest.removeFirst() }
    }
    rest.removeFirst()
    guard rest.popFirst() == " ", let value = Double(rest) else { throw Failure(line: line) }
    guard samples.updateValue(value, forKey: Sample(name: name, labels: labels)) == nil else {
      throw Failure(line: line)
    }
  }

  /// Returns the text up to the closing quotation mark.
  private func text(_ rest: inout Substring, _ line: String) throws -> String {
    var scalars = rest.unicodeScalars
    var result = String.UnicodeScalarView()
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\"":
        rest = Substring(scalars)
        return String(result)
      case "\\":
        switch scalars.popFirst() {
        case "n": result.append("\n")
        case "\\": result.append("\\")
        case "\"": result.append("\"")
        default: throw Failure(line: line)
        }
      default: result.append(scalar)
      }
    }
    throw Failure(line: line)
  }

  /// Returns the type of a sample's metric: a histogram has samples of three names.
  private func type(of name: String) -> String? {
    if let type = types[name], type != "histogram" { return type }
    for suffix in ["_bucket", "_sum", "_count"] where name.hasSuffix(suffix) {
      if types[String(name.dropLast(suffix.count))] == "histogram" { return "histogram" }
    }
    return nil
  }
}
