// SPDX-License-Identifier: Apache-2.0

/// The columns of the new version whose values the triggers of an expansion keep in the old one too, found by the text
/// of the triggers' functions alone: the models need not be known.
package struct SecondHomes {
  /// The codes of the records whose values are kept, by the column.
  package private(set) var codesByColumn: [String: Set<Int>] = [:]

  /// Whether a function keeps all links of its table in a column.
  package static func keepsLinks(_ function: String) -> Bool {
    function.hasPrefix("\(SQLExpansion.functionPrefix)links_")
  }

  package init() {}

  /// Takes the function of a trigger on a table.
  ///
  /// - Parameters:
  ///   - name: What it is called.
  ///   - text: What it does, as ``SQLExpansion`` writes it. What is written otherwise keeps nothing.
  package mutating func note(_ name: String, _ text: String) {
    let prefix = SQLExpansion.functionPrefix
    let record = #"\(NEW\."_key" & 4095\) IN \(([0-9, ]+)\)"#
    let pattern: String
    if name.hasPrefix("\(prefix)columns_") {
      pattern =
        "IF " + record + #" THEN IF TG_OP = 'INSERT' THEN IF NEW\."\w+" IS NOT NULL"#
        + #" THEN NEW\."(\w+)" := "#
    } else if name.hasPrefix("\(prefix)column_") {
      pattern =
        #"IF NOT \("# + record + #"\) THEN RETURN NULL; END IF; IF TG_OP = 'INSERT'"#
        + #" THEN IF NEW\."(\w+)" IS NULL THEN RETURN NULL"#
    } else {
      return
    }
    guard let expression = try? Regex(pattern, as: (Substring, Substring, Substring).self)
    else { return }
    for match in text.matches(of: expression) {
      let codes = match.output.1.split(separator: ",").compactMap {
        Int($0.filter { $0 != " " })
      }
      codesByColumn[String(match.output.2), default: []].formUnion(codes)
    }
  }
}
