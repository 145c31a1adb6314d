// SPDX-License-Identifier: Apache-2.0

/// What `--evolution` measures, in this order: each opens the store with another version of the model.
enum EvolutionWork: String, ComparedWork {
  case unchanged, plan, add, rename, remove, toMany, mapped

  static let heading = "Stores that follow their model"

  static let explanation = """
    A store is opened with the next version of its model, beside a program that opens its own tables and writes the
    statement; the engines without statements stand alone.
    """

  var title: String {
    switch self {
    case .unchanged: "open, nothing to migrate"
    case .plan: "plan of a new attribute, a dry run"
    case .add: "a new attribute with a default"
    case .rename: "an attribute is called otherwise"
    case .remove: "an attribute goes"
    case .toMany: "a relationship becomes to-many"
    case .mapped: "a mapping model, without policies"
    }
  }

  var unit: String { "ms" }

  func beside(_ store: StoreKind) -> String? {
    let hasStatements = store == .sqlite || store == .postgresql
    switch self {
    case .unchanged, .plan: return nil
    case .add, .rename, .remove, .toMany: return hasStatements ? "by hand" : nil
    case .mapped: return store == .sqlite || store == .lmdb ? "copied" : nil
    }
  }

  /// What evolution.md asks for. Where there is nothing to compare with, the limit is a time.
  func goal(_ store: StoreKind) -> Double? {
    let hasStatements = beside(store) != nil
    switch self {
    case .unchanged: return nil
    case .plan: return 50
    case .add: return hasStatements ? 1.5 : 100
    case .rename: return hasStatements ? nil : 20
    case .remove: return hasStatements ? 1.1 : nil
    case .toMany: return hasStatements ? 1.3 : nil
    case .mapped: return hasStatements ? 2 : nil
    }
  }
}
