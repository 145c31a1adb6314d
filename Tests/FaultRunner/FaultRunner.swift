// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A program in which the calls of the stores' libraries to the system can fail and are recorded.
///
///     FaultRunner power STORE STATES SEED [forgetful]    states after a loss of power, all opened
///     FaultRunner power-several STORE,STORE STATES SEED [forgetful]    the same of saves to several stores
///     FaultRunner replace STORE STATES SEED [forgetful]  the same while a store is replaced, destroyed or migrated
///     FaultRunner evolve STORE STATES SEED [forgetful]   the same while a store is brought to another model version
///     FaultRunner evolve-faults STORE POINTS SEED        calls that fail meanwhile
///     FaultRunner faults STORE POINTS SEED [swallowing]  calls that fail while contexts save and read
///     FaultRunner memory STORE POINTS SEED               memory that the libraries do not get
///     FaultRunner cuts postgresql POINTS SEED [swallowing|boasting]  a wire that is cut at a message
///     FaultRunner group STORE POINTS SEED [turns]        calls that fail while contexts save at once
///     FaultRunner clock STORE STEPS SEED                 a time of day that jumps
///     FaultRunner fuzz model|journal|mapping|xcode COUNT SEED [FILE]    damaged texts
///
/// A store whose name ends with `+history` records its transactions, which are compared too.
///
/// `postgresql` is there when `DATABASE_URL` names a server by its socket.
///
/// The last word makes it wrong on purpose. It ends with 0 when everything was right, with 2 when something was found,
/// and with 3 where there is nothing to stand between programs and the system.
@main
enum FaultRunner {
  static func main() {
    let words = Array(CommandLine.arguments.dropFirst())
    guard Faults.isSupported || words.first == "fuzz" else {
      Terminal.say("not supported here")
      exit(3)
    }
    do {
      try words.first == "fuzz" ? fuzz(words) : run(words)
    } catch let finding as Finding {
      Terminal.say("FOUND: \(finding)")
      exit(2)
    } catch {
      Terminal.say("FAILED: \(error)")
      exit(1)
    }
  }

  private static func run(_ words: [String]) throws {
    if words.first == "power-several" { return try several(words) }
    guard words.count >= 4, let kind = StoreKind.named(words[1]),
      let count = Int(words[2]), let seed = UInt64(words[3])
    else { return usage() }
    let isWrong = words.count > 4
    if let move = FileMoves.Move(rawValue: words[0]) {
      let states = try FileMoves(
        kind: kind, stateCount: count, seed: seed, forgetsFlushes: isWrong
      ).run(move)
      return Terminal.say("\(kind.name) \(move): \(states) states, 0 wrong")
    }
    switch words[0] {
    case "power":
      let states = try PowerLoss(
        kind: kind, stateCount: count, seed: seed, forgetsFlushes: isWrong
      ).run()
      Terminal.say("\(kind.name): \(states) states, 0 wrong")
    case "faults", "memory", "cuts", "descriptors":
      let kinds =
        ["memory": [.allocate], "cuts": FaultKind.cuts, "descriptors": [.open]][words[0]]
        ?? FaultKind.calls
      let report = try FaultMatrix(
        kind: kind, kinds: kinds, pointCount: count, seed: seed,
        swallowsErrors: words.last == "swallowing",
        errors: words[0] == "descriptors" ? [EMFILE] : nil, boasts: words.last == "boasting"
      ).run()
      let codes = report.codes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
      Terminal.say(
        "\(kind.name): \(report.points) points, \(report.failures) failed, 0 wrong; "
          + codes.joined(separator: ", "))
    case "group":
      let report = try SavesAtOnce(
        kind: kind, pointCount: count, seed: seed, takesTurns: isWrong
      ).run()
      Terminal.say(
        "\(kind.name): \(report.saves) saves with \(report.flushes) flushes, \(report.points) points, "
          + "\(report.failures) failed, 0 wrong")
    case "evolve":
      let states = try VersionChange(
        kind: kind, count: count, seed: seed, forgetsFlushes: isWrong
      ).losePower()
      Terminal.say("\(kind.name) evolve: \(states) states, 0 wrong")
    case "evolve-faults":
      let report = try VersionChange(kind: kind, count: count, seed: seed).failCalls()
      Terminal.say(
        "\(kind.name) evolve: \(report.points) points, \(report.failures) failed, 0 wrong")
    case "clock":
      try ClockJumps(kind: kind, steps: Int64(count), seed: seed).run()
      Terminal.say("\(kind.name): \(count) steps, 0 wrong")
    default: usage()
    }
  }

  private static func several(_ words: [String]) throws {
    guard words.count >= 4, let kinds = SeveralPowerLoss.kinds(words[1]),
      let count = Int(words[2]), let seed = UInt64(words[3])
    else { return usage() }
    let states = try SeveralPowerLoss(
      kinds: kinds, stateCount: count, seed: seed, forgetsFlushes: words.count > 4
    ).run()
    Terminal.say("\(words[1]): \(states) states, 0 wrong")
  }

  private static func fuzz(_ words: [String]) throws {
    guard words.count >= 4, let format = FormatFuzz.Format(rawValue: words[1]),
      let count = Int(words[2]), let seed = UInt64(words[3])
    else { return usage() }
    let file = words.count > 4 ? URL(filePath: words[4]) : nil
    let report = try FormatFuzz(format: format, count: count, seed: seed, file: file).run()
    Terminal.say("\(format): \(report.accepted) accepted, \(report.refused) refused, 0 wrong")
  }

  private static func usage() {
    Terminal.say(
      "FaultRunner power|replace|destroy|migrate|evolve|evolve-faults|faults|memory|cuts|descriptors|"
        + "group|clock "
        + "STORE COUNT SEED [wrong]; "
        + "fuzz model|journal|mapping|xcode COUNT SEED [FILE]; "
        + "stores: \(StoreKind.all.map(\.name).joined(separator: ", "))")
    exit(64)
  }
}
