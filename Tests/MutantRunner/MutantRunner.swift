// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Puts faults into a copy of the package, and reports those that no test notices.
///
///     MutantRunner [--only PREFIX] [--sample COUNT --seed NUMBER] [--limit SECONDS] [--rate PERCENT]
///     MutantRunner --verbose  says of each mutant what killed it
///     MutantRunner --check    only looks whether the lists fit the sources
///
/// It runs in the package's folder. All mutants are compiled in at once, each behind a switch, so that one build is
/// enough. It ends with 0 when enough were killed, with 1 when too many survived, and with 2 when the run is
/// inconclusive: a list does not match the sources, tests fail without a mutant, or a control did not survive.
@main
enum MutantRunner {
  static func main() {
    do {
      exit(try run(Options(CommandLine.arguments.dropFirst())) ? 0 : 1)
    } catch {
      Terminal.say("\(error)")
      exit(2)
    }
  }

  private static func run(_ options: Options) throws -> Bool {
    let root = URL(filePath: FileManager.default.currentDirectoryPath, directoryHint: .isDirectory)
    let scratch = URL(filePath: options.scratch, directoryHint: .isDirectory, relativeTo: root)
      .absoluteURL
    let lists = try MutantList.all(in: root)
    let tree = MutatedTree(root: root, tree: scratch.appending(path: "tree"), lists: lists)
    let all = lists.flatMap(\.mutants)
    if options.onlyChecks {
      _ = try tree.mutatedTexts()
      Terminal.say("\(all.count) mutants fit the sources")
      return true
    }
    let hasServer = ProcessInfo.processInfo.environment["DATABASE_URL"]?.isEmpty == false
    let chosen = options.choice(of: all, hasServer: hasServer)
    if !hasServer {
      let count = all.filter(\.needsServer).count
      Terminal.say("Without a PostgreSQL server \(count) mutants are left out")
    }
    try tree.write()
    let programs = try Build(tree: tree.tree, scratch: scratch.appending(path: "build")).run()
    let process = TestProcess(tree: tree.tree, programs: programs, limit: options.limit)
    var run = MutantRun(mutants: chosen, process: process, width: options.width)
    run.isVerbose = options.isVerbose
    let findings = try run.findings()
    guard findings.isEmpty else { throw RunError(reason: findings.joined(separator: "\n")) }
    return try report(try run.survivors(), of: chosen, rate: options.rate)
  }

  private static func report(
    _ survivors: [Mutant], of chosen: [Mutant], rate: Int
  ) throws -> Bool {
    let names = Set(survivors.map(\.name))
    for control in chosen where control.isControl && !names.contains(control.name) {
      throw RunError(reason: "\(control.name) changes nothing, and its tests failed")
    }
    let unnoticed = survivors.filter { !$0.isControl }
    for mutant in unnoticed {
      Terminal.say("\(mutant.name) survived: \(mutant.sentence) (\(mutant.file))")
    }
    let count = chosen.filter { !$0.isControl }.count
    let killed = count - unnoticed.count
    let percent = count == 0 ? 100 : Double(killed * 1000 / count) / 10
    Terminal.say("\(killed) of \(count) mutants killed (\(percent) %)")
    return killed * 100 >= rate * count
  }
}

/// An error that makes a run inconclusive.
struct RunError: Error, CustomStringConvertible {
  let reason: String

  var description: String { reason }
}
