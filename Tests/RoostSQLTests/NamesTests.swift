// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQL
import Testing

@Suite struct NamesTests {
  static let hostile = [
    "", " ", "'", "\"", "\"; DROP TABLE x; --", "select", "ORDER", "Größe", "日本", "🐦", "a b", "a.b",
    "_key", "_version", "rowid", "oid", "xmin", "ctid", "sqlite_master", "pg_class", "9lives",
    String(repeating: "x", count: 200), String(repeating: "é", count: 200), "a/b", "a%2Fb",
    "[x]", "`x`", "\u{202E}x", "Name", "name", "NAME",
  ]

  @Test(
    "every name becomes an identifier of its own that no database can misread", arguments: [20, 63])
  func identifiers(limit: Int) {
    var names = SQLNames(lengthLimit: limit)
    var seen: Set<String> = []
    for name in Self.hostile {
      let path = SQLNames.Path.column(table: "T", entity: "E", property: name)
      let identifier = names.identifier(for: path, suggestion: name)
      #expect(SQLNames.isIdentifier(identifier), "\(name)")
      #expect(identifier.utf8.count <= limit)
      #expect(!["sqlite_", "pg_", "_"].contains { identifier.lowercased().hasPrefix($0) })
      #expect(seen.insert(identifier.lowercased()).inserted, "\(name) as \(identifier)")
    }
    #expect(names.identifiers.count == Self.hostile.count)
  }

  @Test("a name is recognised in its identifier")
  func readable() {
    var names = SQLNames(lengthLimit: 63)
    func identifier(_ name: String) -> String {
      names.identifier(
        for: .column(table: "T", entity: "E", property: name), suggestion: name)
    }
    #expect(identifier("firstName") == "firstName")
    #expect(identifier("address.city") == "address_city")
    #expect(identifier("Größe") == "Gro_e")
    #expect(identifier("order") == "order")
    #expect(identifier("Order") == "Order_2")
  }

  @Test("identifiers that a store has stay, and new ones keep out of their way")
  func stability() {
    var first = SQLNames(lengthLimit: 63)
    let old = SQLNames.Path.column(table: "T", entity: "E", property: "name")
    _ = first.identifier(for: old, suggestion: "an older rule")
    var second = SQLNames(first.identifiers, lengthLimit: 63)
    #expect(second.identifier(for: old, suggestion: "name") == "an_older_rule")
    #expect(second.added.isEmpty)
    let other = SQLNames.Path.column(table: "T", entity: "E", property: "other")
    #expect(second.identifier(for: other, suggestion: "AN OLDER RULE") == "AN_OLDER_RULE_2")
    #expect(second.added.count == 1)
  }

  @Test("names with slashes are not taken for others")
  func paths() {
    let one = SQLNames.Path.column(table: "T", entity: "a/b", property: "c")
    let two = SQLNames.Path.column(table: "T", entity: "a", property: "b/c")
    #expect(one.text != two.text)
    #expect(SQLNames.Path.table(root: "a%2Fb").text != SQLNames.Path.table(root: "a/b").text)
  }

  @Test("a list travels as JSON that brings every value over exactly")
  func lists() throws {
    let texts = ["", "\"", "\\", "\n", "\u{1}", "é", "🐦", "a,b"]
    let json = SQLList(texts.map(SQLValue.text)).json
    #expect(try JSONDecoder().decode([String].self, from: Data(json.utf8)) == texts)
    #expect(SQLList([.integer(.min), .null, .integer(.max)]).json == "[\(Int64.min),\(Int64.max)]")
    #expect(SQLList([.real(1.5)]).json == "[\(Int64(bitPattern: (1.5).bitPattern))]")
    #expect(SQLList([.blob(Data([0, 15, 255]))]).json == #"["000fff"]"#)
  }
}
