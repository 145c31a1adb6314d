// SPDX-License-Identifier: Apache-2.0

/// The plan of a migration: the result of a dry run, which writes nothing.
///
/// ```swift
/// if let plan = try container.migrationPlan(for: description) { print(plan) }
/// ```
public struct MigrationPlan: Sendable {
  /// The checksum of the model that the store was written with.
  public let source: String
  /// The checksum of the model that the store is migrated to.
  public let destination: String
  /// The differences between the models, a sentence for each.
  public let changes: [String]
  /// The steps, in order.
  public let steps: [Step]
  /// Entities and attributes whose data is lost.
  public let losses: [Loss]

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - source: The checksum of the model that the store was written with.
  ///   - destination: The checksum of the model that the store is migrated to.
  ///   - changes: The differences between the models.
  ///   - steps: The steps, in order.
  ///   - losses: Entities and attributes whose data is lost.
  public init(
    source: String, destination: String, changes: [String], steps: [Step], losses: [Loss]
  ) {
    self.source = source
    self.destination = destination
    self.changes = changes
    self.steps = steps
    self.losses = losses
  }

  /// The estimated cost; zero in a plan that was not made for a store.
  public package(set) var estimate = Estimate()

  /// Whether data is lost.
  public var isLossy: Bool { losses.contains { $0.count > 0 } }

  /// The number of records that are read or written.
  public var recordCount: Int { steps.reduce(0) { $0 + $1.rows } }

  /// An entity or attribute whose data is lost.
  ///
  /// ```swift
  /// for loss in plan.losses { print(loss.name, loss.count) }
  /// ```
  public struct Loss: Sendable, Hashable {
    /// The entity, or the entity and the attribute, such as `Person.legacyCode`.
    public let name: String
    /// The number of records or values that are lost.
    public let count: Int

    /// Makes a loss.
    ///
    /// - Parameters:
    ///   - name: The entity, or the entity and the attribute.
    ///   - count: The number of records or values that are lost.
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
    /// The title, such as `add Person.score`.
    public let title: String
    /// The statements, in stores that have any; values are not shown.
    public let statements: [String]
    /// The cost class of the step.
    public let kind: Kind
    /// The number of records that it reads or writes.
    public let rows: Int
    /// Whether the step can be deferred (``EvolutionPolicy/defersLightweightMigration``).
    public let isDeferrable: Bool
    /// The requests that the step blocks; nil in a plan that runs as a whole, which blocks all of them.
    public package(set) var lock: Lock?

    /// Describes a step.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - kind: The cost class of the step.
    ///   - rows: The number of records that it reads or writes.
    ///   - statements: The statements, in stores that have any.
    ///   - isDeferrable: Whether the step can be deferred.
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

  /// The requests that a step blocks when the plan runs while other programs use the store.
  ///
  /// ```swift
  /// let isNoticed = plan.steps.contains { $0.lock == .readersAndWritersWait }
  /// ```
  public enum Lock: String, Sendable, Hashable {
    /// No request.
    case none
    /// Writers, briefly.
    case writersWait
    /// Readers and writers, briefly.
    case readersAndWritersWait
  }

  /// The cost class of a step.
  ///
  /// ```swift
  /// let isQuick = plan.steps.allSatisfy { $0.kind == .catalogue || $0.kind == .addColumn }
  /// ```
  public enum Kind: String, Sendable, Hashable {
    /// Only names and definitions in the catalogue: constant time.
    case catalogue
    /// A column that existing records read as its default: constant time.
    case addColumn
    /// An index is built over all records of an entity.
    case index
    /// A value is written to records without one.
    case fill
    /// Records are rewritten.
    case rewrite
    /// Relationships move to another storage location.
    case move
    /// Data is removed.
    case drop
    /// The program's own code runs.
    case custom

    /// Whether records are written, rather than definitions and indexes only.
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
  /// The lock, as a plan's description words it.
  package var words: String {
    switch self {
    case .none: "nothing waits"
    case .writersWait: "writers wait"
    case .readersAndWritersWait: "readers and writers wait"
    }
  }
}
