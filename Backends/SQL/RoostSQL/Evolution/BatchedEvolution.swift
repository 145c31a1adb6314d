// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// An evolution in several transactions, for stores that are too large for one.
///
/// New tables and columns come first, and are filled in portions of records. Programs of the old version use neither
/// and go on meanwhile. The last transaction does what they would notice, and changes the version: until it is
/// committed the store is of the old version. What is removed goes afterwards, in transactions of its own.
package struct BatchedEvolution {
  package let evolution: SQLEvolution
  /// The statements that make new tables and columns.
  package private(set) var definitions: [String] = []
  /// The titles of the tasks that consist of them.
  package private(set) var definitionTitles: [String] = []
  /// The steps between the definitions and the last transaction, in order.
  package private(set) var steps: [Step] = []
  /// The tables and columns that the definitions make, in the order in which they can be removed.
  package let additions: [DeferredStep]
  /// The titles of what is removed after the version has changed.
  package private(set) var removals: [String] = []
  /// The tables of the source whose records the steps read.
  package private(set) var readTables: Set<String> = []

  private var last: [SQLEvolutionTask] = []
  private var deferred: [DeferredStep] = []

  /// An action before the last transaction.
  package struct Step {
    /// The title of the task that begins with it; nil for its further actions.
    package let title: String?
    /// The identifier of the index that it builds. Programs of the old version remove an index that they do not know.
    package let index: String?
    let extent: SQLEvolutionTask.Extent
    let action: SQLEvolutionTask.Action
  }

  /// Divides an evolution.
  ///
  /// - Parameter evolution: One that was planned for it.
  package init(_ evolution: SQLEvolution) {
    self.evolution = evolution
    additions = evolution.additions
    // Once a task has to wait for the last transaction, so do all that may read what it writes.
    var isAhead = true
    for task in evolution.tasks {
      if let later = task.later, task.index == nil || evolution.defers {
        deferred += later
        if task.index == nil { removals.append(task.title) }
      } else if task.isHidden, isAhead || task.index != nil {
        add(task)
      } else {
        last.append(task.isHidden ? defining(task) : task)
        if task.changesRecords { isAhead = false }
      }
    }
  }

  private mutating func add(_ task: SQLEvolutionTask) {
    let rest = defining(task)
    guard !rest.actions.isEmpty else {
      definitionTitles.append(task.title)
      return
    }
    for (index, action) in rest.actions.enumerated() {
      steps.append(
        Step(
          title: index == 0 ? task.title : nil, index: task.index, extent: task.extent,
          action: action))
      readTables.formUnion(evolution.tables(readBy: action))
    }
    if let table = task.extent.table { readTables.insert(table) }
  }

  /// Takes the definitions of new tables and columns out of a task.
  private mutating func defining(_ task: SQLEvolutionTask) -> SQLEvolutionTask {
    guard task.index == nil else { return task }
    var rest = task
    rest.actions = []
    for action in task.actions {
      if case .define(let text) = action {
        definitions.append(text)
      } else {
        rest.actions.append(action)
      }
    }
    return rest
  }

  /// The steps that are left for later when the version has changed.
  package var deferredSteps: [DeferredStep] { deferred }

  /// A hash of all that the evolution does before the last transaction: what was begun with the same one can go on.
  package var plan: String {
    var hash = StableHash()
    for text in definitions { hash.mix(bytes: text.utf8) }
    for step in steps { hash.mix(bytes: step.action.text.utf8) }
    return String(hash.value, radix: 16)
  }

  /// Runs the next portion of a step in the open transaction.
  ///
  /// - Parameters:
  ///   - last: The key that the portion before has reached.
  ///   - count: The number of records of the portion.
  /// - Returns: The key that it has reached, nil when the step is done; and the number of rows that it wrote.
  package func run(
    _ step: Step, after last: Int64, count: Int, _ session: some SQLEvolutionSession
  ) throws -> (end: Int64?, rows: Int) {
    let portion = try evolution.run(step.action, after: last, count: count, session)
    return (portion?.end, portion?.rows ?? 0)
  }

  /// Returns whether records lack values that the steps were to copy, in the open transaction: a program of the old
  /// version has removed records since, and inserted them again as they were.
  ///
  /// Cost: reads the tables with new columns.
  package func missesCopies(_ session: some SQLEvolutionSession) throws -> Bool {
    for query in try evolution.missedCopies() {
      if try !session.keys(query.text, query.values).isEmpty { return true }
    }
    for query in evolution.missedMoves() {
      if try !session.keys(query, []).isEmpty { return true }
    }
    return false
  }

  /// Does what is left in the open transaction, which changes the version.
  ///
  /// - Parameters:
  ///   - session: Reads and writes by the schema of the destination.
  ///   - before: Reads by the schema of the source.
  ///   - verification: The comparison before and after.
  package func finish<Session: SQLEvolutionSession>(
    _ session: Session, reading before: Session, verify verification: EvolutionPolicy.Verification,
    _ reporter: MigrationReporter
  ) throws {
    try evolution.run(last, session, reading: before, verify: verification, reporter)
  }

  /// Returns the number of records of each step.
  package func counts(_ session: some SQLEvolutionSession) throws -> [Int] {
    let counts = try EvolutionCounts(steps.map(\.extent), in: evolution.source, session)
    return steps.map { counts.rows($0.extent) }
  }
}

extension SQLEvolution {
  /// The tables and columns that only the destination has; columns of new tables are not listed.
  fileprivate var additions: [DeferredStep] {
    let tables = destination.tables.flatMap { table -> [DeferredStep] in
      guard let before = kept.table(ofRoot: table.root) else {
        return [DeferredStep(.table, table.name)]
      }
      return table.columns.filter { isNew($0, in: table) }.map {
        DeferredStep(.column, before.name, part: $0.name)
      }
    }
    let links = destination.linkTables.filter { kept.table(of: $0.links) == nil }
    return tables + links.map { DeferredStep(.table, $0.name) }
  }

  /// Returns the tables that an action reads, as far as its task does not say so.
  fileprivate func tables(readBy action: SQLEvolutionTask.Action) -> Set<String> {
    switch action {
    case .write(let statement): [statement.table]
    case .convertToURIs(let column): [column.table]
    // A derived value can depend on any record.
    case .derive: Set(source.tables.map(\.reference) + source.linkTables.map(\.reference))
    case .define, .remove, .writeAll, .refuseRecords, .refuseClaims, .refuseLinks,
      .refuseDuplicates:
      []
    }
  }

  /// The bytes of a link, of an entry of an index, and of a value that moves to another record.
  private static let smallRecord: Int64 = 64

  /// Returns about how many bytes the log of one transaction with all tasks would have that cannot be deferred.
  ///
  /// Cost: counts the records of all tables.
  ///
  /// - Parameter fileBytes: The size of the store.
  package func estimatedLog(
    _ session: some SQLEvolutionSession, fileBytes: Int64
  ) throws -> Int64 {
    let tasks = tasks.filter { $0.later == nil && $0.writes }
    let all =
      source.tables.map { SQLEvolutionTask.Extent.records(table: $0.reference, codes: $0.codes) }
      + source.linkTables.map { .links(table: $0.reference) }
    let counts = try EvolutionCounts(tasks.map(\.extent) + all, in: source, session)
    let records = all.reduce(0) { $0 + counts.rows($1) }
    let bytes = max(Self.smallRecord, fileBytes / Int64(max(records, 1)))
    return tasks.reduce(0) { sum, task in
      sum + Int64(counts.rows(task)) * (task.writesRecords ? bytes : Self.smallRecord)
    }
  }
}

extension SQLEvolutionTask {
  /// Whether it changes records, and not only definitions.
  fileprivate var changesRecords: Bool {
    actions.contains { action in
      switch action {
      case .write, .writeAll, .convertToURIs, .derive: true
      case .define, .remove, .refuseRecords, .refuseClaims, .refuseLinks,
        .refuseDuplicates:
        false
      }
    }
  }

  /// Whether whole records are written, and not only links or entries of an index.
  fileprivate var writesRecords: Bool {
    switch extent {
    case .links: false
    case .values: kind != .move
    case .none, .records, .nulls: kind != .index
    }
  }
}

extension SQLEvolutionTask.Extent {
  fileprivate var table: String? {
    switch self {
    case .none: nil
    case .records(let table, _), .values(let table, _, _), .nulls(let table, _, _),
      .links(let table):
      table
    }
  }
}

extension SQLEvolutionTask.Action {
  /// The identity of the action, with the values that it binds.
  fileprivate var text: String {
    switch self {
    case .define(let text), .remove(let text, _), .writeAll(let text): text
    case .write(let statement):
      statement.text
        + statement.values.map { "\($0)/" + $0.bytes.map(String.init).joined(separator: ",") }
        .joined()
    case .refuseRecords(let table, let codes, _): "\(table) \(codes)"
    case .refuseClaims(let query, _, _), .refuseLinks(let query, _): query
    case .convertToURIs(let column): "\(column.table).\(column.column) \(column.codes)"
    case .refuseDuplicates(let constraint, _): constraint.index.name
    case .derive(let entity, let slots): "\(entity.code) \(slots.map(\.index))"
    }
  }
}
