// SPDX-License-Identifier: Apache-2.0

package import RoostModel
public import RoostStore

/// The plan of a request over the stores of a coordinator.
///
/// ```swift
/// let plan = try context.explain(Person.where { $0.email == "ada@example.org" })
/// precondition(plan.inMemory.isEmpty && !plan.indexes.isEmpty)
/// print(plan)
/// ```
public struct RequestPlan: Sendable, CustomStringConvertible {
  /// The plans of the stores that the request concerns, in the order in which they were added.
  public let stores: [StorePlan]

  package init(stores: [StorePlan]) {
    self.stores = stores
  }

  /// The statements or scans of all stores, in order.
  public var steps: [String] { stores.flatMap(\.plan.steps) }

  /// The indexes that are used, in any store.
  public var indexes: [String] { stores.flatMap(\.plan.indexes) }

  /// Work done in memory afterwards; empty when the stores do everything.
  public var inMemory: [String] { stores.flatMap(\.plan.inMemory) }

  /// The plans, a line for each store and each of its steps.
  public var description: String { stores.map(\.description).joined(separator: "\n") }
}

/// The plan of a request in one store.
///
/// ```swift
/// for store in try context.explain(request).stores { print(store.type, store.plan.indexes) }
/// ```
public struct StorePlan: Sendable, CustomStringConvertible {
  package let store: StoreIdentity
  /// The store's plan, including work done in memory on its answer.
  public let plan: QueryPlan

  package init(store: StoreIdentity, plan: QueryPlan) {
    self.store = store
    self.plan = plan
  }

  /// The store's UUID.
  public var identifier: String { store.identifier }

  /// The name of the store's type, such as `SQLite`.
  public var type: String { store.type }

  /// The store, and its plan with one line for each step.
  public var description: String { "\(type) \(identifier)\n\(plan)" }
}
