// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Roost
import Synchronization

extension HistoryRun {
  /// Measures the uses of a history: reading it, fetching past states, keeping live results current.
  func follow(_ found: inout ComparedResults<HistoryWork>) throws {
    let stage = try Stage(engine, data, history: .values)
    try stage.fill()
    try stage.reopen()
    found.add(try readHistory(stage), to: .read)
    try stage.reopen()
    let (past, now) = try askForThePast(stage)
    found.add(past, to: .past)
    found.add(now, besides: .past)
    try stage.reopen()
    found.add(try waitToBeTold(stage), to: .told)
    try stage.reopen()
    let live = try changeLiveResults(stage)
    found.add(live.untouched, to: .untouched)
    found.add(live.touched, to: .touched)
    found.add(live.moved, to: .moved)
    try stage.close()
  }

  /// Returns the number of changes that are read in a second.
  private func readHistory(_ stage: Stage) throws -> Double {
    let coordinator = stage.container.persistentStoreCoordinator
    let start = try coordinator.currentPersistentHistoryToken(fromStores: nil)
    let writer = stage.newContext()
    for save in 0..<data.extent.saves {
      for index in 0..<10 { _ = Stage.person(data.latecomer(save * 10 + index), in: writer) }
      try writer.save()
    }
    let context = stage.newContext()
    var count = 0
    let clock = ContinuousClock()
    let begin = clock.now
    let request = PersistentHistoryChangeRequest.fetchHistory(after: start)
    for transaction in try context.execute(request).transactions ?? [] {
      for change in transaction.changes ?? [] where change.changeType == .insert { count += 1 }
    }
    let seconds = (clock.now - begin).seconds
    guard count == data.extent.saves * 10 else {
      throw BenchError("\(count) changes of \(data.extent.saves * 10) are in the history.")
    }
    return Double(count) / seconds
  }

  /// Returns the milliseconds of a fetch of all persons in a past state, and of the same fetch in the current one.
  private func askForThePast(_ stage: Stage) throws -> (past: Double, now: Double) {
    let coordinator = stage.container.persistentStoreCoordinator
    let request = FetchRequest<Person>(entityName: "Person")
    let writer = stage.newContext()
    let people = try writer.fetch(request)
    let ages = people.reduce(0) { $0 + Int($1.age) }
    guard let token = try coordinator.currentPersistentHistoryToken(fromStores: nil) else {
      throw BenchError("The store keeps no history.")
    }
    for person in people.prefix(1_000) { person.age += 1 }
    try writer.save()
    func time(_ fetch: () throws -> [Person], expecting sum: Int) throws -> Double {
      let clock = ContinuousClock()
      let start = clock.now
      let found = try fetch().reduce(0) { $0 + Int($1.age) }
      let milliseconds = (clock.now - start).milliseconds
      guard found == sum else { throw BenchError("The ages come to \(found), and not \(sum).") }
      return milliseconds
    }
    try stage.reopen()
    let reader = stage.newContext()
    let now = try time({ try reader.fetch(request) }, expecting: ages + min(1_000, people.count))
    try stage.reopen()
    let past = try stage.container.context(asOf: token)
    return (try time({ try past.fetch(request) }, expecting: ages), now)
  }

  /// Returns the median of the milliseconds from the end of a save by another coordinator until live results show it.
  private func waitToBeTold(_ stage: Stage) throws -> Double {
    let other = try stage.open(with: stage.container.managedObjectModel)
    defer {
      let coordinator = other.persistentStoreCoordinator
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
    let seen = DispatchSemaphore(value: 0)
    var options = LiveOptions()
    options.minimumInterval = .zero
    let counts = stage.container.liveCount(
      FetchRequest<Department>(entityName: "Department"), options: options)
    let failure = Mutex<String?>(nil)
    let reading = Task {
      do {
        for try await _ in counts { seen.signal() }
      } catch {
        failure.withLock { $0 = "\(error)" }
      }
    }
    defer { reading.cancel() }
    // The first results are the objects that existed before.
    try wait(for: seen, failure)
    let writer = other.newBackgroundContext()
    let clock = ContinuousClock()
    var times: [Double] = []
    for number in 0..<30 {
      Stage.department("told \(number)", in: writer).name += "!"
      try writer.save()
      let start = clock.now
      try wait(for: seen, failure)
      times.append((clock.now - start).milliseconds)
    }
    return Spread.quantile(0.5, of: times.sorted())
  }

  private func wait(for seen: DispatchSemaphore, _ failure: borrowing Mutex<String?>) throws {
    guard seen.wait(timeout: .now() + 10) == .success else {
      let reason = failure.withLock { $0 } ?? "nothing was told for ten seconds"
      throw BenchError("A save of another coordinator did not get into live results: \(reason).")
    }
  }

  /// Returns the microseconds of processing one change while live results exist.
  private func changeLiveResults(
    _ stage: Stage
  ) throws -> (untouched: Double, touched: Double, moved: Double) {
    let context = stage.newContext()
    let departments = try context.fetch(FetchRequest<Department>(entityName: "Department"))
    let people = try context.fetch(FetchRequest<Person>(entityName: "Person"))
    var options = LiveOptions()
    options.scope = .thisContext
    var queries: [LiveResults<Person>] = []
    for number in 0..<999 {
      let name = people[number % people.count].name + "\(number)"
      queries.append(try context.live(Person.where { $0.name == name }, options: options))
    }
    queries.append(try context.live(Person.where { $0.age == 200 }, options: options))
    func time(_ count: Int, _ change: (Int) -> Void) -> Double {
      let clock = ContinuousClock()
      var total = Duration.zero
      for index in 0..<count {
        change(index)
        let start = clock.now
        context.processPendingChanges()
        total += clock.now - start
      }
      return total.milliseconds * 1e3 / Double(count)
    }
    let untouched = time(1_000) { departments[$0 % departments.count].name += "x" }
    let touched = time(1_000) { people[$0 % people.count].age = $0 % 2 == 0 ? 200 : 201 }
    queries = []
    let all = try context.live(
      FetchRequest<Person>(entityName: "Person").sorted(by: \.score), options: options)
    let moved = time(100) { people[$0 * 7 % people.count].score = Double($0 * 7919 % 1_000) }
    guard all.count == people.count else {
      throw BenchError("\(all.count) of \(people.count) persons are in the live results.")
    }
    return withExtendedLifetime(all) { (untouched, touched, moved) }
  }
}
