// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The columns of a CSV file, from its first line.
struct CSVColumns {
  /// The path of each column, such as `team` and `name`; empty for an ignored column.
  private let paths: [[String]]
  /// The maximum number of names in a path: more than relationships and composites need.
  private static let largestDepth = 16

  /// The first path component of each column.
  var names: [String] { paths.compactMap(\.first) }

  /// - Parameters:
  ///   - header: The cells of the first line.
  ///   - mapping: Property names by column names; an empty name ignores the column.
  init(_ header: [String?], mapping: [String: String]) throws(ExchangeFault) {
    var paths: [[String]] = []
    var seen = Set<[String]>()
    for cell in header {
      guard let cell else {
        throw ExchangeFault("a column has no name", remedy: "Name all columns in the first line.")
      }
      let name = mapping[cell] ?? cell
      guard !name.isEmpty else {
        paths.append([])
        continue
      }
      let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      guard path.count <= Self.largestDepth, !path.contains("") else {
        throw ExchangeFault(
          "a column is called “\(name.prefix(80))”, which is no path of a property",
          key: String(name.prefix(80)),
          remedy: "Separate the names of properties with one dot each, as team.name.")
      }
      guard seen.insert(path).inserted else {
        throw ExchangeFault("two columns are called “\(name)”", key: name)
      }
      paths.append(path)
    }
    self.paths = paths
  }

  /// Returns the members of a line's record: dotted columns become objects.
  func members(_ cells: [String?]) throws(ExchangeFault) -> [JSONNode.Member] {
    guard cells.count == paths.count else {
      throw ExchangeFault(
        "the line has \(cells.count) cells, and the first line \(paths.count)",
        remedy: "Put cells with delimiters or ends of lines into quotation marks.")
    }
    return Self.members(zip(paths, cells).filter { !$0.0.isEmpty }.map { ($0.0[...], $0.1) })
  }

  private static func members(
    _ cells: [(path: ArraySlice<String>, cell: String?)]
  ) -> [JSONNode.Member] {
    var names: [String] = []
    var parts: [String: [(path: ArraySlice<String>, cell: String?)]] = [:]
    for (path, cell) in cells {
      guard let name = path.first else { continue }
      if parts[name] == nil { names.append(name) }
      parts[name, default: []].append((path.dropFirst(), cell))
    }
    return names.map { JSONNode.Member($0, node(parts[$0] ?? [])) }
  }

  /// Returns the value of the columns with one name. Of an ID and a key, the one that is present is used.
  private static func node(_ cells: [(path: ArraySlice<String>, cell: String?)]) -> JSONNode {
    if let text = cells.first(where: { $0.path.isEmpty })?.cell { return .text(text) }
    let inner = members(cells)
    return inner.isEmpty ? .null : .object(inner)
  }
}
