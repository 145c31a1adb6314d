// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// Each read of a scenario fails once: either the program gets an error, or its results are correct (B361).
extension FaultingCases {
  /// The calls of a program, which record their results.
  private struct Scenario: Sendable {
    let name: String
    let title: String
    let run: @Sendable (ManagedObjectContext, inout [String]) throws -> Void
  }

  static let everyRead: [ConformanceCase] =
    scenarios.map { scenario in
      ConformanceCase(
        .faulting, "every-read.\(scenario.name)", "\(scenario.title), whichever read fails (B361)"
      ) { stage in
        let (stack, faults) = try stage.openFaulty(CompanyModel.make())
        try CompanyModel.fill(stack.context)
        let right = try answers(of: scenario, stack)
        faults.failRead(number: 0)
        try expectEqual(try answers(of: scenario, stack), right, "the answers without a fault")
        let count = faults.reads
        try expect(count > 0, "the scenario reads")
        for number in 1...count {
          faults.failRead(number: number)
          let seen = silentAnswers(of: scenario, stack)
          faults.clear()
          try expect(seen == nil || seen == right, "read \(number) of \(count): \(seen ?? [])")
          try expectEqual(
            try answers(of: scenario, stack), right, "what is stored after read \(number)")
        }
      }
    } + [
      ConformanceCase(
        .faulting, "every-read.control",
        "a store that answers with nothing instead of failing is noticed by these cases (B361)"
      ) { stage in
        let (stack, faults) = try stage.openFaulty(CompanyModel.make())
        try CompanyModel.fill(stack.context)
        for scenario in scenarios where scenario.name != "writing" {
          let right = try answers(of: scenario, stack)
          faults.failRead(number: 0)
          _ = try answers(of: scenario, stack)
          let count = faults.reads
          let wrong = (1...count).contains { number in
            faults.failRead(number: number, lying: true)
            let seen = silentAnswers(of: scenario, stack)
            return seen != nil && seen != right
          }
          faults.clear()
          try expect(wrong, "the scenario \(scenario.name) notices a store that lies")
        }
      }
    ]

  /// A context that takes nothing from the cache.
  private static func reader(_ stack: ConformanceStack) -> ManagedObjectContext {
    let context = stack.makeContext()
    context.stalenessInterval = 0
    return context
  }

  private static func answers(
    of scenario: Scenario, _ stack: ConformanceStack
  ) throws -> [String] {
    var seen: [String] = []
    let context = reader(stack)
    try withExtendedLifetime(context) { try scenario.run(context, &seen) }
    return seen
  }

  /// Returns the results of a scenario that reported no error; nil when it reported one.
  private static func silentAnswers(
    of scenario: Scenario, _ stack: ConformanceStack
  ) -> [String]? {
    var seen: [String] = []
    let context = reader(stack)
    do {
      try scenario.run(context, &seen)
    } catch {
      return nil
    }
    guard context.readError != nil else { return seen }
    // A recorded read error makes every save fail.
    for _ in 0..<2 {
      do {
        try context.save()
        return ["a save in spite of the failed read"]
      } catch {
        continue
      }
    }
    return nil
  }

  private static let scenarios: [Scenario] = [
    Scenario(name: "values", title: "values are right or refused") { context, seen in
      for person in try context.fetch(people()) {
        try context.refresh(person, mergeChanges: false)
        let department = person["department"] as? ManagedObject
        seen.append("\(person["age"] as? Int ?? -1) \(department?["name"] as? String ?? "-")")
        seen.append("\((person["manager"] as? ManagedObject)?["name"] as? String ?? "-")")
      }
    },
    Scenario(name: "collections", title: "relationships to many are right or refused") {
      context, seen in
      for department in try context.all("Department") {
        let set = try department.mutableSetValue(forKey: "people")
        seen.append("\(set.count) \(set.map { $0["name"] as? String ?? "-" }.sorted())")
      }
      let ada = try context.named("Person", "Ada")
      for project in try context.all("Project") {
        let members = try project.mutableSetValue(forKey: "members")
        seen.append("\(members.contains(ada)) \(members.count) \(members.allObjects.count)")
        let sum = try project.value(forKeyPath: "members.@sum.age") as? Int
        seen.append("\(sum ?? -1)")
      }
    },
    Scenario(name: "requests", title: "requests are right or refused") { context, seen in
      let request = people()
      seen.append("\(try context.count(for: request))")
      request.fetchBatchSize = 2
      for person in try context.fetchBatches(request) {
        seen.append(person["name"] as? String ?? "-")
      }
      let prefetching = people()
      prefetching.relationshipKeyPathsForPrefetching = ["department.people", "projects"]
      for person in try context.fetch(prefetching) {
        let people = (person["department"] as? ManagedObject)?["people"] as? Set<ManagedObject>
        let projects = person["projects"] as? Set<ManagedObject>
        seen.append("\(people?.count ?? -1) \(projects?.count ?? -1)")
      }
      let partial = people()
      partial.propertiesToFetch = ["name"]
      for person in try context.fetch(partial) { seen.append("\(person["age"] as? Int ?? -1)") }
      let ids = FetchRequest<ObjectID>(entityName: "Person")
      for id in try context.fetch(ids) {
        let person = try context.existingObject(with: id)
        seen.append("\(try FetchPredicate("department.name == 'Sales'").evaluate(with: person))")
      }
      seen[1...].sort()
    },
    Scenario(name: "children", title: "what a child reads is right or refused") { context, seen in
      let child = ManagedObjectContext(.privateQueue, parent: context)
      try withExtendedLifetime(child) {
        for department in try child.all("Department") {
          let people = department["people"] as? Set<ManagedObject> ?? []
          seen.append("\(people.map { $0["name"] as? String ?? "-" }.sorted())")
        }
        if let error = child.readError { throw error }
      }
    },
    Scenario(name: "deleting", title: "delete rules see all or are refused") { context, seen in
      for department in try context.all("Department") { context.delete(department) }
      context.processPendingChanges()
      // Deletions whose rules could not be applied stay pending, and a save that can read applies them.
      if let error = context.readError { throw error }
      seen.append("\(context.updatedObjects.count)")
    },
    Scenario(name: "writing", title: "a total is right or not saved") { context, seen in
      for department in try context.all("Department") {
        let people = department["people"] as? Set<ManagedObject> ?? []
        department["budget"] = Decimal(people.reduce(0) { $0 + ($1["age"] as? Int ?? 0) })
      }
      try context.save()
      let fresh = try context.fetch(FetchRequest<[String: Any]>(entityName: "Department"))
      seen = fresh.map { "\($0["name"] ?? "-") \($0["budget"] ?? "-")" }.sorted()
    },
  ]

  private static func people() -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: "Person")
    request.sortDescriptors = [SortOrdering("name")]
    return request
  }
}
