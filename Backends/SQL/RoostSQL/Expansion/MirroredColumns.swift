// SPDX-License-Identifier: Apache-2.0

/// The columns of the new version whose values triggers also keep in the old version's columns. They are found by the
/// source of the trigger functions alone: the models need not be known.
package struct MirroredColumns {
  /// The codes of the records whose values are kept, by column.
  package private(set) var codesByColumn: [String: Set<Int>] = [:]

  /// Returns whether a function keeps all links of its table in a column.
  package static func keepsLinks(_ function: String) -> Bool {
    function.hasPrefix("\(SQLExpansion.functionPrefix)links_")
  }

  package init() {}

  /// Adds the function of a trigger on a table.
  ///
  /// - Parameters:
  ///   - name: The name of the function.
  ///   - text: Its source, as ``SQLExpansion`` writes it. A function with other source keeps nothing.
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
