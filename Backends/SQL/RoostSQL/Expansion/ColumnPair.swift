// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The two columns that hold one value of a record: the column of the old version and that of the new one. A trigger
/// keeps them equal (M42).
///
/// They are the same column when only the allowed values differ: then there is only a rule.
struct ColumnPair: Hashable {
  let table: String
  let old: SQLColumn
  let new: SQLColumn
  /// The rule for values that both versions can hold; nil when each version can hold every value.
  let rule: Rule?
  /// The literal that replaces null; nil when null is allowed.
  let demanded: String?
  /// The entity and the property in the model.
  let entity: String
  let key: String

  /// A rule for values that both versions can hold.
  enum Rule: Hashable {
    /// An integer of a number of bits.
    case integer(bits: Int)
    /// A double that is an integer of a number of bits.
    case whole(bits: Int)
    /// A double that is not infinite as a float.
    case float
    /// A text that is a URI without escaping.
    case uri
  }

  /// Whether the value is in two columns.
  var hasTwoHomes: Bool { old.name != new.name }
}

extension ColumnPair.Rule {
  /// Creates the rule for an attribute whose type changes; nil when each type holds all values of the other.
  ///
  /// - Parameter isKnown: Set to false when the two types cannot be served side by side.
  init?(_ old: AttributeType, _ new: AttributeType, isKnown: inout Bool) {
    switch (old, new) {
    case (.integer16, .integer32), (.integer16, .integer64): self = .integer(bits: 16)
    case (.integer32, .integer64): self = .integer(bits: 32)
    case (.integer16, .double): self = .whole(bits: 16)
    case (.integer32, .double): self = .whole(bits: 32)
    case (.float, .double): self = .float
    case (.string, .uri), (.uri, .string): self = .uri
    default:
      isKnown = old == new
      return nil
    }
  }

  /// Returns the SQL condition that a value satisfies the rule.
  func condition(_ value: String) -> String {
    switch self {
    case .integer(let bits): "\(value) BETWEEN \(Self.range(bits))"
    case .whole(let bits):
      "\(value) BETWEEN \(Self.range(bits)) AND \(value) = pg_catalog.trunc(\(value))"
    case .float:
      // Values from half a unit above the largest float on are rounded to infinity.
      "(pg_catalog.abs(\(value)) < 3.4028235677973366e38"
        + " OR \(value) IN ('Infinity', '-Infinity', 'NaN'))"
    case .uri: "\(value) ~ '\(Self.plainURI)'"
    }
  }

  /// A pattern of URIs that every parser accepts unchanged: with a scheme, and without characters that it would
  /// escape.
  private static let plainURI: String = {
    let plain = "[A-Za-z0-9._~!$&()*+,;=:@-]|%[0-9A-Fa-f]{2}"
    let authority = "//([A-Za-z0-9._~-]+(:[0-9]{1,4})?)?(/(\(plain)|/)*)?"
    let path = "(\(plain))(\(plain)|/)*"
    return
      "^[A-Za-z][A-Za-z0-9+.-]*:(\(authority)|\(path))([?](\(plain)|[/?])*)?(#(\(plain)|[/?])*)?$"
  }()

  static func isPlainURI(_ text: String) -> Bool {
    guard let pattern = try? Regex(plainURI) else { return false }
    return text.wholeMatch(of: pattern) != nil
  }

  private static func range(_ bits: Int) -> String {
    "\(-(1 << (bits - 1))) AND \((1 << (bits - 1)) - 1)"
  }

  /// The description of the rule, for a message.
  var text: String {
    switch self {
    case .integer(let bits): "an integer of \(bits) bits"
    case .whole(let bits): "a whole number of \(bits) bits"
    case .float: "a number that a float can hold"
    case .uri: "a URI with a scheme, written without characters that have to be escaped"
    }
  }
}

extension SQLExpansion {
  /// Returns the columns of attributes and relationships whose value is in two columns, or in one with a rule, with
  /// the codes of the records.
  func columnPairs() -> [(pair: ColumnPair, codes: [Int])] {
    var order: [ColumnPair] = []
    var codes: [ColumnPair: [Int]] = [:]
    for column in evolution.evolvedColumns() {
      for member in column.members {
        guard let old = member.old else { continue }
        let rule = rule(of: member)
        guard old.name != column.column.name || rule != nil else { continue }
        let pair = ColumnPair(
          table: column.table.reference, old: old, new: column.column, rule: rule,
          demanded: demanded(member),
          entity: SlotOwners(member.entity.destination).owner(of: member.slot.slot),
          key: member.slot.name)
        if codes[pair] == nil { order.append(pair) }
        codes[pair, default: []].append(member.code)
      }
    }
    return order.map { ($0, (codes[$0] ?? []).sorted()) }
  }

  /// Returns the rule for the values of a slot.
  private func rule(of member: EvolvedColumn.Member) -> ColumnPair.Rule? {
    var isKnown = true
    guard let (old, new) = member.entity.types(of: member.slot) else { return nil }
    return ColumnPair.Rule(old, new, isKnown: &isKnown)
  }

  /// Returns the value that the new version requires in a slot that may be null in the old one. `ExpansionCheck`
  /// refuses values without a literal.
  private func demanded(_ member: EvolvedColumn.Member) -> String? {
    member.entity.demandedValue(member.slot).flatMap { try? SQLValue($0) }.flatMap(literal)
  }

  /// Returns whether the values of a column are in another column too.
  func isPaired(_ column: SQLColumn, of table: String) -> Bool {
    columnPairs().contains { entry in
      entry.pair.table == table && entry.pair.hasTwoHomes
        && (entry.pair.old.name == column.name || entry.pair.new.name == column.name)
    }
  }
}

extension EntityChange {
  /// Returns the types of an attribute in both versions; nil unless it is an attribute in both.
  func types(of slot: SlotChange) -> (old: AttributeType, new: AttributeType)? {
    guard let from = slot.origin.sourceSlot,
      case .attribute(let new, _) = destination.layout.contents[slot.slot.index],
      case .attribute(let old, _) = source.layout.contents[from.index]
    else { return nil }
    return (old.type, new.type)
  }

  /// Returns the defaults of an attribute in both versions, without nulls; nil unless it is an attribute in both.
  func defaults(of slot: SlotChange) -> [Value]? {
    guard let from = slot.origin.sourceSlot,
      case .attribute = destination.layout.contents[slot.slot.index],
      case .attribute = source.layout.contents[from.index]
    else { return nil }
    return [source.storedDefault(at: from), destination.storedDefault(at: slot.slot)]
      .filter { !$0.isNull }
  }
}

// MARK: - Keeping them equal

extension SQLExpansion {
  /// Returns the triggers that keep pairs of columns equal, and the batches that fill the new columns.
  func columnSteps() -> [ExpansionStep] {
    let pairs = columnPairs()
    return evolution.destination.tables.enumerated().flatMap { number, table in
      let found = pairs.filter { $0.pair.table == table.reference }
      guard !found.isEmpty else { return [ExpansionStep]() }
      let titles = found.map { "\($0.pair.entity).\($0.pair.key)" }.joined(separator: ", ")
      var step = ExpansionStep(
        "keep \(titles) equal for both versions", .catalogue, .writersWait,
        .define(
          trigger(
            "\(Self.functionPrefix)columns_\(number)",
            found.map { lines($0.pair, $0.codes) } + ["RETURN NEW;"], on: table.reference,
            when: "BEFORE INSERT OR UPDATE ON \(table.reference) FOR EACH ROW")))
      step.checks = found.compactMap { check($0.pair, $0.codes) }
      return [step] + found.filter(\.pair.hasTwoHomes).map { fill($0.pair, $0.codes) }
    }
  }

  /// Returns the check for texts of the old version that are not URIs.
  private func check(_ pair: ColumnPair, _ codes: [Int]) -> ExpansionStep.Check? {
    guard let rule = pair.rule, rule == .uri else { return nil }
    let name = dialect.quoted(pair.old.name)
    return ExpansionStep.Check(
      query: "SELECT \(key) FROM \(pair.table) WHERE NOT \(rule.condition(name))"
        + " AND \(evolution.condition(key, names: codes)) ORDER BY \(key)",
      text: "\(pair.entity).\(pair.key) is to be \(rule.text) as long as both versions are served",
      entity: pair.entity, key: pair.key)
  }

  private func lines(_ pair: ColumnPair, _ codes: [Int]) -> String {
    let new = "NEW.\(dialect.quoted(pair.new.name))"
    let check = pair.rule.map { refusing(pair, unless: $0.condition(new), new) } ?? ""
    let old = "NEW.\(dialect.quoted(pair.old.name))"
    func isChanged(_ column: SQLColumn) -> String {
      let name = dialect.quoted(column.name)
      return "NEW.\(name) IS DISTINCT FROM OLD.\(name)"
    }
    let body: String
    if pair.hasTwoHomes {
      let forth = "\(new) := \(converted(old, from: pair.old, to: pair.new)); "
      let back = "\(old) := \(converted(new, from: pair.new, to: pair.old)); "
      // The value that the new version requires is written to the old column, too.
      let given = pair.demanded.map { "\(new) := COALESCE(\(new), \($0)); " } ?? ""
      body =
        "IF TG_OP = 'INSERT' THEN IF \(old) IS NOT NULL THEN \(forth)END IF; "
        + "\(given)\(check)\(back)"
        + "ELSIF \(isChanged(pair.old)) THEN \(forth)\(given)\(check)"
        + (given.isEmpty ? "" : back)
        + "ELSIF \(isChanged(pair.new)) THEN \(given)\(check)\(back)END IF;"
    } else {
      body =
        "IF TG_OP = 'INSERT' THEN \(check)ELSIF \(isChanged(pair.new)) THEN \(check)END IF;"
    }
    return "IF \(evolution.condition("NEW.\(key)", names: codes)) THEN \(body) END IF;"
  }

  private func converted(
    _ expression: String, from column: SQLColumn, to other: SQLColumn
  ) -> String {
    let type = dialect.columnType(other.kind)
    return dialect.columnType(column.kind) == type ? expression : "CAST(\(expression) AS \(type))"
  }

  private func refusing(_ pair: ColumnPair, unless condition: String, _ value: String) -> String {
    let text =
      "“\(pair.key)” of \(pair.entity) is to be \(pair.rule?.text ?? "") as long as the store serves "
      + "two versions of the model, because programs of the other one could not hold it. Save "
      + "such a value, or end the old version with .contract first."
    return "IF \(value) IS NOT NULL AND NOT (\(condition)) THEN "
      + refusal(text, entity: pair.entity, key: pair.key) + " END IF; "
  }

  /// Returns a statement of a trigger function that refuses a write.
  func refusal(_ text: String, entity: String, key: String) -> String {
    func quoted(_ text: String) -> String { literal(.text(text)) ?? "''" }
    return "RAISE EXCEPTION USING ERRCODE = \(quoted(Self.refusalState)), "
      + "MESSAGE = \(quoted(text)), TABLE = \(quoted(entity)), COLUMN = \(quoted(key));"
  }

  /// The SQLSTATE with which the trigger functions refuse values that the other version of the model cannot hold. The
  /// table and the column of such an error are the names of the entity and the property.
  package static let refusalState = "RO042"

  private func fill(_ pair: ColumnPair, _ codes: [Int]) -> ExpansionStep {
    let new = dialect.quoted(pair.new.name)
    let old = converted(dialect.quoted(pair.old.name), from: pair.old, to: pair.new)
    let value = pair.demanded.map { "COALESCE(\(old), \($0))" } ?? old
    return ExpansionStep(
      "fill \(pair.entity).\(pair.key)", .fill, .none,
      .fill(
        ExpansionStep.Fill(
          text: "UPDATE \(pair.table) SET \(new) = \(value) WHERE \(new) IS DISTINCT FROM \(value)"
            + " AND \(evolution.condition(key, names: codes)) AND \(evolution.inRange(key))",
          table: pair.table)))
  }
}

// MARK: - Attributes that are added to more entities

extension SQLExpansion {
  /// Returns the columns of the old version that belong to more entities in the new one, with the codes of these
  /// entities and the value that their records get; nil for null.
  func widenedColumns() throws -> [(column: EvolvedColumn, codes: [Int], value: SQLValue?)] {
    try evolution.evolvedColumns().filter(isShared).compactMap { column in
      let codes = column.members.compactMap { member -> Int? in
        if case .constant = member.slot.origin { member.code } else { nil }
      }
      return codes.isEmpty ? nil : (column, codes.sorted(), try column.constant())
    }
  }

  /// Gives records of such entities the default: new records from the column's default, because statements of the old
  /// version do not name the column, and existing ones in batches.
  func widenedColumnSteps() throws -> [ExpansionStep] {
    try widenedColumns().flatMap { column, codes, value -> [ExpansionStep] in
      let name = dialect.quoted(column.column.name)
      let table = column.table.reference
      let value = value.flatMap(literal)
      let fill = ExpansionStep(
        "fill \(column.title)", .fill, .none,
        .fill(
          ExpansionStep.Fill(
            text: "UPDATE \(table) SET \(name) = \(value ?? "NULL")"
              + " WHERE \(name) IS DISTINCT FROM \(value ?? "NULL")"
              + " AND \(evolution.condition(key, names: codes)) AND \(evolution.inRange(key))",
            table: table)))
      guard let value else { return [fill] }
      return [
        ExpansionStep(
          "give \(column.title) its default", .catalogue, .readersAndWritersWait,
          .define(["ALTER TABLE \(table) ALTER COLUMN \(name) SET DEFAULT \(value)"])), fill,
      ]
    }
  }
}
