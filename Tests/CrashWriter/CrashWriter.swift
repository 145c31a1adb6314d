// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// A program that is killed while it saves, and looks at what is left.
///
///     CrashWriter loop STORE KILLS SEED [early|torn|trimmed]   kill writers, inspect the store after each
///     CrashWriter race STORE RACERS VALUES             processes that want the same unique values
///     CrashWriter write STORE PATH [early|torn|trimmed]        the writer that is killed
///     CrashWriter claim STORE PATH START VALUES        one of those that race
///     CrashWriter anomalies STORE PROCESSES COUNT [checked]    transactions in processes, and what they saw
///     CrashWriter append STORE PATH START WORKER COUNT [checked]    one of those
///     CrashWriter copies STORE 0                       copies to a store, killed at each step
///     CrashWriter copy STORE PATH STEP                 one of those
///     CrashWriter making STORE PROCESSES ROUNDS        processes that make one new store at once
///     CrashWriter make STORE FOLDER START ROUNDS       one of those
///     CrashWriter follow STORE PROCESSES SECONDS SEED [forgetful]  processes that are killed, and one that follows
///     CrashWriter followed STORE PATH NUMBER           one of those
///     CrashWriter evolve-kills STORE KILLS SEED        migrations to another version of the model, killed
///     CrashWriter evolve-stops postgresql KILLS SEED   the same while the server goes down; ROOST_RESTART restarts it
///     CrashWriter evolve STORE PATH                    one of those
///     CrashWriter evolve-together STORE PROCESSES ROUNDS [staged]    processes that migrate one store at once
///     CrashWriter evolve-all STORE FOLDER START ROUNDS [staged]    one of those
///     CrashWriter evolve-between STORE ROUNDS SEED     contexts of the old version while a store is migrated
///     CrashWriter evolve-large STORE COUNT [FOLDER]    a migration of very many records: memory, reports, cancelling
///     CrashWriter evolve-one STORE PATH killed|cancelled|early|whole    one of those
///     CrashWriter several STORE,STORE POINTS SEED [torn|apart]    saves to several stores, killed at each call
///     CrashWriter several-write STORE,STORE FOLDER POINT [torn|apart]    the writer that is killed
///     CrashWriter several-race STORE,STORE PROCESSES COUNT    processes that count up in several stores at once
///     CrashWriter several-count STORE,STORE FOLDER COUNT    one of those
///     CrashWriter several-lists STORE,STORE PROCESSES COUNT KILLS SEED [torn]    processes that append to lists in
///                                                      several stores; ROOST_RESTARTS lists what restarts servers
///     CrashWriter several-append STORE,STORE FOLDER WORKER COUNT [torn]    one of those
///     CrashWriter several-outage STORE,STORE SECONDS    the store that decides cannot be reached for a while:
///                                                      ROOST_STOP stops its server, ROOST_START starts it again
///     CrashWriter fork STORE PATH                      a child that goes on with its parent's store
///     CrashWriter full STORE PATH                      a file that may not grow
///     CrashWriter grow STORE PATH                      many large saves
///     CrashWriter nobody STORE PATH                    a user without rights
///     CrashWriter hold STORE PATH                      a reader that stays until it is killed
///
/// A store whose name ends with `+history` records its transactions, which are compared too.
///
/// It ends with 0 when everything was right, with 2 when the inspection found something.
@main
enum CrashWriter {
  static func main() {
    do {
      try run(Array(CommandLine.arguments.dropFirst()))
    } catch let finding as Inspection.Finding {
      Terminal.say("FOUND: \(finding)")
      exit(2)
    } catch {
      Terminal.warn("\(error)")
      exit(1)
    }
  }

  private static func run(_ words: [String]) throws {
    if words.first?.hasPrefix("several") == true { return try several(words) }
    guard words.count > 2, let kind = StoreKind.named(words[1]) else { return usage() }
    let defect = words.last.flatMap { Writer.Defect(rawValue: $0) }
    let numbers = words.dropFirst(2).compactMap { Int($0) }
    switch words[0] {
    case "write":
      try Writer(kind: kind, url: URL(filePath: words[2]), defect: defect).run()
    case "claim":
      guard words.count == 5, let values = Int64(words[4]) else { return usage() }
      try Race.claim(kind, URL(filePath: words[2]), start: words[3], values: values)
    case "loop":
      guard numbers.count == 2 else { return usage() }
      let report = try KillLoop(
        kind: kind, kills: numbers[0], seed: UInt64(numbers[1]), defect: defect
      ).run()
      Terminal.say(
        "\(kind.name): \(numbers[0]) kills, \(report.acknowledged) acknowledged saves, 0 lost, "
          + "0 torn; \(report.killsWhileOpening) kills while opening, "
          + "\(report.unacknowledged) saves there that nobody was told of")
    case "race":
      guard numbers.count == 2 else { return usage() }
      let wins = try Race(kind: kind, racers: numbers[0], values: Int64(numbers[1])).run()
      Terminal.say("\(kind.name): \(numbers[1]) values, won \(wins)")
    case "anomalies":
      guard numbers.count == 2 else { return usage() }
      let check = words.last == "checked"
      let counts = try Anomalies(
        kind: kind, processes: numbers[0], count: numbers[1], isChecked: check
      ).run()
      Terminal.say(
        "\(kind.name): \(counts.committed) committed, \(counts.aborted) aborted, 0 anomalies")
    case "append":
      guard words.count > 5, let worker = Int(words[4]), let count = Int(words[5]) else {
        return usage()
      }
      try Anomalies.append(
        kind, URL(filePath: words[2]), start: words[3],
        ListWorkload(worker: worker, count: count, isChecked: words.last == "checked"))
    case "copies":
      Terminal.say(
        "\(kind.name): \(try Migration(kind: kind).run()) copies killed, 0 taken for whole")
    case "copy":
      guard words.count == 4, let step = Int(words[3]) else { return usage() }
      let url = URL(filePath: words[2])
      let source = url.deletingLastPathComponent().appending(path: "source")
      try Migration.copy(kind, source, to: url, killedAt: step)
      Terminal.say("done")
    case "making":
      guard numbers.count == 2 else { return usage() }
      try Making(kind: kind, processes: numbers[0], rounds: numbers[1]).run()
      Terminal.say("\(kind.name): \(numbers[1]) stores, each made once")
    case "make":
      guard words.count == 5, let rounds = Int(words[4]) else { return usage() }
      try Making.make(kind, URL(filePath: words[2]), start: words[3], rounds: rounds)
    case let word where word.hasPrefix("evolve"): try evolve(words, kind, numbers)
    case "follow": try follow(words, kind, numbers)
    case "followed":
      guard words.count == 4, let number = Int(words[3]) else { return usage() }
      try Following.write(kind, URL(filePath: words[2]), number: number)
    case "fork": try Places.fork(kind, URL(filePath: words[2]))
    case "full": try Places.full(kind, URL(filePath: words[2]))
    case "grow": try Places.grow(kind, URL(filePath: words[2]))
    case "nobody": Places.nobody(kind, URL(filePath: words[2]))
    case "hold": Places.hold(words[2])
    default: usage()
    }
  }

  /// Runs what is about saves to several stores.
  private static func several(_ words: [String]) throws {
    guard words.count > 2, let kinds = SeveralPlaces.kinds(words[1]) else { return usage() }
    let defect = words.last.flatMap(SeveralDefect.init)
    let isTorn = defect == .torn
    let numbers = words.dropFirst(2).compactMap { Int($0) }
    if words[0] == "several-lists", numbers.count == 4 {
      let report = try SeveralLists(
        kinds: kinds, processes: numbers[0], count: numbers[1], kills: numbers[2],
        seed: UInt64(numbers[3]), isTorn: isTorn
      ).run()
      return Terminal.say(
        "\(words[1]): \(report.committed) committed, \(report.aborted) aborted, "
          + "\(report.unknown) unknown, \(numbers[2]) kills, \(report.restarts) of servers, "
          + "0 anomalies, 0 torn")
    }
    if words[0] == "several-append", numbers.count == 2 {
      return try SeveralLists.append(
        SeveralPlaces(kinds: kinds, folder: URL(filePath: words[2])),
        TwinListWorkload(worker: numbers[0], count: numbers[1]), isTorn: isTorn)
    }
    if words[0] == "several-outage", numbers.count == 1 {
      let report = try SeveralOutage(kinds: kinds, seconds: Double(numbers[0])).run()
      return Terminal.say(
        "\(words[1]): out of reach for \(numbers[0]) s, \(report.written) other saves, "
          + "\(report.refused) in doubt, 0 torn, 0 left over")
    }
    guard words.count > 3, let number = Int(words[3]) else { return usage() }
    if words[0] == "several-write" {
      let places = SeveralPlaces(kinds: kinds, folder: URL(filePath: words[2]))
      return try SeveralWriter(places: places, defect: defect).run(killedAt: number)
    }
    if words[0] == "several-count" {
      return try SeveralRace.count(
        SeveralPlaces(kinds: kinds, folder: URL(filePath: words[2])), number)
    }
    guard let points = Int(words[2]) else { return usage() }
    if words[0] == "several-race" {
      let report = try SeveralRace(kinds: kinds, processes: points, count: number).run()
      return Terminal.say(
        "\(words[1]): \(points * number) counted, \(report.refused) refused, 0 lost, 0 left over")
    }
    let report = try SeveralKills(
      kinds: kinds, points: points, seed: UInt64(number), defect: defect
    ).run()
    Terminal.say(
      "\(words[1]): \(report.points) points of \(report.calls) calls, \(report.recoveries) kills in "
        + "recovery, 0 torn, 0 left over")
  }

  private static func follow(_ words: [String], _ kind: StoreKind, _ numbers: [Int]) throws {
    guard numbers.count == 3 else { return usage() }
    let report = try Following(
      kind: kind.keepingHistory, processes: numbers[0], seconds: Double(numbers[1]),
      seed: UInt64(numbers[2]), isForgetful: words.last == "forgetful"
    ).run()
    Terminal.say(
      "\(kind.name): \(report.transactions) transactions of \(numbers[0]) processes, "
        + "\(report.kills) kills, \(report.snapshots) snapshots, 0 missed; told after "
        + String(format: "%.1f ms, at most %.0f ms", report.median, report.longest))
  }

  /// Runs what is about stores of two versions of a model.
  private static func evolve(_ words: [String], _ kind: StoreKind, _ numbers: [Int]) throws {
    switch (words[0], numbers.count) {
    case ("evolve-kills", 2), ("evolve-stops", 2):
      let report = try EvolutionKills(
        kind: kind, kills: numbers[0], seed: UInt64(numbers[1]),
        stopsServer: words[0] == "evolve-stops"
      ).run()
      Terminal.say(
        "\(kind.name): \(report.rounds) stores, \(report.killed) kills of a migration, "
          + "\(report.killedAgain) kills in the recovery, \(report.old) left the old version, \(report.untold) the new "
          + "one, 0 wrong")
    case ("evolve-together", 2):
      try EvolutionTogether(
        kind: kind, processes: numbers[0], rounds: numbers[1], isStaged: words.last == "staged"
      ).run()
      Terminal.say("\(kind.name): \(numbers[1]) stores, each migrated once")
    case ("evolve-between", 2):
      let report = try EvolutionBetween(
        kind: kind, rounds: numbers[0], seed: UInt64(numbers[1])
      ).run()
      Terminal.say(
        "\(kind.name): \(numbers[0]) migrations, \(report.answered) requests answered, "
          + "\(report.refused) refused, \(report.busy) stores kept, 0 wrong")
    case ("evolve-all", 1) where words.count > 4:
      try EvolutionTogether.evolve(
        kind, URL(filePath: words[2]), start: words[3], rounds: numbers[0],
        isStaged: words.last == "staged")
    case ("evolve-large", 1):
      let folder =
        words.count > 3 ? URL(filePath: words[3]) : FileManager.default.temporaryDirectory
      let report = try EvolutionLarge(
        kind: kind, count: numbers[0],
        folder: folder.appending(path: "roost-large-\(UUID().uuidString)")
      ).run()
      Terminal.say("\(kind.name): \(numbers[0]) records: \(report)")
    case ("evolve-one", 0) where words.count == 4:
      guard let mode = EvolutionLarge.Mode(rawValue: words[3]) else { return usage() }
      try EvolutionLarge.evolve(kind, URL(filePath: words[2]), mode)
    case ("evolve", 0): try EvolutionKills.evolve(kind, URL(filePath: words[2]))
    default: usage()
    }
  }

  private static func usage() {
    Terminal.warn(
      "CrashWriter loop STORE KILLS SEED [early|torn] | race STORE RACERS VALUES; "
        + "stores: \(StoreKind.all.map(\.name).joined(separator: ", "))")
    exit(64)
  }
}
