// SPDX-License-Identifier: Apache-2.0

/// What a migration would do: the answer to a dry run. Nothing is written to make it.
///
/// ```swift
/// if let plan = try container.migrationPlan(for: description) { print(plan) }
/// ```
public struct MigrationPlan: Sendable {
  /// The checksum of the model that the store was written with.
  public let source: String
  /// The checksum of the model that it is brought to.
  public let destination: String
  /// What differs, a sentence for each change.
  public let changes: [String]
  /// What is done, in order.
  public let steps: [Step]
  /// Entities and attributes whose data goes.
  public let losses: [Loss]

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - source: The checksum of the model that the store was written with.
  ///   - destination: The checksum of the model that it is brought to.
  ///   - changes: What differs.
  ///   - steps: What is done, in order.
  ///   - losses: Entities and attributes whose data goes.
  public init(
    source: String, destination: String, changes: [String], steps: [Step], losses: [Loss]
  ) {
    self.source = source
    self.destination = destination
    self.changes = changes
    self.steps = steps
    self.losses = losses
  }

  /// What the migration costs; zero in a plan that nobody has made for a store.
  public package(set) var estimate = Estimate()

  /// Whether data goes.
  public var isLossy: Bool { losses.contains { $0.count > 0 } }

  /// How many records are read or written.
  public var recordCount: Int { steps.reduce(0) { $0 + $1.rows } }

  /// Something whose data goes.
  ///
  /// ```swift
  /// for loss in plan.losses { print(loss.name, loss.count) }
  /// ```
  public struct Loss: Sendable, Hashable {
    /// The entity, or entity and attribute, as `Person.legacyCode`.
    public let name: String
    /// How many records or values go.
    public let count: Int

    /// Names a loss.
    ///
    /// - Parameters:
    ///   - name: The entity, or entity and attribute.
    ///   - count: How many records or values go.
    public init(name: String, count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// A step of a plan.
  ///
  /// ```swift
  /// for step in plan.steps where step.kind == .rewrite { print(step.title, step.rows) }
  /// ```
  public struct Step: Sendable, Hashable {
    /// What is done, as `add Person.score`.
    public let title: String
    /// The statements, in stores that have any; values are not shown.
    public let statements: [String]
    /// What the step costs.
    public let kind: Kind
    /// How many records it reads or writes.
    public let rows: Int
    /// Whether the step can be left for later (``EvolutionPolicy/defersLightweightMigration``).
    public let isDeferrable: Bool
    /// Who waits for the step; nil in a plan that is carried out as a whole, for which everybody waits.
    public package(set) var lock: Lock?

    /// Describes a step.
    ///
    /// - Parameters:
    ///   - title: What is done.
    ///   - kind: What the step costs.
    ///   - rows: How many records it reads or writes.
    ///   - statements: The statements, in stores that have any.
    ///   - isDeferrable: Whether the step can be left for later.
    public init(
      _ title: String, kind: Kind, rows: Int = 0, statements: [String] = [],
      isDeferrable: Bool = false
    ) {
      self.title = title
      self.kind = kind
      self.rows = rows
      self.statements = statements
      self.isDeferrable = isDeferrable
    }
  }

  /// Who waits for a step of a plan that is carried out beside other programs.
  ///
  /// ```swift
  /// let isNoticed = plan.steps.contains { $0.lock == .everybodyWaits }
  /// ```
  public enum Lock: String, Sendable, Hashable {
    /// Nobody.
    case none
    /// Who writes, for a moment.
    case writersWait
    /// Who reads and who writes, for a moment.
    case everybodyWaits
  }

  /// What a step costs.
  ///
  /// ```swift
  /// let isQuick = plan.steps.allSatisfy { $0.kind == .catalogue || $0.kind == .addColumn }
  /// ```
  public enum Kind: String, Sendable, Hashable {
    /// Names and definitions only: constant time.
    case catalogue
    /// A column that old records have by its default: constant time.
    case addColumn
    /// An index over all records of an entity.
    case index
    /// A value is written to records that lack it.
    case fill
    /// Records are written anew.
    case rewrite
    /// Relationships move to another place in the store.
    case move
    /// Data is removed.
    case drop
    /// Code of the program runs.
    case custom

    /// Whether records are written, and not definitions and indexes alone.
    package var writesRecords: Bool {
      switch self {
      case .catalogue, .addColumn, .index: false
      case .fill, .rewrite, .move, .drop, .custom: true
      }
    }
  }
}

extension MigrationPlan: CustomStringConvertible {
  /// The plan as a table: a line for each step.
  public var description: String {
    var lines = ["\(source.prefix(8)) -> \(destination.prefix(8))"]
    let width = steps.map(\.title.count).max() ?? 0
    for (number, step) in steps.enumerated() {
      let title = step.title + String(repeating: " ", count: width - step.title.count)
      let rows = step.rows > 0 ? "  \(step.rows) records" : ""
      let lock = step.lock.map { "  \($0.words)" } ?? ""
      let later = step.isDeferrable && estimate.defers ? "  deferred" : ""
      lines.append("\(number + 1)  \(title)  \(step.kind.rawValue)\(rows)\(lock)\(later)")
    }
    for loss in losses where loss.count > 0 {
      lines.append("LOSES \(loss.count) of \(loss.name)")
    }
    return (lines + [estimate.description]).joined(separator: "\n")
  }
}

extension MigrationPlan.Lock {
  /// The lock as a plan says it.
  package var words: String {
    switch self {
    case .none: "nobody waits"
    case .writersWait: "writers wait"
    case .everybodyWaits: "everybody waits"
    }
  }
}
